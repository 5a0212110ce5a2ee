import type { ApiError } from '../../../src/base/errors.js';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import type { RequestContext } from '../../../src/kernel/request/context.js';
import type { InProcess } from '../../support/in-process.js';
import type { NamedEntities } from '../../support/named-entities.js';

/* Lists of changes, sent to the graph as clients send them. */

/** People and services to whom lists of changes are applied. */
export async function fillForApplying({ make, person, policy }: NamedEntities): Promise<void> {
  await person('ada', 'staff');
  await person('eve', 'guest');
  for (const name of ['wiki', 'vault', 'crm']) {
    await make('Service', name, { encryptionRequired: true, roleAttributes: [`at ${name}`] });
  }
  await policy('staff reads', ['#staff'], ['#at wiki']);
  await make('EdgeRouter', 'gate', { isTunnelerEnabled: true });
}

/** People and services whose changes are undone. */
export async function fillForUndoing(named: NamedEntities): Promise<void> {
  const { idOf, make, person, policy } = named;
  await person('ada', 'staff');
  await person('bob', 'staff');
  await make('Service', 'wiki', { encryptionRequired: true, roleAttributes: ['docs'] });
  await make('Service', 'vault', { encryptionRequired: true });
  await policy('staff reads', ['#staff', `@${idOf('bob')}`], ['#docs']);
}

/** The creation of a service whose id the controller chooses, unless `more` has one. */
export const unnamedService = (name: string, more: Row = {}): Row => ({
  operation: 'create',
  type: 'service',
  input: { name, encryptionRequired: true },
  ...more,
});

export interface Applied {
  readonly operation: string;
  readonly type: string;
  readonly entityId: string;
  readonly revision: number | null;
  readonly fields: readonly { name: string; before: unknown; after: unknown }[];
  readonly changeIds: readonly string[];
}

const APPLIED = 'operation type entityId revision fields { name before after } changeIds';

const APPLY = `mutation ($changes: [ModelChangeInput!]!, $ifRevisions: [EntityRevisionInput!], $reason: String) {
  applyChanges(changes: $changes, ifRevisions: $ifRevisions, reason: $reason) { ${APPLIED} } }`;

export const update = (type: string, id: string, input: Row): Row => ({
  operation: 'update',
  type,
  id,
  input,
});
export const remove = (type: string, id: string): Row => ({ operation: 'delete', type, id });
export const create = (type: string, id: string, input: Row): Row => ({
  operation: 'create',
  type,
  id,
  input,
});
export const newPerson = (id: string, more: Row = {}): Row =>
  create('identity', id, { name: id, type: 'Default', isAdmin: false, ...more });
export const newService = (id: string, more: Row = {}): Row =>
  create('service', id, { name: id, encryptionRequired: true, ...more });

/** The answer, or the error that the doors would show. */
export type Outcome<T> =
  { readonly done: T } | { readonly error: Pick<ApiError, 'code' | 'detail'> };

async function outcome<T>(
  on: InProcess,
  field: string,
  document: string,
  variables: Row,
  ctx: RequestContext,
): Promise<Outcome<T>> {
  const { data, errors, messages } = await on.graph(document, variables, ctx);
  if (messages.length === 0) return { done: data?.[field] as T };
  const [error] = errors;
  if (!error) throw new Error(messages.join('\n'));
  return { error: { code: error.code, detail: error.detail } };
}

export const tryToApply = (
  on: InProcess,
  changes: readonly Row[],
  more: Row = {},
  ctx: RequestContext = on.ctx(),
): Promise<Outcome<Applied[]>> =>
  outcome(on, 'applyChanges', APPLY, { changes: [...changes], ...more }, ctx);

/** Applies a list that must succeed. */
export async function apply(
  on: InProcess,
  changes: readonly Row[],
  more: Row = {},
  ctx: RequestContext = on.ctx(),
): Promise<Applied[]> {
  return succeeded(await tryToApply(on, changes, more, ctx));
}

/** Applies a list and gives the ids of its changes. */
export const idsOfApplied = async (on: InProcess, ...changes: readonly Row[]): Promise<string[]> =>
  idsOf(await apply(on, changes));

export function succeeded<T>(result: Outcome<T>): T {
  if ('error' in result) throw new Error(JSON.stringify(result.error));
  return result.done;
}

export const codeOf = (result: Outcome<unknown>): string =>
  'error' in result ? result.error.code : 'done';

export const detailOf = (result: Outcome<unknown>): unknown =>
  'error' in result ? result.error.detail : undefined;

const PAIRS = '{ totalCount nodes { identityId serviceId type } }';

export interface Pairs {
  readonly totalCount: number;
  readonly nodes: readonly { identityId: string; serviceId: string; type: string }[];
}

export const tryToSimulate = (
  on: InProcess,
  changes: readonly Row[],
  ctx: RequestContext = on.ctx(),
): Promise<Outcome<{ gained: Pairs; lost: Pairs }>> =>
  outcome(
    on,
    'simulate',
    `query ($changes: [ModelChangeInput!]!) { simulate(changes: $changes) {
      gained(first: 500) ${PAIRS} lost(first: 500) ${PAIRS} } }`,
    { changes: [...changes] },
    ctx,
  );

export interface Obstacle {
  readonly kind: string;
  readonly text: string;
  readonly fields: readonly string[];
  readonly changeIds: readonly string[];
}

export interface Reversal {
  readonly changes: readonly { operation: string; type: string; id: string; input: Row | null }[];
  readonly ifRevisions: readonly { type: string; id: string; revision: number }[];
  readonly entities: readonly {
    readonly type: string;
    readonly entityId: string;
    readonly name: string | null;
    readonly changeIds: readonly string[];
    readonly obstacles: readonly Obstacle[];
  }[];
}

export const tryToRevert = (
  on: InProcess,
  ids: readonly string[],
  ctx: RequestContext = on.ctx(),
): Promise<Outcome<Reversal>> =>
  outcome(
    on,
    'revertChanges',
    `query ($ids: [ID!]!) { revertChanges(ids: $ids) {
      changes { operation type id: entityId input } ifRevisions { type id: entityId revision }
      entities { type entityId name changeIds obstacles { kind text fields changeIds } } } }`,
    { ids: [...ids] },
    ctx,
  );

export const revert = async (
  on: InProcess,
  ids: readonly string[],
  ctx: RequestContext = on.ctx(),
): Promise<Reversal> => succeeded(await tryToRevert(on, ids, ctx));

/** Applies a reversal as a client does: after a simulation, and only to the state that it is about. */
export async function undo(on: InProcess, { changes, ifRevisions }: Reversal): Promise<string[]> {
  succeeded(await tryToSimulate(on, changes));
  return idsOf(await apply(on, changes, { ifRevisions }));
}

export const obstaclesOf = ({ entities }: Reversal): string[][] =>
  entities.flatMap(({ type, obstacles }) =>
    obstacles.map(({ kind, fields }) => [type, kind, ...fields]),
  );

export const idsOf = (applied: readonly Applied[]): string[] =>
  applied.flatMap(({ changeIds }) => changeIds);

/** The end of the change log, by the order of its insertions. */
export async function lastSeq(on: InProcess): Promise<string> {
  const [row] = await on.parts.store.query(
    sql<{ seq: string }>`select coalesce(max(seq), 0)::text as seq from change`,
  );
  return String(row?.seq);
}

export interface Logged {
  readonly id: string;
  readonly type: string;
  readonly entityId: string;
  readonly operation: string;
  readonly revision: number;
  readonly reason: string | null;
  readonly actorId: string | null;
}

export const loggedSince = (on: InProcess, seq: string): Promise<Logged[]> =>
  on.parts.store.query(
    sql<Logged>`select id, entity_type as type, entity_id as "entityId", operation, revision, reason,
        actor_id as "actorId" from change where seq > ${seq}::bigint order by seq`,
  );

/** Everything that a refused list could leave behind. */
export async function traces(on: InProcess): Promise<unknown> {
  const [row] = await on.parts.store.query(
    sql`select (select count(*) from change) as changes, (select count(*) from identity) as identities,
      (select count(*) from service) as services, (select count(*) from router) as routers,
      (select count(*) from enrollment) as enrollments, (select count(*) from service_policy) as policies,
      (select max(updated_at) from service) as touched`,
  );
  return row;
}
