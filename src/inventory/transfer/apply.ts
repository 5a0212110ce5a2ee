import type { RequestContext } from '../../kernel/request/context.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { MatchOf, NewRowOf, RowOf, ValuesOf } from '../../kernel/declare/rows.js';
import { ApiError } from '../../base/errors.js';
import type { Sql } from '../../base/sql.js';
import type { Models, ReadModels } from '../../data/prisma/models.js';
import type { Origin, PendingChange, Transaction } from '../../kernel/request/store-port.js';
import { changeIn, createIn, currentRow, originOf, patchIn } from '../../kernel/write/write.js';
import { endSessionsOfIdentity } from '../../trust/auth/index.js';
import type { Operation } from './planning.js';

/** The limit of entities that one transaction writes. */
const MAX_ENTITIES = 500;

/** A large entity counts as several, so that no transaction comes near its time limit. */
const CHARACTERS_AS_ONE = 8_192;

/** A tunneler-enabled router is also an identity, a policy and an enrollment. */
const ROUTER_ENTITIES = 4;

/**
 * Runs the operations in order, in transactions of bounded size; an abort leaves complete transactions.
 * After a timeout, such as on a busy machine, it continues with smaller transactions.
 */
export async function applyOperations(
  ctx: RequestContext,
  operations: readonly Operation[],
  onProgress: (done: number) => void,
): Promise<void> {
  let most = MAX_ENTITIES;
  for (let done = 0; done < operations.length;) {
    const batch = batchFrom(operations, done, most);
    try {
      await write(ctx, batch);
      done += batch.length;
      onProgress(done);
    } catch (error) {
      if (!isTimeout(error) || batch.length === 1) throw error;
      most = Math.ceil(most / 2);
    }
  }
}

const write = (ctx: RequestContext, batch: readonly Operation[]): Promise<void> =>
  ctx.store.write(originOf(ctx), async (tx) => {
    const cachingTx = new RememberingTransaction(tx);
    for (const operation of batch) await run(ctx, cachingTx, operation);
  });

const isTimeout = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'TIMEOUT';

/** Gives operations with a total weight of at most `most`, and at least one. */
function batchFrom(operations: readonly Operation[], from: number, most: number): Operation[] {
  const batch: Operation[] = [];
  let room = most;
  for (const operation of operations.slice(from, from + most)) {
    room -= weightOf(operation);
    if (room < 0 && batch.length > 0) break;
    batch.push(operation);
  }
  return batch;
}

function weightOf({ entry: { section, size } }: Operation): number {
  const entities = section.name === 'edgeRouters' ? ROUTER_ENTITIES : 1;
  return entities + Math.floor(size / CHARACTERS_AS_ONE);
}

async function run(ctx: RequestContext, tx: Transaction, operation: Operation): Promise<void> {
  const { entry, verb, id, input, state } = operation;
  const { resource } = entry.section;
  if (input && verb === 'create') await createIn(ctx, tx, resource, input, { id });
  else if (input) await changeIn(ctx, tx, resource, 'replace', id, input);
  if (!state) return;
  await patchIn(tx, resource, await currentRow(tx, resource, id), state);
  if (state.disabledAt !== null) await endSessionsOfIdentity(ctx, tx, id);
}

/**
 * A transaction that locks each row once: the auth policy and the type of 500 identities are read only
 * once.
 */
class RememberingTransaction implements Transaction {
  readonly #lockedIds = new Map<string, Set<string>>();

  constructor(private readonly tx: Transaction) {}

  get origin(): Origin {
    return this.tx.origin;
  }

  get changes(): readonly PendingChange[] {
    return this.tx.changes;
  }

  find<N extends string>(resource: Resource<N>, match: MatchOf<N>): Promise<RowOf<N>[]> {
    return this.tx.find(resource, match);
  }

  lockRow<N extends string>(resource: Resource<N>, id: string): Promise<RowOf<N> | undefined> {
    return this.tx.lockRow(resource, id);
  }

  async hold(resource: Resource, ids: readonly string[]): Promise<string[]> {
    const lockedIds = this.#lockedIds.get(resource.name) ?? new Set<string>();
    this.#lockedIds.set(resource.name, lockedIds);
    const missingIds = ids.filter((id) => !lockedIds.has(id));
    if (missingIds.length > 0)
      for (const id of await this.tx.hold(resource, missingIds)) lockedIds.add(id);
    return ids.filter((id) => lockedIds.has(id));
  }

  lock<N extends string>(resource: Resource<N>, ids: readonly string[]): Promise<RowOf<N>[]> {
    return this.tx.lock(resource, ids);
  }

  async insert<N extends string>(resource: Resource<N>, row: NewRowOf<N>): Promise<void> {
    await this.tx.insert(resource, row);
    // Only this transaction sees the new row, so no other can delete it.
    const lockedIds = this.#lockedIds.get(resource.name) ?? new Set<string>();
    this.#lockedIds.set(resource.name, lockedIds.add(row.id));
  }

  update<N extends string>(resource: Resource<N>, id: string, values: ValuesOf<N>): Promise<void> {
    return this.tx.update(resource, id, values);
  }

  async remove(resource: Resource, ids: readonly string[]): Promise<string[]> {
    for (const id of ids) this.#lockedIds.get(resource.name)?.delete(id);
    return this.tx.remove(resource, ids);
  }

  query<R>(statement: Sql<R>): Promise<R[]> {
    return this.tx.query(statement);
  }

  readModel<T>(call: (models: ReadModels) => PromiseLike<T>): Promise<T> {
    return this.tx.readModel(call);
  }

  writeModel<T>(call: (models: Models) => PromiseLike<T>): Promise<T> {
    return this.tx.writeModel(call);
  }

  record(change: PendingChange): void {
    this.tx.record(change);
  }
}
