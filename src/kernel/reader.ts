import DataLoader from 'dataloader';
import type { Columns } from './columns.js';
import type { RequestContext } from './context.js';
import { groupKey, pageStatement, splitPages, type PageRequest, type PageRows } from './page.js';
import type { Resource } from './resource.js';
import { idOf, type Row } from './row.js';
import { and, column, raw, sql, type Sql } from './sql.js';
import { scoped } from './symbols.js';

/** One entity by id, with the columns that somebody asks of it. */
export interface EntityRequest {
  readonly resource: Resource;
  readonly columns: Columns;
  readonly id: string;
  readonly visible: (alias: string) => Sql;
}

/**
 * All reads of one request go through here. What is asked in the same tick (the same relation of
 * 25 parents, say) is answered by one statement, so that no document can cause a statement per row.
 */
export class Reader {
  readonly #pages: DataLoader<PageRequest, PageRows>;
  readonly #entities: DataLoader<EntityRequest, Row | undefined>;

  constructor(ctx: () => RequestContext) {
    this.#pages = new DataLoader((asked) => readPages(ctx(), asked), { cache: false });
    this.#entities = new DataLoader((asked) => readEntities(ctx(), asked), { cache: false });
  }

  page(request: PageRequest): Promise<PageRows> {
    return this.#pages.load(request);
  }

  entity(request: EntityRequest): Promise<Row | undefined> {
    return this.#entities.load(request);
  }
}

/** The same request with other parts, and with a reader of its own that uses them. */
export function contextWith(
  ctx: RequestContext,
  parts: Pick<RequestContext, 'store' | 'slices'>,
): RequestContext {
  const made: RequestContext = { ...ctx, ...parts, reader: new Reader(() => made) };
  return made;
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

async function readPages(ctx: RequestContext, asked: readonly PageRequest[]): Promise<PageRows[]> {
  const answers = new Map<PageRequest, PageRows>();
  await Promise.all(
    [...grouped(asked, groupKey).values()].map(async (pages) => {
      const split = splitPages(pages, await ctx.store.query(pageStatement(pages)));
      const [first] = pages;
      if (first)
        await compute(
          ctx,
          first.columns,
          split.flatMap((p) => p.rows),
          first.options,
        );
      pages.forEach((page, i) => {
        answers.set(page, split[i] ?? { rows: [], total: undefined });
      });
    }),
  );
  return asked.map((page) => answers.get(page) ?? { rows: [], total: undefined });
}

async function readEntities(
  ctx: RequestContext,
  asked: readonly EntityRequest[],
): Promise<(Row | undefined)[]> {
  const found = new Map<string, Map<string, Row>>();
  await Promise.all(
    [...grouped(asked, (a) => a.columns.key)].map(async ([key, group]) => {
      const [first] = group;
      if (!first) return;
      const rows = await ctx.store.query(
        entityStatement(first, [...new Set(group.map((g) => g.id))]),
      );
      await compute(ctx, first.columns, rows, {});
      found.set(key, new Map(rows.map((row) => [idOf(row), row])));
    }),
  );
  return asked.map((a) => found.get(a.columns.key)?.get(a.id));
}

function entityStatement({ resource, columns, visible }: EntityRequest, ids: string[]): Sql {
  const [id] = ids;
  const byId =
    ids.length === 1
      ? sql`${column('e', 'id')} = ${id}::text`
      : sql`${column('e', 'id')} = any(${ids}::text[])`;
  const where = scoped(resource, 'e', and(byId, visible('e')));
  return sql`select ${columns.list('e')} from ${raw(`"${resource.table}"`)} "e" where ${where}`;
}

async function compute(
  ctx: RequestContext,
  columns: Columns,
  rows: readonly Row[],
  options: Row,
): Promise<void> {
  if (rows.length === 0) return;
  for (const attribute of columns.computed) {
    const values = (await attribute.compute?.values(rows, ctx, options)) ?? [];
    rows.forEach((row, i) => {
      row[attribute.name] = values[i];
    });
  }
}
