import { isStored } from '../kernel/declare/attribute.js';
import { columnsOf } from '../kernel/read/columns.js';
import type { RequestContext } from '../kernel/request/context.js';
import type { Resource } from '../kernel/declare/resource.js';
import type { MatchOf, NewRowOf, RowOf, ValuesOf } from '../kernel/declare/rows.js';
import { idOf, type Row } from '../base/row.js';
import { column, raw, sql, type Sql } from '../base/sql.js';
import { scoped } from '../kernel/declare/symbols.js';
import type { Origin, Transaction } from '../kernel/request/store-port.js';

const SLICE = 5_000;

interface Held {
  readonly rows: Map<string, Row>;
  readonly ids: Map<string, string>;
  /** Ids given to entities of the document; their rows come when they are judged. */
  readonly reserved: Set<string>;
  /** Asked for by id, and not there. */
  readonly absent: Set<string>;
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

  row(resource: Resource, id: string): Row | undefined {
    return this.of(resource).rows.get(id);
  }

  /** A name that will stand for an entity whose row comes later. */
  reserve(resource: Resource, name: string, id: string): void {
    this.of(resource).ids.set(name, id);
    this.of(resource).reserved.add(id);
  }

  put(resource: Resource, row: Row): void {
    this.of(resource).rows.set(idOf(row), row);
    if (typeof row.name === 'string') this.of(resource).ids.set(row.name, idOf(row));
  }

  drop(resource: Resource, id: string): void {
    const { rows, ids, absent } = this.of(resource);
    const name = rows.get(id)?.name;
    if (typeof name === 'string' && ids.get(name) === id) ids.delete(name);
    rows.delete(id);
    absent.add(id);
  }

  find<N extends string>(resource: Resource<N>, match: MatchOf<N>): Promise<RowOf<N>[]>;
  async find(resource: Resource, match: Row): Promise<Row[]> {
    const { id, ...others } = match;
    if (id === undefined || Object.keys(others).length > 0) {
      throw new Error(`a draft finds ${resource.name} by id alone`);
    }
    const wanted = (Array.isArray(id) ? id : [id]).map(String);
    const { rows, absent } = this.of(resource);
    await this.read(
      resource,
      'id',
      wanted.filter((one) => !rows.has(one) && !absent.has(one)),
    );
    return [...new Set(wanted)].map((one) => rows.get(one)).filter((row) => row !== undefined);
  }

  async hold(resource: Resource, ids: readonly string[]): Promise<string[]> {
    const { reserved } = this.of(resource);
    const others = ids.filter((id) => !reserved.has(id));
    const found = new Set((await this.find(resource, { id: others })).map(idOf));
    return ids.filter((id) => reserved.has(id) || found.has(id));
  }

  lock(resource: Resource, ids: readonly string[]): Promise<string[]> {
    return this.hold(resource, ids);
  }

  insert<N extends string>(resource: Resource<N>, row: NewRowOf<N>): Promise<void>;
  insert(resource: Resource, row: Row): Promise<void> {
    this.put(resource, row);
    return Promise.resolve();
  }

  update<N extends string>(resource: Resource<N>, id: string, values: ValuesOf<N>): Promise<void>;
  update(resource: Resource, id: string, values: Row): Promise<void> {
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
    const held = {
      rows: new Map(),
      ids: new Map(),
      reserved: new Set(),
      absent: new Set(),
    } as Held;
    this.#held.set(name, held);
    return held;
  }

  private async read(
    resource: Resource,
    by: 'id' | 'name',
    values: readonly string[],
  ): Promise<void> {
    const { absent } = this.of(resource);
    for (let from = 0; from < values.length; from += SLICE) {
      const slice = values.slice(from, from + SLICE);
      for (const row of await this.ctx.store.query(this.statement(resource, by, slice))) {
        this.put(resource, row);
      }
      if (by === 'id') for (const id of slice) if (!this.row(resource, id)) absent.add(id);
    }
  }

  private statement(resource: Resource, by: string, values: readonly string[]): Sql {
    const names = [...resource.attributes.values()].filter(isStored).map((a) => a.name);
    const columns = columnsOf(resource, names, [], this.ctx.catalog);
    const match = sql`${column('e', by)} = any(${values}::text[])`;
    return sql`select ${columns.list('e')} from ${raw(`"${resource.table}"`)} "e" where ${scoped(resource, 'e', match)}`;
  }
}
