import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';

/*
 * The costs of terminators from their circuits and failures. Statements, not models: they write and
 * read any number of rows at once, or delete what they read.
 */

/** The circuits of a terminator, and the cost of its failures at the time of `at`. */
export type StoredCost = Pick<
  TableRow<'TerminatorCost'>,
  'terminatorId' | 'circuits' | 'failures' | 'at'
>;

/** Stores costs, as far as their terminators exist. */
export async function put(rows: Rows, costs: readonly StoredCost[]): Promise<void> {
  await rows.query(
    sql`insert into terminator_cost (terminator_id, circuits, failures, at)
      select c."terminatorId", c.circuits, c.failures, c.at
      from jsonb_to_recordset(${JSON.stringify(costs)}::jsonb) c ("terminatorId" text, circuits int, failures int, at timestamptz)
      where exists (select from terminator t where t.id = c."terminatorId")
      on conflict (terminator_id) do update
        set circuits = excluded.circuits, failures = excluded.failures, at = excluded.at`,
  );
}

export async function remove(rows: Rows, terminatorIds: readonly string[]): Promise<void> {
  await rows.query(
    sql`delete from terminator_cost where terminator_id = any(${terminatorIds}::text[])`,
  );
}

/** Empties the table, and gives what it held. */
export const takeAll = (rows: Rows): Promise<StoredCost[]> =>
  rows.query(
    sql<StoredCost>`delete from terminator_cost
      returning terminator_id as "terminatorId", circuits, failures, at`,
  );

export const of = (rows: Rows, terminatorIds: readonly string[]): Promise<StoredCost[]> =>
  rows.query(
    sql<StoredCost>`select terminator_id as "terminatorId", circuits, failures, at
      from terminator_cost where terminator_id = any(${terminatorIds}::text[])`,
  );
