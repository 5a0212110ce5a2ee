import { Button } from '@mantine/core';
import { useState } from 'react';
import {
  WaitingIdentities as Waiting,
  type WaitingIdentitiesResult,
} from '../../emitted/operations.js';
import { useMay } from '../../graph/caller-context.js';
import { useLiveAnswer } from '../../graph/use-live.js';
import { EntityLink } from '../../parts/entity-link.js';
import { Instant } from '../../parts/instant.js';
import { Panel } from '../../parts/panel.js';
import { PlainTable } from '../../parts/plain-table.js';
import { texts } from '../../texts.js';
import { ApprovalDialog } from './approval-dialog.js';

type Identity = NonNullable<WaitingIdentitiesResult['identities']>['nodes'][number];

/** The next ones move up when these are decided on. */
const SHOWN = 10;

/** The queue of the identities that wait for their approval, the oldest first. */
export function WaitingIdentities({ rounds }: { rounds: number }) {
  const may = useMay();
  return may('Query', 'identities') ? <Queue rounds={rounds} /> : null;
}

function Queue({ rounds }: { rounds: number }) {
  const may = useMay();
  const { data } = useLiveAnswer(Waiting, { first: SHOWN }, rounds);
  const [chosen, setChosen] = useState<Identity>();
  const waiting = data?.identities;
  if (!waiting || waiting.totalCount === 0) return null;
  const { totalCount, nodes } = waiting;
  return (
    <Panel
      title={texts.overview.waiting}
      aside={<span className="number">{totalCount.toLocaleString()}</span>}
    >
      <PlainTable
        label={texts.overview.waiting}
        heads={[texts.overview.name, texts.overview.attributes, texts.overview.since, '']}
        rows={nodes.map((identity) => [
          identity.id,
          [
            <EntityLink key="name" type="Identity" id={identity.id} name={identity.name} />,
            identity.effectiveRoleAttributes.join(', '),
            <Instant key="since" at={identity.createdAt} isRelative />,
            may('Mutation', 'approveIdentity') ? (
              <Button
                key="decide"
                size="compact-sm"
                variant="default"
                onClick={() => {
                  setChosen(identity);
                }}
              >
                {texts.overview.decide}
              </Button>
            ) : null,
          ],
        ])}
      />
      {chosen ? (
        <ApprovalDialog
          id={chosen.id}
          name={chosen.name}
          close={() => {
            setChosen(undefined);
          }}
        />
      ) : null}
    </Panel>
  );
}
