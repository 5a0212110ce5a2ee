import { useState } from 'react';
import { WaitingRequests, type WaitingRequest } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useLiveRows } from '../../graph/use-live.js';
import type { PartWanted } from '../../graph/use-rows.js';
import { EntityLink } from '../../parts/entity-link.js';
import { Instant } from '../../parts/instant.js';
import { LongTable, type Column } from '../../parts/long-table.js';
import { texts } from '../../texts.js';
import { DecisionDialog } from './decision-dialog.js';
import type { AccessRounds } from './use-access-rounds.js';

/** The requests that wait for a decision of the caller. */
export function Decisions({ round, changed }: AccessRounds) {
  const [chosen, setChosen] = useState<WaitingRequest>();
  const rows = useLiveRows('waiting requests', readRequests, round);
  return (
    <>
      <p className="dim">{texts.myAccess.decisionsHelp}</p>
      <LongTable
        label={texts.myAccess.views.decisions}
        columns={columnsOf(setChosen)}
        rows={rows}
      />
      {chosen ? (
        <DecisionDialog
          request={chosen}
          decided={changed}
          close={() => {
            setChosen(undefined);
          }}
        />
      ) : null}
    </>
  );
}

const columnsOf = (
  choose: (request: WaitingRequest) => void,
): readonly Column<WaitingRequest>[] => [
  {
    name: 'identity',
    title: texts.myAccess.identity,
    width: 'minmax(9rem, 1fr)',
    show: ({ identityId, identityName }) => (
      <EntityLink type="Identity" id={identityId} name={identityName} />
    ),
  },
  {
    name: 'offer',
    title: texts.myAccess.offer,
    width: 'minmax(9rem, 1fr)',
    show: ({ offerName }) => offerName,
  },
  {
    name: 'reason',
    title: texts.myAccess.reason,
    width: 'minmax(9rem, 2fr)',
    show: ({ reason }) => reason,
  },
  {
    name: 'minutes',
    title: texts.myAccess.minutes,
    width: '5rem',
    show: ({ requestedMinutes }) => requestedMinutes.toLocaleString(),
  },
  {
    name: 'asked',
    title: texts.myAccess.asked,
    width: '8rem',
    show: ({ createdAt }) => <Instant at={createdAt} isRelative />,
  },
  {
    name: 'action',
    title: texts.myAccess.action,
    width: '7rem',
    show: (request) => (
      <button
        type="button"
        className="link"
        aria-label={texts.myAccess.decideOn(request.identityName, request.offerName)}
        onClick={() => {
          choose(request);
        }}
      >
        {texts.myAccess.decide}
      </button>
    ),
  },
];

async function readRequests({ offset, first, signal }: PartWanted) {
  const { accessRequests } = await ask(WaitingRequests, { first, offset }, { signal });
  return accessRequests ?? { totalCount: 0, nodes: [] };
}
