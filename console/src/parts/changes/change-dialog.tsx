import { Button, Modal, Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { wordsOf } from '../../description/names.js';
import { ChangeDetails, type ChangeDetailsResult } from '../../emitted/operations.js';
import { eachOnce, namedIn } from '../../draft/named-members.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { useAnswer } from '../../graph/use-answer.js';
import { EntityLink } from '../entity-link.js';
import { FailureNotice } from '../failure-notice.js';
import { Instant } from '../instant.js';
import { MemberValue } from '../member-value.js';
import { useNames } from '../use-names.js';
import { useNavigateIfShown } from '../use-navigate-if-shown.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { Actor } from './actor.js';
import { addReversal } from './add-reversal.js';

interface ChangeDialogProps {
  /** Undefined: no change is open. */
  readonly id: string | undefined;
  readonly close: () => void;
}

/** A change with its author and its differences side by side. */
export function ChangeDialog({ id, close }: ChangeDialogProps) {
  return (
    <Modal opened={id !== undefined} onClose={close} title={texts.changes.one} size="xl">
      {id === undefined ? null : <Details id={id} />}
    </Modal>
  );
}

/** Adds what undoes the change to the draft. */
function Undo({ id }: { id: string }) {
  const { failure, attempt } = useAttempt();
  const [obstacles, setObstacles] = useState<readonly string[]>([]);
  const may = useMay();
  const navigate = useNavigateIfShown();
  if (!may('Query', 'revertChanges')) return null;
  const undo = async (): Promise<void> => {
    const inexact = await addReversal(id);
    setObstacles(inexact);
    if (inexact.length === 0) await navigate({ to: '/draft' });
  };
  if (obstacles.length > 0) return <UndoneInPart obstacles={obstacles} />;
  return (
    <div className="stack tight">
      <FailureNotice failure={failure} />
      <div className="row end">
        <Button
          variant="default"
          onClick={() => {
            attempt(undo);
          }}
        >
          {texts.changes.undo}
        </Button>
      </div>
    </div>
  );
}

/** The draft has what undoes the change, and something does not come back exactly. */
function UndoneInPart({ obstacles }: { obstacles: readonly string[] }) {
  return (
    <div className="notice warn" role="status">
      <div>{texts.changes.undoneInPart}</div>
      <ul>
        {obstacles.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <Link to="/draft">{texts.changes.toDraft}</Link>
    </div>
  );
}

type Change = NonNullable<ChangeDetailsResult['change']>;

function Details({ id }: { id: string }) {
  const { data, failure } = useAnswer(ChangeDetails, { id });
  return (
    <div className="stack">
      <FailureNotice failure={failure} />
      {data?.change ? <Facts change={data.change} /> : null}
      {data?.change ? <Differences change={data.change} /> : null}
      <Undo id={id} />
    </div>
  );
}

function Facts({ change }: { change: Change }) {
  const { at, type, entityId, entityName, operation, reason, address, requestId } = change;
  return (
    <dl className="attributes">
      <div>
        <dt>{texts.changes.entity}</dt>
        <dd>
          {wordsOf(type)} <EntityLink type={type} id={entityId} name={entityName} />
        </dd>
      </div>
      <div>
        <dt>{texts.changes.operation}</dt>
        <dd>{wordsOf(operation)}</dd>
      </div>
      <div>
        <dt>{texts.changes.at}</dt>
        <dd>
          <Instant at={at} />
        </dd>
      </div>
      <div>
        <dt>{texts.changes.actor}</dt>
        <dd>
          <Actor actorId={change.actorId} name={change.actor?.name} />
        </dd>
      </div>
      <div>
        <dt>{texts.changes.reason}</dt>
        <dd>{reason ?? texts.none}</dd>
      </div>
      <div>
        <dt>{texts.changes.address}</dt>
        <dd>{address ?? texts.none}</dd>
      </div>
      <div>
        <dt>{texts.changes.requestId}</dt>
        <dd className="code">{requestId ?? texts.none}</dd>
      </div>
    </dl>
  );
}

function Differences({ change: { type, fields } }: { change: Change }) {
  const named = fields.flatMap(({ name, before, after }) =>
    [before, after].flatMap((value) => namedIn(type, name, value)),
  );
  const namingOf = useNames(eachOnce(named));
  return (
    <Table layout="fixed" verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.changes.field}</Table.Th>
          <Table.Th>{texts.changes.before}</Table.Th>
          <Table.Th>{texts.changes.after}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {fields.map(({ name, before, after }) => (
          <Table.Tr key={name}>
            <Table.Td>{wordsOf(name)}</Table.Td>
            <Table.Td>
              <MemberValue type={type} member={name} value={before} namingOf={namingOf} />
            </Table.Td>
            <Table.Td>
              <MemberValue type={type} member={name} value={after} namingOf={namingOf} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
