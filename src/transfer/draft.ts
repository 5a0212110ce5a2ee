import { isStored } from '../kernel/declare/attribute.js';
import { columnsOf } from '../kernel/read/columns.js';
import type { RequestContext } from '../kernel/request/context.js';
import type { Resource } from '../kernel/declare/resource.js';
import {
  attributeOf,
  type MatchOf,
  type NewRowOf,
  type RowOf,
  type ValuesOf,
} from '../kernel/declare/rows.js';
import type { Sql } from '../base/sql.js';
import { matchingRows } from '../kernel/read/entity-table.js';
import type { Origin, Transaction } from '../kernel/request/store-port.js';

const SLICE = 5_000;

/** A row of any resource. */
type EntityRow = NewRowOf<string>;

interface Held {
  readonly rows: Map<string, EntityRow>;
  readonly ids: Map<string, string>;
  /** Ids given to entities of the document; their rows come when they are judged. */
  readonly reserved: Set<string>;
  /** Asked for by id, and not there. */
  readonly absent: Set<string>;
}

interface ById {
  readonly id?: string | readonly string[];
}

/**
 * The network as an import will leave it, held in memory: rows of the database with the rows of the
 * document over them. As a transaction it lets the write pipeline judge each entity of a document
 * against all that comes before it, while nothing is written and no transaction is open.
 */
export class Draft implements Transaction {
  readonly #held = new Map<string, Held>();

  constructor(
    private readonly ctx: RequestContext,
    readonly origin: Origin,
  ) {}

  /** Reads entities by name; those that are there are known from then on. */
  async load(resource: Resource, names: Iterable<string>): Promise<void> {
    const unknown = [...names].filter((name) => !this.of(resource).ids.has(name));
    await this.read(resource, 'name', unknown);
  }

  /** The id that a name stands for. */
  idOf(resource: Resource, name: string): string | undefined {
    return this.of(resource).ids.get(name);
  }

  /** What is known of an entity: one that the document creates has what the document says. */
  row<N extends string>(resource: Resource<N>, id: string): NewRowOf<N> | undefined;
  row(resource: Resource, id: string): EntityRow | undefined {
    return this.of(resource).rows.get(id);
  }

  /** A name that will stand for an entity whose row comes later. */
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
    const { id, ...others } = match;
    if (id === undefined || Object.keys(others).length > 0) {
      throw new Error(`a draft finds ${resource.name} by id alone`);
    }
    return this.findByIds(resource, typeof id === 'string' ? [id] : id);
  }

  async hold(resource: Resource, ids: readonly string[]): Promise<string[]> {
    const { reserved } = this.of(resource);
    const others = ids.filter((id) => !reserved.has(id));
    const existing = new Set((await this.findByIds(resource, others)).map(({ id }) => id));
    return ids.filter((id) => reserved.has(id) || existing.has(id));
  }

  lock(resource: Resource, ids: readonly string[]): Promise<string[]> {
    return this.hold(resource, ids);
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

  record(): void {
    // Nothing has changed.
  }

  private of({ name }: Resource): Held {
    const known = this.#held.get(name);
    if (known) return known;
    const held: Held = {
      rows: new Map(),
      ids: new Map(),
      reserved: new Set(),
      absent: new Set(),
    };
    this.#held.set(name, held);
    return held;
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
