import type { Resource } from '../kernel/declare/resource.js';
import type { Row } from '../base/row.js';
import { and, column, join, or, raw, sql, type Sql } from '../base/sql.js';
import type { Transaction } from '../kernel/request/store-port.js';
import { nextRevision, touchIn } from '../kernel/write/write.js';
import { originOfRun, type Run } from './run.js';

/** A table beside those of the resources, with the entities that its rows belong to. */
interface SideTable {
  readonly name: string;
  readonly label: string;
  /** Column -> resource; the first ones are the key. */
  readonly owners: Readonly<Record<string, string>>;
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

/** Finds rows that belong to an entity that does not exist; they are safe to delete. */
export async function checkSideTables(run: Run): Promise<void> {
  for (const table of SIDE_TABLES) {
    for (let after: Row | undefined; ;) {
      const orphans = await run.ctx.store.query(orphansOf(run, table, after));
      for (const row of orphans) {
        const isFixed = run.fixing && (await discard(run, table, row));
        run.findings.add(`${table.label} ${told(table, row)}`, isFixed);
      }
      await run.checkpoint();
      after = orphans.at(-1);
      if (!after || orphans.length < SLICE) break;
    }
  }
}

const told = ({ owners }: SideTable, row: Row): string => {
  const [gone = ''] = Object.keys(owners).filter((name) => row[`${name}_missing`] === true);
  const of = Object.keys(owners).map((name) => `${name.replace(/_id$/, '')} ${String(row[name])}`);
  return `of ${of.join(', ')}: there is no such ${gone.replace(/_id$/, '').replace('_', ' ')}`;
};

function orphansOf({ ctx }: Run, { name, owners, key }: SideTable, after: Row | undefined): Sql {
  const missing = Object.entries(owners).map(([at, target]) => {
    const { table } = ctx.catalog.get(target);
    return {
      at,
      is: sql`not exists (select from ${raw(`"${table}"`)} "o" where "o"."id" = ${column('t', at)})`,
    };
  });
  const shown = missing.map(
    ({ at, is }) => sql`${column('t', at)}, ${is} as ${raw(`"${at}_missing"`)}`,
  );
  const keys = join(
    key.map((at) => column('t', at)),
    ', ',
  );
  const last = join(
    key.map((at) => sql`${after?.[at] ?? ''}::text`),
    ', ',
  );
  const where = and(sql`(${keys}) > (${last})`, or(...missing.map(({ is }) => is)));
  return sql`select ${join(shown, ', ')} from ${raw(`"${name}"`)} "t" where ${where} order by ${keys} limit ${raw(String(SLICE))}`;
}

/** The record of it goes to an owner that is left; without any, to the identity that is gone. */
async function discard(run: Run, table: SideTable, row: Row): Promise<boolean> {
  const { ctx } = run;
  await ctx.store.write(originOfRun(run), async (tx) => {
    const equal = table.key.map((at) => sql`${raw(`"${at}"`)} = ${row[at]}::text`);
    await tx.query(
      sql`delete from ${raw(`"${table.name}"`)} where ${and(...equal)} returning 1 as one`,
    );
    const what = Object.fromEntries(Object.keys(table.owners).map((at) => [at, row[at]]));
    const owner = await ownerOf(run, tx, table, row);
    if (owner)
      await touchIn(tx, owner.resource, owner.row, { [table.name]: what }, { [table.name]: null });
    else await recordGone(run, tx, table, row);
  });
  return true;
}

async function ownerOf(
  { ctx }: Run,
  tx: Transaction,
  { owners }: SideTable,
  row: Row,
): Promise<{ resource: Resource; row: Row } | undefined> {
  for (const [at, target] of Object.entries(owners)) {
    const resource = ctx.catalog.get(target);
    const id = String(row[at]);
    await tx.lock(resource, [id]);
    const [found] = await tx.find(resource, { id });
    if (found) return { resource, row: found };
  }
  return undefined;
}

async function recordGone(
  { ctx }: Run,
  tx: Transaction,
  { name }: SideTable,
  row: Row,
): Promise<void> {
  const resource = ctx.catalog.resources.Identity;
  const id = String(row.identity_id);
  tx.record({
    resource: resource.name,
    id,
    operation: 'delete',
    revision: await nextRevision(tx, resource, id),
    before: { id, [name]: true },
    after: null,
  });
}
