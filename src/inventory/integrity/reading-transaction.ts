import { columnsOf } from '../../kernel/read/columns.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { storedAttributes, type Resource } from '../../kernel/declare/resource.js';
import type { Sql } from '../../base/sql.js';
import type { ReadModels } from '../../data/prisma/models.js';
import { existingIds, matchingRows } from '../../kernel/read/entity-table.js';
import type { MatchOf, RowOf, StoredEntity } from '../../kernel/declare/rows.js';
import type { Origin, Transaction } from '../../kernel/request/store-port.js';
import { originOf } from '../../kernel/write/write.js';

/**
 * The read-only view of the network for rules in a dry run. It reads each answer once, so it serves
 * one slice of rows.
 */
export class ReadingTransaction implements Transaction {
  readonly origin: Origin;
  readonly changes = [];
  readonly #rows = new Map<string, Promise<StoredEntity[]>>();
  readonly #ids = new Map<string, Promise<{ id: string }[]>>();

  constructor(private readonly ctx: RequestContext) {
    this.origin = originOf(ctx);
  }

  find<N extends string>(resource: Resource<N>, match: MatchOf<N>): Promise<RowOf<N>[]>;
  find(resource: Resource, match: MatchOf<string>): Promise<StoredEntity[]> {
    const names = storedAttributes(resource).map(({ name }) => name);
    const columns = columnsOf(resource, names, [], this.ctx.catalog);
    return once(this.#rows, `${resource.name}:${JSON.stringify(match)}`, () =>
      matchingRows(this.ctx.store, resource, columns.list('e'), match),
    );
  }

  lockRow<N extends string>(resource: Resource<N>, id: string): Promise<RowOf<N> | undefined>;
  async lockRow(resource: Resource, id: string): Promise<StoredEntity | undefined> {
    const [row] = await this.find(resource, { id });
    return row;
  }

  async hold(resource: Resource, ids: readonly string[]): Promise<string[]> {
    const rows = await once(this.#ids, `${resource.name}:${JSON.stringify(ids)}`, () =>
      existingIds(this.ctx.store, resource, ids),
    );
    return rows.map(({ id }) => id);
  }

  lock<N extends string>(resource: Resource<N>, ids: readonly string[]): Promise<RowOf<N>[]>;
  lock(resource: Resource, ids: readonly string[]): Promise<StoredEntity[]> {
    return this.find(resource, { id: ids });
  }

  query<R>(statement: Sql<R>): Promise<R[]> {
    return this.ctx.store.query(statement);
  }

  readModel<T>(call: (models: ReadModels) => PromiseLike<T>): Promise<T> {
    return this.ctx.store.readModel(call);
  }

  writeModel(): Promise<never> {
    return Promise.reject(writing());
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
}

function once<R>(
  answers: Map<string, Promise<R[]>>,
  key: string,
  ask: () => Promise<R[]>,
): Promise<R[]> {
  const cached = answers.get(key);
  if (cached) return cached;
  const answer = ask();
  answers.set(key, answer);
  return answer;
}

const writing = (): Error => new Error('a rule that only judges must not write');
