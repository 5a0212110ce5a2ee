import type { Resource } from '../kernel/declare/resource.js';
import type { ResourceName, StoredEntity } from '../kernel/declare/rows.js';
import { and, column, join, or, raw, sql, type Sql } from '../base/sql.js';
import type { Transaction } from '../kernel/request/store-port.js';
import { nextRevision, touchIn } from '../kernel/write/write.js';
import { originOfRun, type Run } from './run.js';

/** A table beside those of the resources, with the entities that its rows belong to. */
interface SideTable {
  readonly name: string;
  readonly label: string;
  /** Column -> resource; the first ones are the key. */
  readonly owners: Readonly<Record<string, ResourceName>>;
  readonly key: readonly string[];
}

const SIDE_TABLES: readonly SideTable[] = [
  {
    name: 'service_config_override',
    label: 'service config',
    owners: {
      identity_id: 'Identity',
      service_id: 'Service',
      config_type_id: 'ConfigType',
      config_id: 'Config',
    },
    key: ['identity_id', 'service_id', 'config_type_id'],
  },
  {
    name: 'mfa',
    label: 'second factor',
    owners: { identity_id: 'Identity' },
    key: ['identity_id'],
  },
];

const SLICE = 500;

/** One of the entities that a row belongs to, and whether there is no such entity. */
interface Owner {
  readonly column: string;
  readonly resource: ResourceName;
  readonly id: string;
  readonly isMissing: boolean;
}

/** A row without one of its owners; they stand in the order of the declaration. */
type Orphan = { owners: readonly Owner[] };

/** Finds rows that belong to an entity that does not exist; they are safe to delete. */
export async function checkSideTables(run: Run): Promise<void> {
  for (const table of SIDE_TABLES) {
    for (let after: Orphan | undefined; ;) {
      const orphans = await run.ctx.store.query(orphansOf(run, table, after));
      for (const orphan of orphans) {
        const isFixed = run.fixing && (await discard(run, table, orphan));
        run.findings.add(`${table.label} ${described(orphan)}`, isFixed);
      }
      await run.checkpoint();
      after = orphans.at(-1);
      if (!after || orphans.length < SLICE) break;
    }
  }
}

const described = ({ owners }: Orphan): string => {
  const missing = owners.find(({ isMissing }) => isMissing)?.column ?? '';
  const of = owners.map(({ column: at, id }) => `${at.replace(/_id$/, '')} ${id}`);
  return `of ${of.join(', ')}: there is no such ${missing.replace(/_id$/, '').replace('_', ' ')}`;
};

function orphansOf(
  { ctx }: Run,
  { name, owners, key }: SideTable,
  after: Orphan | undefined,
): Sql<Orphan> {
  const judged = Object.entries(owners).map(([at, target]) => {
    const { table } = ctx.catalog.resources[target];
    const id = column('t', at);
    const isMissing = sql`not exists (select from ${raw(`"${table}"`)} "o" where "o"."id" = ${id})`;
    const owner = sql`json_build_object('column', ${at}::text, 'resource', ${target}::text, 'id', ${id}, 'isMissing', ${isMissing})`;
    return { owner, isMissing };
  });
  const keys = join(
    key.map((at) => column('t', at)),
    ', ',
  );
  const last = join(
    key.map((at) => sql`${after ? idIn(after, at) : ''}::text`),
    ', ',
  );
  const where = and(sql`(${keys}) > (${last})`, or(...judged.map(({ isMissing }) => isMissing)));
  const shown = join(
    judged.map(({ owner }) => owner),
    ', ',
  );
  return sql<Orphan>`select json_build_array(${shown}) as owners from ${raw(`"${name}"`)} "t" where ${where} order by ${keys} limit ${raw(String(SLICE))}`;
}

const idIn = ({ owners }: Orphan, name: string): string =>
  owners.find(({ column: at }) => at === name)?.id ?? '';

/** The record of it goes to an owner that is left; without any, to the identity that is gone. */
async function discard(run: Run, table: SideTable, orphan: Orphan): Promise<boolean> {
  const { ctx } = run;
  await ctx.store.write(originOfRun(run), async (tx) => {
    const equal = table.key.map((at) => sql`${raw(`"${at}"`)} = ${idIn(orphan, at)}::text`);
    await tx.query(
      sql`delete from ${raw(`"${table.name}"`)} where ${and(...equal)} returning 1 as one`,
    );
    const what = Object.fromEntries(orphan.owners.map(({ column: at, id }) => [at, id]));
    const left = await ownerLeft(run, tx, orphan);
    if (left) {
      await touchIn(tx, left.resource, left.row, { [table.name]: what }, { [table.name]: null });
    } else await recordGone(run, tx, table, idIn(orphan, 'identity_id'));
  });
  return true;
}

async function ownerLeft(
  { ctx }: Run,
  tx: Transaction,
  { owners }: Orphan,
): Promise<{ resource: Resource; row: StoredEntity } | undefined> {
  for (const { resource: name, id } of owners) {
    const resource = ctx.catalog.get(name);
    await tx.lock(resource, [id]);
    const [row] = await tx.find(resource, { id });
    if (row) return { resource, row };
  }
  return undefined;
}

async function recordGone(
  { ctx }: Run,
  tx: Transaction,
  { name }: SideTable,
  id: string,
): Promise<void> {
  const resource = ctx.catalog.resources.Identity;
  tx.record({
    resource: resource.name,
    id,
    operation: 'delete',
    revision: await nextRevision(tx, resource, id),
    before: { id, [name]: true },
    after: null,
  });
}
