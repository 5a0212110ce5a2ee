import { Button, Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Row } from '../../description/documents.js';
import { kindOfType } from '../../description/fields.js';
import { wordsOf } from '../../description/names.js';
import { rebaseChange, removeFromDraft, type DraftChange } from '../../draft/draft.js';
import type { ChangeState } from '../../draft/use-change-states.js';
import { EntityLink } from '../../parts/entity-link.js';
import { MemberValue } from '../../parts/member-value.js';
import type { NamingOf } from '../../parts/use-names.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';

const TONES = { create: 'good', replace: 'info', update: 'info', delete: 'bad' } as const;

interface ChangePanelProps {
  readonly change: DraftChange;
  readonly state: ChangeState;
  /** The entity as it is now. */
  readonly present: Row | undefined;
  readonly namingOf: NamingOf;
}

/** A change of the draft, and whether its entity is still as the change knows it. */
export function ChangePanel({ change, state, present, namingOf }: ChangePanelProps) {
  const { operation, type, id, name, input } = change;
  const kind = kindOfType(type);
  return (
    <section className="panel" aria-label={`${wordsOf(operation)} ${name}`}>
      <header>
        <span className={`tag ${TONES[operation]}`}>{wordsOf(operation)}</span>
        <span>{kind ? wordsOf(kind.type) : type}</span>
        <span className="grow">
          {id === undefined || operation === 'create' ? (
            <b>{name}</b>
          ) : (
            <EntityLink type={type} id={id} name={name} />
          )}
        </span>
        <Button
          variant="subtle"
          aria-label={texts.draft.removeChange(name)}
          onClick={() => {
            removeFromDraft([change]);
          }}
        >
          {texts.draft.remove}
        </Button>
      </header>
      {state.is === 'same' ? null : <StateNotice change={change} state={state} />}
      {input === undefined ? null : (
        <Members
          type={type}
          input={input}
          present={operation === 'create' ? undefined : present}
          namingOf={namingOf}
        />
      )}
    </section>
  );
}

interface MembersProps extends Pick<ChangePanelProps, 'namingOf'> {
  readonly type: string;
  readonly input: NonNullable<DraftChange['input']>;
  readonly present: Row | undefined;
}

/** The members that the change sets, beside those that the entity has now: these are lost. */
function Members({ input, present, ...named }: MembersProps) {
  return (
    <Table layout="fixed" verticalSpacing={4} horizontalSpacing="sm" className="members">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.changes.field}</Table.Th>
          {present ? <Table.Th>{texts.draft.now}</Table.Th> : null}
          <Table.Th>{texts.draft.proposed}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {Object.entries(input).map(([member, value]) => (
          <Table.Tr key={member}>
            <Table.Td>{wordsOf(member)}</Table.Td>
            {present ? (
              <Table.Td>
                {Object.hasOwn(present, member) ? (
                  <MemberValue {...named} member={member} value={present[member]} />
                ) : null}
              </Table.Td>
            ) : null}
            <Table.Td>
              <MemberValue {...named} member={member} value={value} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

type StateNoticeProps = Pick<ChangePanelProps, 'change' | 'state'>;

/** Says what happened to the entity meanwhile, and what can be done about it. */
function StateNotice({ change, state }: StateNoticeProps) {
  if (state.is === 'same') return null;
  return (
    <div className="notice warn" role="status">
      <div>{texts.draft.states[state.is]}</div>
      {state.is === 'hidden' ? null : (
        <div className="row">
          <Meanwhile change={change} />
          {state.is === 'moved' ? (
            <Button
              variant="default"
              onClick={() => {
                rebaseChange(change, state.revision);
              }}
            >
              {texts.draft.takeOver}
            </Button>
          ) : null}
        </div>
      )}
    </div>
  );
}

/** Leads to the history of the entity since the state that the change begins from. */
function Meanwhile({ change: { type, id, revision } }: { change: DraftChange }) {
  const may = useMay();
  if (!may('Query', 'changes')) return null;
  const since = revision === undefined ? '' : ` and revision > ${String(revision)}`;
  const filter = `type = ${JSON.stringify(type)} and entityId = ${JSON.stringify(id)}${since}`;
  return (
    <Link to="/changes" search={{ filter }}>
      {texts.draft.meanwhile}
    </Link>
  );
}
