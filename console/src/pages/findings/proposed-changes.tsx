import { Table } from '@mantine/core';
import { membersOperation } from '../../description/documents.js';
import { kindOfModel, selectionOf } from '../../description/fields.js';
import { description, type Kind } from '../../description/description.js';
import { wordsOf } from '../../description/names.js';
import { DraftButton } from '../../parts/draft-button.js';
import { EffectOfChanges, type EffectOfChangesResult } from '../../emitted/operations.js';
import { Failure } from '../../graph/failure.js';
import { useAnswer } from '../../graph/use-answer.js';
import { EntityLink } from '../../parts/entity-link.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { readFindings, type Finding } from '../../parts/findings/read-findings.js';

type Change = Finding['changes'][number];

/** What resolves the finding, member by member, with its effect on access. */
export function ProposedChanges({ finding }: { finding: Finding }) {
  const may = useMay();
  const { changes } = finding;
  return (
    <section className="stack tight" aria-label={texts.findings.proposed}>
      <h3>{texts.findings.proposed}</h3>
      {changes.length === 0 ? (
        <span className="dim">{texts.findings.noChanges}</span>
      ) : (
        <>
          {changes.map((change, i) => (
            // The changes of a finding keep their places.
            <OneChange key={i} change={change} />
          ))}
          {may('Query', 'simulate') ? <Effect changes={changes} /> : null}
          <DraftButton changes={changes} propose={() => readChanges(finding)} />
        </>
      )}
    </section>
  );
}

/** The changes as the network is now. */
async function readChanges({ findingId, kind }: Finding): Promise<readonly Change[]> {
  const { findings } = await readFindings({ kinds: [kind], isMutedWanted: true });
  const finding = findings.find((each) => each.findingId === findingId);
  if (!finding) throw new Failure({ message: texts.findings.gone });
  return finding.changes;
}

function OneChange({ change: { operation, type, entityId, input } }: { change: Change }) {
  const kind = kindOfModel(type);
  const members = Object.entries(input ?? {});
  return (
    <div>
      <div>
        {wordsOf(operation)} {wordsOf(type).toLowerCase()}{' '}
        {entityId === null || !kind ? null : <NamedEntity kind={kind} id={entityId} />}
      </div>
      {members.length === 0 || entityId === null || !kind ? null : (
        <Members kind={kind} id={entityId} members={members} />
      )}
    </div>
  );
}

function NamedEntity({ kind, id }: { kind: Kind; id: string }) {
  const { data } = useAnswer(membersOperation(kind, ['name']), { id });
  const name = data?.entity?.name;
  return <EntityLink type={kind.type} id={id} name={typeof name === 'string' ? name : id} />;
}

interface MembersProps {
  readonly kind: Kind;
  readonly id: string;
  readonly members: readonly (readonly [name: string, value: unknown])[];
}

/** The members that change, beside their present values. */
function Members({ kind, id, members }: MembersProps) {
  const selections = members.flatMap(([name]) => selectionsOf(kind, name));
  const { data, failure } = useAnswer(membersOperation(kind, selections), { id });
  const nameOf = namesOfRoles(data?.entity ?? {});
  return (
    <>
      <FailureNotice failure={failure} />
      <Table layout="fixed" verticalSpacing={4} aria-label={texts.findings.proposed}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.changes.field}</Table.Th>
            <Table.Th>{texts.findings.now}</Table.Th>
            <Table.Th>{texts.findings.then}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {members.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Td>{wordsOf(name)}</Table.Td>
              <Table.Td>{textOf(data?.entity?.[name], nameOf)}</Table.Td>
              <Table.Td>{textOf(value, nameOf)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}

/** A list of roles has the names of what they select beside it. */
function selectionsOf(kind: Kind, name: string): readonly string[] {
  const display = `${name}Display`;
  const isRoles = description.types[kind.type]?.[display] !== undefined;
  return isRoles ? [name, selectionOf(kind.type, display)] : [name];
}

type NameOf = (role: string) => string;

/** `@<id>` -> `@ada`, for the roles of all lists of an entity. */
function namesOfRoles(entity: Readonly<Record<string, unknown>>): NameOf {
  const roles = Object.entries(entity)
    .filter(([member]) => member.endsWith('Display'))
    .flatMap(([, list]) => list as readonly { readonly role: string; readonly name: string }[]);
  const names = new Map(roles.map(({ role, name }) => [role, name]));
  return (role) => names.get(role) ?? role;
}

function textOf(value: unknown, nameOf: NameOf): string {
  if (value === undefined || value === null) return texts.none;
  if (typeof value === 'string') return nameOf(value);
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value.length === 0 ? texts.none : value.map((each) => textOf(each, nameOf)).join(', ');
}

/** What the changes would do together; nothing is written. */
function Effect({ changes }: { changes: readonly Change[] }) {
  const { data, failure, isLoading } = useAnswer(EffectOfChanges, {
    changes: changes.map(({ operation, type, entityId, input }) => ({
      operation,
      type,
      id: entityId,
      input,
    })),
  });
  const effect = data?.simulate;
  return (
    <div className="stack tight">
      <FailureNotice failure={failure} />
      {isLoading && !effect ? <span className="dim">{texts.loading}</span> : null}
      {effect ? (
        <>
          <div>{texts.effect(effect.gained.totalCount, effect.lost.totalCount)}</div>
          <Pairs title={texts.findings.gained} pairs={effect.gained} tone="warn" />
          <Pairs title={texts.findings.lost} pairs={effect.lost} tone="info" />
        </>
      ) : null}
    </div>
  );
}

interface PairsProps {
  readonly title: string;
  readonly pairs: NonNullable<EffectOfChangesResult['simulate']>['gained'];
  readonly tone: 'warn' | 'info';
}

/** The first pairs by name. */
function Pairs({ title, pairs: { nodes, totalCount }, tone }: PairsProps) {
  if (nodes.length === 0) return null;
  const more = totalCount - nodes.length;
  return (
    <ul className="plain" aria-label={title}>
      {nodes.map(({ identityId, identityName, serviceId, serviceName, type }) => (
        <li key={`${identityId} ${serviceId} ${type}`}>
          <span className={`tag ${tone}`}>{title}</span>{' '}
          <EntityLink type="Identity" id={identityId} name={identityName} /> {wordsOf(type)}{' '}
          <EntityLink type="Service" id={serviceId} name={serviceName} />
        </li>
      ))}
      {more > 0 ? <li className="dim">{texts.findings.more(more)}</li> : null}
    </ul>
  );
}
