import pg from 'pg';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { changeIn, originOf } from '../../../src/kernel/write/write.js';
import { eventually } from '../../support/eventually.js';
import type { InProcess } from '../../support/in-process.js';

export interface ChangeRow extends Row {
  readonly id: string;
  readonly type: string;
  readonly entityId: string;
}

const LIST = `query ($filter: String, $since: String, $first: Int) {
  changes(filter: $filter, since: $since, first: $first) {
    totalCount
    nodes { id at type entityId entityName operation revision actorId actor { id name } apiSessionId address requestId
      importId before after fields { name before after } } } }`;

export async function changesOf(
  on: InProcess,
  variables: Row = {},
  ctx = on.ctx(),
): Promise<readonly ChangeRow[]> {
  const { changes } = await on.read<{ changes: { nodes: ChangeRow[] } }>(LIST, variables, ctx);
  return changes.nodes;
}

/** Transactions of other databases of the server, which other tests use, hold readers back too. */
export async function settled(on: InProcess, entityId: string, count = 1): Promise<ChangeRow[]> {
  const { value } = await eventually(async () => {
    const found = await changesOf(on, { filter: `entityId = "${entityId}"` });
    if (found.length < count) throw new Error('it is not settled yet');
    return [...found];
  });
  return value;
}

/** A transaction that wrote these changes and is ended by hand. */
export async function openTransaction(url: string, ...entityIds: string[]): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query(
    `insert into change (epoch, at, entity_type, entity_id, operation, revision, before, after)
     select 1, now(), 'Config', id, 'create', 1, null, '{}' from unnest($1::text[]) id`,
    [entityIds],
  );
  return client;
}

export async function commit(client: pg.Client): Promise<void> {
  await client.query('commit');
  await client.end();
}

/** As if everything up to this change had been pruned. */
export async function pruneUpTo(on: InProcess, id: string): Promise<void> {
  const client = new pg.Client({ connectionString: on.url });
  await client.connect();
  await client.query(
    `with gone as (delete from change where id <= $1 returning at, revision)
     update change_log set pruned_id = $1, pruned_at = greatest(pruned_at, (select max(at) from gone)),
       pruned_revision = greatest(pruned_revision, (select max(revision) from gone))`,
    [id],
  );
  await client.end();
}

/** Gives a service one attribute and then another, whose change comes before that of the first in the log. */
export async function updateAgainstOrder(
  on: InProcess,
  id: string,
  first: string,
  then: string,
): Promise<void> {
  const update = (attribute: string, begun: () => void, before?: Promise<void>): Promise<void> => {
    const ctx = on.ctx();
    return on.parts.store.write(originOf(ctx), async (tx) => {
      // The transaction has its place in the log from here on.
      await tx.query(sql`select pg_current_xact_id()::text as xid`);
      begun();
      await before;
      const service = on.catalog.resources.Service;
      await changeIn(ctx, tx, service, 'update', id, { roleAttributes: [attribute] });
    });
  };
  let hasBegun = (): void => undefined;
  let goOn = (): void => undefined;
  const begun = new Promise<void>((resolve) => (hasBegun = resolve));
  const early = update(then, hasBegun, new Promise<void>((resolve) => (goOn = resolve)));
  await begun;
  await update(first, () => undefined);
  goOn();
  await early;
}
