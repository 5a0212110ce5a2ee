import { sql, type Queryable } from '../base/sql.js';
import { currentCost, type CostTable, type StoredCosts } from './terminator-costs.js';

type CostRow = {
  readonly terminator_id: string;
  readonly circuits: number;
  readonly failures: number;
  readonly at: Date;
};

/** The table of the costs of terminators from their circuits and failures. */
export const terminatorCostTable = (store: Queryable): CostTable => ({
  async put(costs) {
    const rows = costs.map(({ id, circuits, failures, at }) => ({
      terminator_id: id,
      circuits,
      failures: Math.round(failures),
      at: new Date(at),
    }));
    await store.query(
      sql`insert into terminator_cost (terminator_id, circuits, failures, at)
        select c.terminator_id, c.circuits, c.failures, c.at
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) c (terminator_id text, circuits int, failures int, at timestamptz)
        where exists (select from terminator t where t.id = c.terminator_id)
        on conflict (terminator_id) do update
          set circuits = excluded.circuits, failures = excluded.failures, at = excluded.at`,
    );
  },
  async remove(costs) {
    const ids = costs.map(({ id }) => id);
    await store.query(sql`delete from terminator_cost where terminator_id = any(${ids}::text[])`);
  },
  async take() {
    const rows = await store.query(sql<CostRow>`delete from terminator_cost returning *`);
    return rows.map(costsOf);
  },
});

const costsOf = (row: CostRow): StoredCosts => ({
  id: row.terminator_id,
  circuits: row.circuits,
  failures: row.failures,
  at: row.at.getTime(),
});

/** Reads what these terminators cost now, beside their own costs. */
export async function dynamicCostsOf(
  store: Queryable,
  ids: readonly string[],
  now: Date,
): Promise<number[]> {
  const rows = await store.query(
    sql<CostRow>`select * from terminator_cost where terminator_id = any(${[...ids]}::text[])`,
  );
  const costs = new Map(rows.map((row) => [row.terminator_id, currentCost(costsOf(row), now)]));
  return ids.map((id) => costs.get(id) ?? 0);
}
