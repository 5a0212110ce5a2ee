import { columnsOf } from '../kernel/read/columns.js';
import type { RequestContext } from '../kernel/request/context.js';
import { columnOf, storedAttributes, type Resource } from '../kernel/declare/resource.js';
import { isObject } from '../base/row.js';
import { and, column, raw, sql, type Sql } from '../base/sql.js';
import type { MatchOf, RowOf, StoredEntity } from '../kernel/declare/rows.js';
import { scoped } from '../kernel/declare/symbols.js';
import type { Origin, Transaction } from '../kernel/request/store-port.js';
import { originOf } from '../kernel/write/write.js';

/**
 * What rules see of the network while nothing is to be written: reads only, each question asked once.
 * Good for one slice of rows.
 */
export class ReadingTransaction implements Transaction {
  readonly origin: Origin;
  readonly #rows = new Map<string, Promise<StoredEntity[]>>();
  readonly #ids = new Map<string, Promise<{ id: string }[]>>();

  constructor(private readonly ctx: RequestContext) {
    this.origin = originOf(ctx);
  }

  find<N extends string>(resource: Resource<N>, match: MatchOf<N>): Promise<RowOf<N>[]>;
  find(resource: Resource, match: MatchOf<string>): Promise<StoredEntity[]> {
    const names = storedAttributes(resource).map(({ name }) => name);
    const columns = columnsOf(resource, names, [], this.ctx.catalog);
    const conditions = Object.entries(match).map(([name, value]) =>
      condition(resource, name, value),
    );
    return this.once(
      this.#rows,
      `${resource.name}:${JSON.stringify(match)}`,
      sql`select ${columns.list('e')} from ${raw(`"${resource.table}"`)} "e" where ${scoped(resource, 'e', and(...conditions))}`,
    );
  }

  async hold(resource: Resource, ids: readonly string[]): Promise<string[]> {
    const where = scoped(resource, 'e', sql`"e"."id" = any(${[...ids]}::text[])`);
    const rows = await this.once(
      this.#ids,
      `${resource.name}:${JSON.stringify(ids)}`,
      sql`select "e"."id" from ${raw(`"${resource.table}"`)} "e" where ${where}`,
    );
    return rows.map(({ id }) => id);
  }

  lock(resource: Resource, ids: readonly string[]): Promise<string[]> {
    return this.hold(resource, ids);
  }

  query<R>(statement: Sql<R>): Promise<R[]> {
    return this.ctx.store.query(statement);
  }

  insert(): Promise<void> {
    return Promise.reject(writing());
  }

  update(): Promise<void> {
    return Promise.reject(writing());
  }

  remove(): Promise<never> {
    return Promise.reject(writing());
  }

  record(): void {
    throw writing();
  }

  private once<R>(
    answers: Map<string, Promise<R[]>>,
    key: string,
    statement: Sql<R>,
  ): Promise<R[]> {
    const known = answers.get(key);
    if (known) return known;
    const asked = this.ctx.store.query(statement);
    answers.set(key, asked);
    return asked;
  }
}

const writing = (): Error => new Error('a rule that only judges must not write');

function condition(resource: Resource, name: string, value: unknown): Sql {
  const attribute = resource.attributes.get(name);
  if (!attribute) throw new Error(`${resource.name} has no attribute ${name}`);
  const at = column('e', columnOf(attribute));
  if (Array.isArray(value)) return sql`${at} = any(${value}::text[])`;
  if (isObject(value) && 'has' in value) return sql`${value.has}::text = any(${at})`;
  if (isObject(value) && 'hasSome' in value) return sql`${at} && ${value.hasSome}::text[]`;
  return value === null ? sql`${at} is null` : sql`${at} = ${value}`;
}
