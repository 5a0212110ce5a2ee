import type pg from 'pg';

export interface DurableTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Claims of controllers that run now mean nothing elsewhere; the ledger stands in the header. */
const LEFT_OUT = ['lease', 'integrity_run', '_prisma_migrations'];

/** Every table that outlives a crash, what is referred to before what refers to it. */
export async function durableTables(client: pg.ClientBase): Promise<DurableTable[]> {
  const { rows } = await client.query<DurableTable & { after: string[] }>(
    `select c.relname as name,
       (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
       array(select distinct t.relname::text from pg_constraint k join pg_class t on t.oid = k.confrelid
         where k.conrelid = c.oid and k.contype = 'f' and t.oid <> c.oid) as after
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
       and c.relpersistence = 'p' and c.relname <> all($1) order by c.relname`,
    [LEFT_OUT],
  );
  return inOrder(rows).map(({ name, columns }) => ({ name, columns }));
}

function inOrder<T extends { name: string; after: readonly string[] }>(tables: readonly T[]): T[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const placed = new Set<T>();
  const place = (table: T, above: readonly T[]): void => {
    if (placed.has(table)) return;
    if (above.includes(table)) throw new Error(`${table.name} refers to itself by way of others`);
    for (const name of table.after) {
      const target = byName.get(name);
      if (target) place(target, [...above, table]);
    }
    placed.add(table);
  };
  for (const table of tables) place(table, []);
  return [...placed];
}
