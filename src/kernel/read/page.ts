import { orderBySql, type OrderTerm } from '../filter/index.js';
import type { Columns } from './columns.js';
import type { Resource } from '../declare/resource.js';
import type { SelectedEntity, SelectedOf } from '../declare/rows.js';
import { and, join, raw, sql, type Sql } from '../../base/sql.js';
import {
  fragmentsOf,
  rowsOfAll,
  textKey,
  valuesKey,
  type StatementFragments,
} from '../../base/shared-text.js';
import { scoped } from '../declare/symbols.js';

/** A checked request for one page of one resource. */
export interface PageRequest<N extends string = string> {
  readonly resource: Resource<N>;
  readonly columns: Columns;
  /** The condition on rows of the list: scope, permission and filter. */
  readonly predicate: (alias: string) => Sql;
  /** The condition on rows after the cursor; the total ignores it. */
  readonly beyond?: (alias: string) => Sql;
  readonly order: readonly OrderTerm[];
  readonly limit: number | 'none';
  readonly offset: number;
  /** `sql`: count in the same statement. */
  readonly total: 'sql' | 'none';
  /** Select the values of the order terms too, for cursors. */
  readonly cursors: boolean;
}

export interface PageRows<N extends string = string> {
  readonly rows: SelectedOf<N>[];
  readonly total: number | undefined;
}

export const ALIAS = 'e';

/** Pages with equal keys have equal columns, so that one statement can serve them all. */
export const groupKey = (p: PageRequest): string =>
  `${p.columns.key};${p.cursors ? p.order.map((t) => t.name).join(',') : ''}`;

/** A row of a page; a null id stands for a page without entities. */
interface PageRow {
  readonly id: string | null;
  /** The number of its page if the statement reads several. */
  readonly '#k'?: number;
  readonly '#total'?: number | null;
}

const isEntity = (row: PageRow): row is PageRow & SelectedEntity => row.id !== null;

/** A statement that reads several pages; equal requests are grouped. */
export interface PageStatement {
  readonly pages: readonly (readonly PageRequest[])[];
  readonly statement: Sql<PageRow>;
}

/** Limits the branches of a union: the server plans each one separately and recursively. */
const MAX_UNION_BRANCHES = 32;

/**
 * Gives the statements for the pages of one group, mostly one. A few pages get a branch each, since
 * the server plans best for values that it sees; not if a client composed a part of the SQL, which
 * may take long to plan. Many pages share a branch if they differ only in values, such as one
 * relation of many parents, so that the statement does not grow with the parents. Equal requests
 * are read once, such as the policies of a service in the lists of many identities.
 */
export function pageStatements(pages: readonly PageRequest[]): PageStatement[] {
  const [first] = pages;
  if (pages.length === 1 && first?.total === 'none') {
    return [{ pages: [pages], statement: rowsOf(first, raw('')) }];
  }
  if (pages.length <= MAX_UNION_BRANCHES) {
    const rows = pages.map(branch);
    if (!rows.some(({ isComposed }) => isComposed)) {
      return [union(rows.map((one, k) => ({ pages: [pages.slice(k, k + 1)], rows: one })))];
    }
  }
  const forms = [...formsOf(pages).values()];
  const statements: PageStatement[] = [];
  for (let from = 0; from < forms.length; from += MAX_UNION_BRANCHES) {
    let count = 0;
    const branches = forms.slice(from, from + MAX_UNION_BRANCHES).map((form) => {
      const requests = [...form.values()];
      return {
        pages: requests.map(({ pages: samePages }) => samePages),
        rows: rowsOfAll(
          requests.map(({ fragments }) => fragments),
          requests.map(() => count++),
        ),
      };
    });
    statements.push(union(branches));
  }
  return statements;
}

interface Branch {
  readonly pages: PageStatement['pages'];
  readonly rows: Sql;
}

const union = (branches: readonly Branch[]): PageStatement => ({
  pages: branches.flatMap(({ pages }) => pages),
  statement: sql<PageRow>`${join(
    branches.map(({ rows }) => sql`(${rows})`),
    ' union all ',
  )} order by "#k", "#n"`,
});

/** Requests with the same SQL text, by their values: equal values mean the same page. */
type Form = Map<string, { readonly fragments: StatementFragments; readonly pages: PageRequest[] }>;

/** Groups pages by the text of their statements. */
function formsOf(pages: readonly PageRequest[]): Map<string, Form> {
  const forms = new Map<string, Form>();
  for (const page of pages) {
    const fragments = fragmentsOf(branch(page));
    const [text, values] = [textKey(fragments), valuesKey(fragments)];
    const form: Form = forms.get(text) ?? new Map<string, never>();
    forms.set(text, form);
    const sameValues = form.get(values);
    if (sameValues) sameValues.pages.push(page);
    else form.set(values, { fragments, pages: [page] });
  }
  return forms;
}

/** Sorts the rows of the statement back to their pages. */
export function splitPages(pages: PageStatement['pages'], rows: readonly PageRow[]): PageRows[] {
  const [first] = pages;
  if (pages.length === 1 && first?.[0]?.total === 'none') {
    return [{ rows: rows.filter(isEntity), total: undefined }];
  }
  const split = pages.map((): { rows: SelectedEntity[]; total: number | undefined } => ({
    rows: [],
    total: undefined,
  }));
  for (const row of rows) {
    const page = split[row['#k'] ?? 0];
    if (!page) continue;
    if (typeof row['#total'] === 'number') page.total = row['#total'];
    if (isEntity(row)) page.rows.push(row);
  }
  return split;
}

/** The columns before the attributes are the same in every branch. */
function branch(p: PageRequest, k?: number): Sql {
  const key = raw(k === undefined ? '' : `${String(k)} as "#k", `);
  const number = sql`row_number() over (order by ${orderBySql(p.order)})::int as "#n", `;
  if (p.total === 'none') return rowsOf(p, sql`${key}null::int as "#total", ${number}`);
  const count = sql`select count(*)::int as "total" ${source(p)} where ${filter(p)}`;
  return sql`select ${key}"n"."total" as "#total", "p".* from (${count}) "n" left join (${rowsOf(p, number)}) "p" on true`;
}

function rowsOf(p: PageRequest, leading: Sql): Sql<PageRow> {
  const cursors = p.cursors
    ? join(
        p.order.map((t, i) => sql`, ${t.expression} as ${raw(`"#s${String(i)}"`)}`),
        '',
      )
    : raw('');
  const where = p.beyond ? and(filter(p), p.beyond(ALIAS)) : filter(p);
  const order = sql`order by ${orderBySql(p.order)}`;
  // A checked whole number: as text, the planner sees how few rows are needed.
  const limit = p.limit === 'none' ? raw('') : raw(` limit ${String(p.limit)}`);
  const ordered =
    p.offset === 0
      ? sql`where ${where} ${order}${limit}`
      : // The server would compute all columns of the skipped rows, too: it finds the ids first.
        sql`where "e"."id" in (select "e"."id" ${source(p)} where ${where} ${order}${limit} offset ${p.offset}::bigint) ${order}`;
  return sql<PageRow>`select ${leading}${p.columns.list(ALIAS)}${cursors} ${source(p)} ${ordered}`;
}

const source = (p: PageRequest): Sql => raw(`from "${p.resource.table}" "${ALIAS}"`);

const filter = (p: PageRequest): Sql => scoped(p.resource, ALIAS, p.predicate(ALIAS));
