import { sql } from '../../base/sql.js';
import type { Sql } from '../../base/sql.js';
import type { OrderTerm } from './order-term.js';
import type { Path } from './predicate.js';

/** The member of a JSON object, null if it is missing. */
export const jsonMember = (json: Sql, path: Path): Sql =>
  sql`(${path.reduce((member, key) => sql`${member} -> ${key}::text`, json)})`;

/**
 * The keys of the order by a JSON value: first its kind, then the value within its kind. Missing
 * values come first, then false and true, numbers, and texts by bytes; lists and objects come last
 * and have no order. No key is ever null, so that a cursor compares them as a row.
 */
export function jsonOrder(
  json: Sql,
  { name, direction }: Pick<OrderTerm, 'name' | 'direction'>,
): OrderTerm[] {
  const kind = sql`(case jsonb_typeof(${json}) when 'boolean' then 1 when 'number' then 2
    when 'string' then 3 when 'array' then 4 when 'object' then 4 else 0 end)`;
  const number = sql`(case jsonb_typeof(${json}) when 'boolean' then (${json})::boolean::int::numeric
    when 'number' then (${json})::numeric else 0 end)`;
  const text = sql`((case jsonb_typeof(${json}) when 'string' then ${json} #>> '{}' else '' end) collate "C")`;
  return [
    { name: `${name} kind`, expression: kind, direction, type: 'int', nullable: false },
    { name: `${name} number`, expression: number, direction, type: 'numeric', nullable: false },
    { name: `${name} text`, expression: text, direction, type: 'string', nullable: false },
  ];
}
