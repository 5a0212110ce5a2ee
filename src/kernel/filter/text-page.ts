import { column, raw, sql, TRUE, type Queryable } from '../../base/sql.js';
import { compileOrder, orderBySql } from './compile-order.js';
import { compilePredicate } from './compile-predicate.js';
import { effectivePage, type Page } from './effective-page.js';
import { symbolTable } from './filter-symbol.js';
import { parseQuery } from './parse-query.js';

/** Filters of texts have one name: `id` is the text itself. */
const SYMBOLS = symbolTable('role attribute', [
  {
    name: 'id',
    type: 'string',
    shape: 'value',
    nullable: false,
    sql: (alias) => sql`(${column(alias, 'id')} collate "C")`,
  },
]);

/** A row of a page; a page without texts has one row, for the total. */
type TextRow = { total: number; id: string | null };

interface TextPage extends Page {
  readonly texts: readonly string[];
  readonly total: number;
}

/**
 * Filters, orders and pages texts by the filter language, in SQL, since its only implementation is
 * there.
 */
export async function pageOfTexts(
  store: Queryable,
  texts: readonly string[],
  filter: string | undefined,
): Promise<TextPage> {
  const query = filter ? parseQuery(filter) : {};
  const where = query.predicate ? compilePredicate(query.predicate, SYMBOLS, 'e') : TRUE;
  const order = orderBySql(compileOrder(query.sort ?? [], SYMBOLS, 'e'));
  const { limit, offset } = effectivePage({ limit: -1 }, query);
  const cut = limit === 'none' ? raw('') : raw(` limit ${String(limit)}`);
  const rows = await store.query(
    sql<TextRow>`with "all" as (select * from unnest(${texts}::text[]) "e"("id") where ${where})
      select (select count(*)::int from "all") as total, "e"."id" from (select 1) one
      left join (select * from "all" "e" order by ${order}${cut} offset ${offset}::bigint) "e" on true`,
  );
  return { texts: rows.flatMap(({ id }) => id ?? []), total: rows[0]?.total ?? 0, limit, offset };
}
