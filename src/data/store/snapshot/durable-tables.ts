import type pg from 'pg';

export interface DurableTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Leases and runs belong to the running controllers; the header holds the ledger. */
const LEFT_OUT = ['lease', 'integrity_run', '_prisma_migrations'];

/** All logged tables; a table comes after the tables that it refers to. */
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
  return byReferences(rows).map(({ name, columns }) => ({ name, columns }));
}

function byReferences<T extends { name: string; after: readonly string[] }>(
  tables: readonly T[],
): T[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const ordered = new Set<T>();
  const addInOrder = (table: T, ancestors: readonly T[]): void => {
    if (ordered.has(table)) return;
    if (ancestors.includes(table))
      throw new Error(`${table.name} refers to itself by way of others`);
    for (const name of table.after) {
      const target = byName.get(name);
      if (target) addInOrder(target, [...ancestors, table]);
    }
    ordered.add(table);
  };
  for (const table of tables) addInOrder(table, []);
  return [...ordered];
}
