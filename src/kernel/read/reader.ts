import DataLoader from 'dataloader';
import type { Columns } from './columns.js';
import type { RequestContext } from '../request/context.js';
import { ADMIN, permits } from '../declare/permissions.js';
import {
  ALIAS,
  groupKey,
  pageStatements,
  splitPages,
  type PageRequest,
  type PageRows,
} from './page.js';
import type { Resource } from '../declare/resource.js';
import {
  attributeOf,
  setAttribute,
  type SelectedEntity,
  type SelectedOf,
} from '../declare/rows.js';
import { and, column, raw, sql, TRUE, type Sql } from '../../base/sql.js';
import { scoped } from '../declare/symbols.js';

/** One entity by id, with the columns that somebody asks of it, if it is among the visible rows. */
export interface EntityRequest<N extends string = string> {
  readonly resource: Resource<N>;
  readonly columns: Columns;
  readonly id: string;
  readonly visible: (alias: string) => Sql;
  /** With its secrets, whoever asks: for the answer that hands them over. */
  readonly withSecrets?: true;
}

/**
 * All reads of one request go through here. What is asked in the same tick (the same relation of
 * 25 parents, say) is answered by one statement, so that no document can cause a statement per row.
 * Only requests that may see the same rows share a statement.
 */
export class Reader {
  readonly #pages: DataLoader<PageRequest, PageRows>;
  readonly #entities: DataLoader<EntityRequest, SelectedEntity | undefined>;

  constructor(ctx: () => RequestContext) {
    this.#pages = new DataLoader((asked) => readPages(ctx(), asked), { cache: false });
    this.#entities = new DataLoader((asked) => readEntities(ctx(), asked), { cache: false });
  }

  page<N extends string>(request: PageRequest<N>): Promise<PageRows<N>>;
  page(request: PageRequest): Promise<PageRows> {
    return this.#pages.load(request);
  }

  entity<N extends string>(request: EntityRequest<N>): Promise<SelectedOf<N> | undefined>;
  entity(request: EntityRequest): Promise<SelectedEntity | undefined> {
    return this.#entities.load(request);
  }
}

declare module '../request/context.js' {
  interface RequestContext {
    readonly reader: Reader;
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

const NOTHING: PageRows = { rows: [], total: undefined };

async function readPages(ctx: RequestContext, asked: readonly PageRequest[]): Promise<PageRows[]> {
  const answers = new Map<PageRequest, PageRows>();
  await Promise.all(
    [...grouped(asked, groupKey).values()].map(async (pages) => {
      const statements = pageStatements(pages);
      const read = await Promise.all(
        statements.map(async (s) => splitPages(s.pages, await ctx.store.query(s.statement))),
      );
      const split = read.flat();
      const [first] = pages;
      const rows = split.flatMap((p) => p.rows);
      if (first) {
        await compute(ctx, first.columns, rows);
        await redact(ctx, first.columns, rows);
      }
      statements
        .flatMap((s) => s.pages)
        .forEach((alike, i) => {
          for (const page of alike) answers.set(page, split[i] ?? NOTHING);
        });
    }),
  );
  return asked.map((page) => answers.get(page) ?? NOTHING);
}

/** A request with the rows that it may see, which no other request may widen. */
interface SeenEntity extends EntityRequest {
  readonly seen: Sql;
  readonly key: string;
}

function withKey(request: EntityRequest): SeenEntity {
  const seen = request.visible(ALIAS);
  const { columns, withSecrets = false } = request;
  return { ...request, seen, key: `${columns.key};${String(withSecrets)};${keyOf(seen)}` };
}

/** Equal keys mean equal conditions. */
function keyOf(condition: Sql): string {
  if (condition === TRUE) return '';
  const { text, values } = condition.render();
  return JSON.stringify([text, values]);
}

async function readEntities(
  ctx: RequestContext,
  asked: readonly EntityRequest[],
): Promise<(SelectedEntity | undefined)[]> {
  const keyed = asked.map(withKey);
  const found = new Map<string, Map<string, SelectedEntity>>();
  await Promise.all(
    [...grouped(keyed, ({ key }) => key)].map(async ([key, group]) => {
      const [first] = group;
      if (!first) return;
      const rows = await ctx.store.query(
        entityStatement(first, [...new Set(group.map((g) => g.id))]),
      );
      await compute(ctx, first.columns, rows);
      if (!first.withSecrets) await redact(ctx, first.columns, rows);
      found.set(key, new Map(rows.map((row) => [row.id, row])));
    }),
  );
  return keyed.map(({ key, id }) => found.get(key)?.get(id));
}

function entityStatement(
  { resource, columns, seen }: SeenEntity,
  ids: string[],
): Sql<SelectedEntity> {
  const [id] = ids;
  const byId =
    ids.length === 1
      ? sql`${column(ALIAS, 'id')} = ${id}::text`
      : sql`${column(ALIAS, 'id')} = any(${ids}::text[])`;
  const where = scoped(resource, ALIAS, and(byId, seen));
  return sql`select ${columns.list(ALIAS)} from ${raw(`"${resource.table}" "${ALIAS}"`)} where ${where}`;
}

async function compute(
  ctx: RequestContext,
  { computed, variants }: Columns,
  rows: readonly SelectedEntity[],
): Promise<void> {
  for (const { name, compute: fill } of computed) {
    for (const { key, options } of variants?.get(name) ?? [{ key: name, options: {} }]) {
      // Arguments are judged even where no row is shaped by them.
      if (rows.length === 0 && Object.keys(options).length === 0) continue;
      const values = (await fill?.values(rows, ctx, options)) ?? [];
      rows.forEach((row, i) => {
        setAttribute(row, key, values[i]);
      });
    }
  }
}

const emptied = (value: unknown): unknown => (value === null ? null : '');

/** Takes out the secrets that the caller may not see; after all that is computed from them. */
async function redact(
  ctx: RequestContext,
  { secret }: Columns,
  rows: readonly SelectedEntity[],
): Promise<void> {
  if (rows.length === 0 || permits(ctx.caller, ADMIN)) return;
  for (const { name, secret: rule } of secret) {
    const shown = (await rule?.isShown(rows, ctx)) ?? [];
    const { redacted = emptied } = rule ?? {};
    rows.forEach((row, i) => {
      if (shown[i] !== true) setAttribute(row, name, redacted(attributeOf(row, name)));
    });
  }
}
