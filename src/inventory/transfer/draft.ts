import { isStored } from '../../kernel/declare/attribute.js';
import { columnsOf } from '../../kernel/read/columns.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Resource } from '../../kernel/declare/resource.js';
import {
  attributeOf,
  type MatchOf,
  type NewRowOf,
  type RowOf,
  type ValuesOf,
} from '../../kernel/declare/rows.js';
import type { Sql } from '../../base/sql.js';
import type { ReadModels } from '../../data/prisma/models.js';
import { matchingRows } from '../../kernel/read/entity-table.js';
import type { Origin, Transaction } from '../../kernel/request/store-port.js';

const SLICE = 5_000;

/** A row of any resource. */
type EntityRow = NewRowOf<string>;

interface DraftRows {
  readonly rows: Map<string, EntityRow>;
  readonly ids: Map<string, string>;
  /** Ids reserved for entities of the document; their rows are added later. */
  readonly reserved: Set<string>;
  /** Ids that were read and do not exist. */
  readonly absent: Set<string>;
}

interface ById {
  readonly id?: string | readonly string[];
}

/**
 * The network after an import, in memory: rows of the database, overlaid by rows of the document. As a
 * transaction it lets the write pipeline check each entity of a document against all earlier ones,
 * while nothing is written and no transaction is open.
 */
export class Draft implements Transaction {
  readonly changes = [];
  readonly #drafts = new Map<string, DraftRows>();

  constructor(
    private readonly ctx: RequestContext,
    readonly origin: Origin,
  ) {}

  /** Reads entities by name and stores those that exist. */
  async load(resource: Resource, names: Iterable<string>): Promise<void> {
    const unreadNames = [...names].filter((name) => !this.of(resource).ids.has(name));
    await this.read(resource, 'name', unreadNames);
  }

  /** Gives the id of a name. */
  idOf(resource: Resource, name: string): string | undefined {
    return this.of(resource).ids.get(name);
  }

  /** Gives the row of an entity, from the document or from the database. */
  row<N extends string>(resource: Resource<N>, id: string): NewRowOf<N> | undefined;
  row(resource: Resource, id: string): EntityRow | undefined {
    return this.of(resource).rows.get(id);
  }

  /** Reserves a name for an entity whose row is added later. */
  reserve(resource: Resource, name: string, id: string): void {
    this.of(resource).ids.set(name, id);
    this.of(resource).reserved.add(id);
  }

  put<N extends string>(resource: Resource<N>, row: NewRowOf<N>): void;
  put(resource: Resource, row: EntityRow): void {
    const { rows, ids } = this.of(resource);
    rows.set(row.id, row);
    const name = attributeOf(row, 'name');
    if (typeof name === 'string') ids.set(name, row.id);
  }

  drop(resource: Resource, id: string): void {
    const { rows, ids, absent } = this.of(resource);
    const name = attributeOf(rows.get(id) ?? {}, 'name');
    if (typeof name === 'string' && ids.get(name) === id) ids.delete(name);
    rows.delete(id);
    absent.add(id);
  }

  find<N extends string>(resource: Resource<N>, match: MatchOf<N>): Promise<RowOf<N>[]>;
  find(resource: Resource, match: ById): Promise<EntityRow[]> {
    const { id, ...conditions } = match;
    if (id === undefined || Object.keys(conditions).length > 0) {
      throw new Error(`a draft finds ${resource.name} by id alone`);
    }
    return this.findByIds(resource, typeof id === 'string' ? [id] : id);
  }

  lockRow<N extends string>(resource: Resource<N>, id: string): Promise<RowOf<N> | undefined>;
  async lockRow(resource: Resource, id: string): Promise<EntityRow | undefined> {
    const [row] = await this.findByIds(resource, [id]);
    return row;
  }

  async hold(resource: Resource, ids: readonly string[]): Promise<string[]> {
    const { reserved } = this.of(resource);
    const unreserved = ids.filter((id) => !reserved.has(id));
    const existing = new Set((await this.findByIds(resource, unreserved)).map(({ id }) => id));
    return ids.filter((id) => reserved.has(id) || existing.has(id));
  }

  lock<N extends string>(resource: Resource<N>, ids: readonly string[]): Promise<RowOf<N>[]>;
  lock(resource: Resource, ids: readonly string[]): Promise<EntityRow[]> {
    return this.findByIds(resource, ids);
  }

  insert<N extends string>(resource: Resource<N>, row: NewRowOf<N>): Promise<void>;
  insert(resource: Resource, row: EntityRow): Promise<void> {
    this.put(resource, row);
    return Promise.resolve();
  }

  update<N extends string>(resource: Resource<N>, id: string, values: ValuesOf<N>): Promise<void>;
  update(resource: Resource, id: string, values: ValuesOf<string>): Promise<void> {
    this.put(resource, { ...this.row(resource, id), ...values, id });
    return Promise.resolve();
  }

  remove(resource: Resource, ids: readonly string[]): Promise<string[]> {
    for (const id of ids) this.drop(resource, id);
    return Promise.resolve([...ids]);
  }

  query<R>(statement: Sql<R>): Promise<R[]> {
    return this.ctx.store.query(statement);
  }

  readModel<T>(call: (models: ReadModels) => PromiseLike<T>): Promise<T> {
    return this.ctx.store.readModel(call);
  }

  writeModel(): Promise<never> {
    return Promise.reject(new Error('a draft writes the rows of resources alone'));
  }

  record(): void {
    // Nothing has changed.
  }

  private of({ name }: Resource): DraftRows {
    const cached = this.#drafts.get(name);
    if (cached) return cached;
    const draft: DraftRows = {
      rows: new Map(),
      ids: new Map(),
      reserved: new Set(),
      absent: new Set(),
    };
    this.#drafts.set(name, draft);
    return draft;
  }

  private async findByIds(resource: Resource, ids: readonly string[]): Promise<EntityRow[]> {
    const { rows, absent } = this.of(resource);
    await this.read(
      resource,
      'id',
      ids.filter((id) => !rows.has(id) && !absent.has(id)),
    );
    return [...new Set(ids)].map((id) => rows.get(id)).filter((row) => row !== undefined);
  }

  private async read(
    resource: Resource,
    by: 'id' | 'name',
    values: readonly string[],
  ): Promise<void> {
    const { absent } = this.of(resource);
    for (let from = 0; from < values.length; from += SLICE) {
      const slice = values.slice(from, from + SLICE);
      for (const row of await this.rowsBy(resource, by, slice)) {
        this.put(resource, row);
      }
      if (by === 'id') for (const id of slice) if (!this.row(resource, id)) absent.add(id);
    }
  }

  private rowsBy(
    resource: Resource,
    by: 'id' | 'name',
    values: readonly string[],
  ): Promise<EntityRow[]> {
    const names = [...resource.attributes.values()].filter(isStored).map((a) => a.name);
    const columns = columnsOf(resource, names, [], this.ctx.catalog);
    return matchingRows(this.ctx.store, resource, columns.list('e'), { [by]: values });
  }
}
