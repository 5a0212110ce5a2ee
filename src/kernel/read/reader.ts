import DataLoader from 'dataloader';
import type { Columns } from './columns.js';
import type { RequestContext } from '../request/context.js';
import { failure } from '../../base/errors.js';
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
import { and, raw, sql, Sql, TRUE } from '../../base/sql.js';
import { isAmong } from '../declare/match.js';
import { scoped } from '../declare/symbols.js';

/** A request for one entity by id, if it is among the visible rows. */
export interface EntityRequest<N extends string = string> {
  readonly resource: Resource<N>;
  readonly columns: Columns;
  readonly id: string;
  readonly visible: (alias: string) => Sql;
  /** Does not redact secrets: for the one answer that shows them, such as a new token. */
  readonly withSecrets?: true;
}

/**
 * The rows that a document of a client may ask for. Its cost counts each row of each page, and has
 * this bound, too. But it does not know how often other lists around a page repeat it, such as the
 * entities of many changes that are applied.
 */
export const MAX_ROWS = 250_000;

/**
 * Batches all reads of one request. Reads of the same tick, such as one relation of 25 parents,
 * share one statement, so that no document causes a statement per row. Only requests with the same
 * visible rows share a statement.
 */
export class Reader {
  readonly #pages: DataLoader<PageRequest, PageRows>;
  readonly #entities: DataLoader<EntityRequest, SelectedEntity | undefined>;
  #requestedRows = 0;

  constructor(private readonly ctx: () => RequestContext) {
    this.#pages = new DataLoader((requests) => readPages(ctx(), requests), { cache: false });
    this.#entities = new DataLoader((requests) => readEntities(ctx(), requests), { cache: false });
  }

  page<N extends string>(request: PageRequest<N>): Promise<PageRows<N>>;
  page(request: PageRequest): Promise<PageRows> {
    if (this.ctx().mostRows !== undefined) this.count(request);
    return this.#pages.load(request);
  }

  entity<N extends string>(request: EntityRequest<N>): Promise<SelectedOf<N> | undefined>;
  entity(request: EntityRequest): Promise<SelectedEntity | undefined> {
    return this.#entities.load(request);
  }

  /** @throws ApiError QUERY_TOO_COMPLEX before too many rows are read */
  private count({ limit }: PageRequest): void {
    this.#requestedRows += limit === 'none' ? 0 : limit;
    if (this.#requestedRows <= MAX_ROWS) return;
    throw failure(
      'QUERY_TOO_COMPLEX',
      `the pages of the document together have more than ${String(MAX_ROWS)} entries: read smaller pages`,
    );
  }
}

declare module '../request/context.js' {
  interface RequestContext {
    readonly reader: Reader;
  }
}

/** A copy of the context with another store, slices or holdings, and a new reader for them. */
export function contextWith(
  ctx: RequestContext,
  replaced: Pick<RequestContext, 'store' | 'slices'> & Partial<Pick<RequestContext, 'holdings'>>,
): RequestContext {
  const copy: RequestContext = { ...ctx, ...replaced, reader: new Reader(() => copy) };
  return copy;
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

const NO_ROWS: PageRows = { rows: [], total: undefined };

async function readPages(
  ctx: RequestContext,
  requests: readonly PageRequest[],
): Promise<PageRows[]> {
  const answers = new Map<PageRequest, PageRows>();
  await Promise.all(
    [...grouped(requests, groupKey).values()].map(async (pages) => {
      const statements = pageStatements(pages);
      const read = await Promise.all(
        statements.map(async (s) => splitPages(s.pages, await ctx.store.rows(s.statement))),
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
          for (const page of alike) answers.set(page, split[i] ?? NO_ROWS);
        });
    }),
  );
  return requests.map((page) => answers.get(page) ?? NO_ROWS);
}

/** A request with the condition on its visible rows as SQL. */
interface ConditionedRequest {
  readonly request: EntityRequest;
  readonly visibleRows: Sql;
}

/** Requests with equal keys can share a statement. */
const entityKey = ({ request, visibleRows }: ConditionedRequest): string =>
  `${request.columns.key};${String(request.withSecrets === true)};${keyOf(visibleRows)}`;

/** Equal keys mean equal conditions. */
function keyOf(condition: Sql): string {
  if (condition === TRUE) return '';
  const { text, values } = condition.render();
  return JSON.stringify([text, values]);
}

async function readEntities(
  ctx: RequestContext,
  requests: readonly EntityRequest[],
): Promise<(SelectedEntity | undefined)[]> {
  const conditioned = requests.map((request) => ({ request, visibleRows: request.visible(ALIAS) }));
  const groups =
    conditioned.length === 1 ? [conditioned] : [...grouped(conditioned, entityKey).values()];
  const entities = new Map<EntityRequest, SelectedEntity | undefined>();
  await Promise.all(
    groups.map(async (group) => {
      const [first] = group;
      if (!first) return;
      const { columns, withSecrets } = first.request;
      const ids = [...new Set(group.map(({ request }) => request.id))];
      const rows = await ctx.store.rows(entityStatement(first, ids));
      await compute(ctx, columns, rows);
      if (!withSecrets) await redact(ctx, columns, rows);
      const byId = new Map(rows.map((row) => [row.id, row]));
      for (const { request } of group) entities.set(request, byId.get(request.id));
    }),
  );
  return requests.map((request) => entities.get(request));
}

/** Texts of statements that read one entity by its id alone, by what they select. */
const textsForOne = new WeakMap<Columns, string>();

/**
 * The statement for entities by id. Most reads are of one entity without another condition: their
 * text is rendered once, since texts are long, and the store compares them.
 */
function entityStatement(
  conditioned: ConditionedRequest,
  ids: readonly string[],
): Sql<SelectedEntity> {
  const { request, visibleRows } = conditioned;
  const { columns } = request;
  const isAlone = ids.length === 1 && visibleRows === TRUE;
  const knownText = isAlone ? textsForOne.get(columns) : undefined;
  if (knownText !== undefined) return Sql.rendered(knownText, ids);
  const statement = composedStatement(conditioned, ids);
  const { text, values } = statement.render();
  // Some resources have a further value.
  if (isAlone && values.length === 1) textsForOne.set(columns, text);
  return statement;
}

function composedStatement(
  { request: { resource, columns }, visibleRows }: ConditionedRequest,
  ids: readonly string[],
): Sql<SelectedEntity> {
  const where = scoped(resource, ALIAS, and(isAmong(ALIAS, ids), visibleRows));
  return sql`select ${columns.list(ALIAS)} from ${raw(`"${resource.table}" "${ALIAS}"`)} where ${where}`;
}

async function compute(
  ctx: RequestContext,
  { computed, variants }: Columns,
  rows: readonly SelectedEntity[],
): Promise<void> {
  for (const { name, compute: fill } of computed) {
    for (const { key, options } of variants?.get(name) ?? [{ key: name, options: {} }]) {
      // Arguments are checked even if there are no rows.
      if (rows.length === 0 && Object.keys(options).length === 0) continue;
      const filling = fill?.values(rows, ctx, options) ?? [];
      const values = filling instanceof Promise ? await filling : filling;
      rows.forEach((row, i) => {
        setAttribute(row, key, values[i]);
      });
    }
  }
}

const emptied = (value: unknown): unknown => (value === null ? null : '');

/** Redacts the secrets that the caller may not see; runs after attributes are computed from them. */
async function redact(
  ctx: RequestContext,
  { secret }: Columns,
  rows: readonly SelectedEntity[],
): Promise<void> {
  if (rows.length === 0 || permits(ctx.caller, ADMIN)) return;
  for (const { name, secret: rule } of secret) {
    const deciding = rule?.isShown(rows, ctx) ?? [];
    const shown = deciding instanceof Promise ? await deciding : deciding;
    const { redacted = emptied } = rule ?? {};
    rows.forEach((row, i) => {
      if (shown[i] !== true) setAttribute(row, name, redacted(attributeOf(row, name)));
    });
  }
}
