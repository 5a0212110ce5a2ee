import { largeCache } from '../../base/large-cache.js';
import { failure } from '../../base/errors.js';
import type { RequestScope } from '../../kernel/request/request-scope.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import type { Sql } from '../../base/sql.js';
import type { Models, ReadModels } from '../prisma/models.js';
import type {
  Change,
  ChangeListener,
  CommitGuard,
  EntityKey,
  LoggedWrite,
  Origin,
  Snapshot,
  Store,
  Transaction,
} from '../../kernel/request/store-port.js';
import { ChangeNotice } from './change-notice.js';
import { databaseError, isConnectionLost, isVictim, type Database } from './database.js';
import { Snapshots, type SnapshotsOptions } from './snapshot/index.js';
import { rowKey } from './locked-rows.js';
import { ModelTransaction } from './model-transaction.js';
import { RowCache, type Tables } from './row-cache.js';
import { SharedTransaction } from './shared-transaction.js';
import { WriteTurns, type WaitingWrite } from './write-turns.js';

const UNCONFIRMED =
  'the connection to the database broke at the commit; whether it was stored is not known here';

/** Attempts of a transaction that the database rolled back for a deadlock. */
const ATTEMPTS = 3;

/** A write of one process of a controller, as the other processes need it. */
export interface SiblingWrite {
  readonly changes: readonly Change[];
  /** The tables that it wrote. */
  readonly tables: Tables;
}

/** The feed delivers a change soon after the processes of a controller tell each other. */
const MAX_DELIVERED = 10_000;

/**
 * The store of one controller: reads by SQL, writes with change records, and listeners of changes.
 * The end of a scope that a caller gives cancels the statements of the call.
 */
export class ModelStore implements Store {
  readonly #listeners: ChangeListener[] = [];
  readonly #guards: CommitGuard[] = [];
  /** Keys of changes that this controller wrote, which the feed delivers again. */
  readonly #publishedChanges = new Set<string>();
  /** Keys of changes that the feed delivered before any process of this controller told of them. */
  readonly #deliveredChanges = largeCache<true>(MAX_DELIVERED);
  /**
   * Tells the other processes of this controller of a write; resolves when they have applied it.
   * Undefined without other processes.
   */
  onWritten: ((write: SiblingWrite) => Promise<void>) | undefined;
  readonly #cache: RowCache;
  readonly #notice: ChangeNotice;
  readonly #turns = new WriteTurns((queue) => this.runWaiting(queue));

  constructor(
    private readonly database: Database,
    private readonly catalog: Catalog,
    /** Incremented by a restore, and when the database moves to another server. */
    private readonly epoch: number,
    /** Called with errors of listeners, which do not undo the write. */
    private readonly onError: (error: unknown, requestId: string | null) => void = () => undefined,
  ) {
    this.#cache = new RowCache(catalog);
    this.#notice = new ChangeNotice(database);
  }

  within(scope: RequestScope): Store {
    return new RequestStore(this, scope);
  }

  async query<R>(statement: Sql<R>, scope?: RequestScope): Promise<R[]> {
    const rows = await this.database.query(statement, scope);
    await this.noteStatement(statement.render().text);
    return rows;
  }

  readModel<T>(call: (models: ReadModels) => PromiseLike<T>, scope?: RequestScope): Promise<T> {
    return this.database.model(call, { scope });
  }

  async writeModel<T>(call: (models: Models) => PromiseLike<T>, scope?: RequestScope): Promise<T> {
    let text = '';
    const onStatement = (sent: string): void => {
      text = sent;
    };
    const answer = await this.database.model(call, { scope, onStatement });
    await this.noteStatement(text);
    return answer;
  }

  /** Tells those who keep rows of a statement outside of transactions, if it wrote. */
  private async noteStatement(text: string): Promise<void> {
    const tables = this.forgetWritten([text]);
    if (tables.length > 0) await this.onWritten?.({ changes: [], tables });
  }

  rows<R extends object>(statement: Sql<R>, scope?: RequestScope): Promise<R[]> {
    return this.#cache.rows(statement, (one) => this.database.query(one, scope));
  }

  async snapshot(scope?: RequestScope): Promise<Snapshot> {
    const snapshot = await this.database.snapshot(scope);
    const store: Store = {
      within: () => store,
      query: (statement) => snapshot.query(statement),
      readModel: (call) => snapshot.model(call),
      writeModel: (call) => this.writeModel(call, scope),
      rows: (statement) => snapshot.query(statement),
      snapshot: () => this.snapshot(scope),
      write: (origin, work, entity) => this.write(origin, work, entity, scope),
      writeLogged: (origin, work) => this.writeLogged(origin, work, scope),
      rehearse: (origin, work) => this.rehearse(origin, work, scope),
      onChange: (listener) => {
        this.onChange(listener);
      },
    };
    return { store, end: () => snapshot.end() };
  }

  async write<T>(
    origin: Origin,
    work: (tx: Transaction) => Promise<T>,
    entity?: EntityKey,
    scope?: RequestScope,
  ): Promise<T> {
    if (entity) {
      return this.#turns.take(rowKey(entity.resource, entity.id), { origin, work, scope });
    }
    const write = await retryDeadlocks(() => this.writeOnce(origin, work, scope));
    return write.result;
  }

  writeLogged<T>(
    origin: Origin,
    work: (tx: Transaction) => Promise<T>,
    scope?: RequestScope,
  ): Promise<LoggedWrite<T>> {
    return retryDeadlocks(() => this.writeOnce(origin, work, scope, true));
  }

  /** Runs waiting writes in one transaction, and each by itself if that fails. */
  private async runWaiting(queue: WaitingWrite[]): Promise<void> {
    const alone = await this.writeTogether(queue);
    for (const { origin, work, scope, fail } of alone) {
      await this.write(origin, work, undefined, scope).then((answer) => {
        answer();
      }, fail);
    }
  }

  /**
   * Runs the first waiting write, and those that come before its work ends: they often wait for a
   * row that another process of this controller writes. Gives the writes that have to run again, each
   * alone: one of several failed, and which one only it knows.
   */
  private async writeTogether(queue: WaitingWrite[]): Promise<readonly WaitingWrite[]> {
    const transaction = await this.database.begin().catch((error: unknown) => {
      queue.shift()?.fail(databaseError(error));
    });
    if (!transaction) return [];
    const shared = new SharedTransaction(transaction, {
      run: (tx, work) => this.run(tx, work),
      logged: (changes) => this.logged(changes),
      epoch: this.epoch,
    });
    try {
      await shared.runSome(queue);
      const { write } = await this.commit(shared, this.logged(shared.changes), () =>
        shared.commit(),
      );
      await this.tell(write, shared.requestId);
      shared.answer();
      return [];
    } catch (error) {
      await shared.rollback();
      const mayRepeat = shared.taken.length > 1 || isVictim(error);
      if (mayRepeat && !shared.isUnconfirmed) return shared.taken;
      for (const { fail } of shared.taken) fail(databaseError(error));
      return [];
    }
  }

  private async writeOnce<T>(
    origin: Origin,
    work: (tx: Transaction) => Promise<T>,
    scope: RequestScope | undefined,
    awaitsWrites = false,
  ): Promise<LoggedWrite<T>> {
    const transaction = await this.database.begin(scope);
    const tx = new ModelTransaction(transaction, origin, { awaitsWrites });
    let endTransaction: ((committed: boolean) => void) | undefined;
    try {
      endTransaction = scope?.transaction();
      const result = await this.run(tx, work);
      const logged = this.logged(tx.changes);
      const { write, sent: ids } = await this.commit(tx, logged, () =>
        tx.commit(logged, this.epoch),
      );
      endTransaction?.(true);
      await this.tell(write, origin.requestId);
      return { result, changeIds: new Map(logged.map((change, i) => [change, ids[i] ?? ''])) };
    } catch (error) {
      await transaction.rollback();
      endTransaction?.(false);
      throw error;
    }
  }

  /** Runs the work of a transaction, and then the guards. */
  private run<T>(tx: ModelTransaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return tx.run(async () => {
      const result = await work(tx);
      for (const guard of this.#guards) await guard(tx, tx.changes);
      return result;
    });
  }

  /** Sends the commit, and tells of it to those who keep rows or read the log. */
  private async commit<T>(
    { changes, writes }: Pick<ModelTransaction, 'changes' | 'writes'>,
    logged: readonly Change[],
    send: () => Promise<T>,
  ): Promise<{ readonly write: SiblingWrite; readonly sent: T }> {
    // Before the commit, since the feed may deliver the changes before the commit is confirmed.
    for (const change of logged) this.#publishedChanges.add(keyOf(change));
    try {
      const sent = await send();
      if (logged.length > 0) this.#notice.send();
      return { write: { changes, tables: this.forgetWritten(writes) }, sent };
    } catch (error) {
      // The outcome of the commit may be unknown.
      this.forgetWritten(writes);
      for (const change of logged) this.#publishedChanges.delete(keyOf(change));
      throw isConnectionLost(error) ? failure('UNAVAILABLE', UNCONFIRMED) : error;
    }
  }

  /** Gives the tables that these statements wrote, and forgets kept answers from them. */
  private forgetWritten(texts: Iterable<string>): Tables {
    const tables = this.#cache.writtenBy(texts);
    this.#cache.changed(tables);
    return tables;
  }

  rehearse(
    origin: Origin,
    work: (tx: Transaction) => Promise<void>,
    scope?: RequestScope,
  ): Promise<readonly Change[]> {
    return retryDeadlocks(async () => {
      const transaction = await this.database.begin(scope);
      try {
        const tx = new ModelTransaction(transaction, origin, { awaitsWrites: true });
        await tx.run(work);
        return tx.changes;
      } finally {
        await transaction.rollback();
      }
    });
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** Adds a check that runs before every commit. */
  guard(guard: CommitGuard): void {
    this.#guards.push(guard);
  }

  /** Snapshots of this database into files. */
  snapshots(options: Omit<SnapshotsOptions, 'pool'>): Snapshots {
    return new Snapshots({ ...options, pool: this.database.pool });
  }

  /** Publishes changes of the feed, except those that are published already. */
  async deliver(changes: readonly Change[]): Promise<void> {
    const unknown = changes.filter((change) => !this.#publishedChanges.delete(keyOf(change)));
    if (this.onWritten)
      for (const change of unknown) this.#deliveredChanges.set(keyOf(change), true);
    const resources = new Set(unknown.map(({ resource }) => resource));
    this.#cache.changed([...resources].flatMap((name) => this.catalog.find(name)?.table ?? []));
    await this.publish(unknown, null);
  }

  /** Applies a write of another process of this controller. */
  applyWrite({ changes, tables }: SiblingWrite): void {
    this.#cache.changed(tables);
    const unknown = changes.filter((change) => !this.#deliveredChanges.delete(keyOf(change)));
    for (const change of this.logged(unknown)) this.#publishedChanges.add(keyOf(change));
    void this.publish(unknown, null);
  }

  /** The changes that the log keeps, so that the feed delivers them. */
  private logged(changes: readonly Change[]): readonly Change[] {
    return changes.filter((c) => this.catalog.find(c.resource)?.options.unlogged !== true);
  }

  /** Tells the other processes and the listeners of a committed write; it never fails. */
  private async tell(write: SiblingWrite, requestId: string | null): Promise<void> {
    const siblings = this.onWritten?.(write).catch((error: unknown) => {
      this.onError(error, requestId);
    });
    await Promise.all([siblings, this.publish(write.changes, requestId)]);
  }

  private async publish(changes: readonly Change[], requestId: string | null): Promise<void> {
    if (changes.length === 0) return;
    const settling = this.#listeners.map(async (listener) => listener(changes));
    for (const { status, ...outcome } of await Promise.allSettled(settling)) {
      if (status === 'rejected' && 'reason' in outcome) this.onError(outcome.reason, requestId);
    }
  }
}

/** The store of one request: its statements are cancelled when the request is over. */
class RequestStore implements Store {
  constructor(
    private readonly store: ModelStore,
    private readonly scope: RequestScope,
  ) {}

  within(scope: RequestScope): Store {
    return this.store.within(scope);
  }

  query<R>(statement: Sql<R>): Promise<R[]> {
    return this.store.query(statement, this.scope);
  }

  readModel<T>(call: (models: ReadModels) => PromiseLike<T>): Promise<T> {
    return this.store.readModel(call, this.scope);
  }

  writeModel<T>(call: (models: Models) => PromiseLike<T>): Promise<T> {
    return this.store.writeModel(call, this.scope);
  }

  rows<R extends object>(statement: Sql<R>): Promise<R[]> {
    return this.store.rows(statement, this.scope);
  }

  snapshot(): Promise<Snapshot> {
    return this.store.snapshot(this.scope);
  }

  write<T>(origin: Origin, work: (tx: Transaction) => Promise<T>, entity?: EntityKey): Promise<T> {
    return this.store.write(origin, work, entity, this.scope);
  }

  writeLogged<T>(origin: Origin, work: (tx: Transaction) => Promise<T>): Promise<LoggedWrite<T>> {
    return this.store.writeLogged(origin, work, this.scope);
  }

  rehearse(origin: Origin, work: (tx: Transaction) => Promise<void>): Promise<readonly Change[]> {
    return this.store.rehearse(origin, work, this.scope);
  }

  onChange(listener: ChangeListener): void {
    this.store.onChange(listener);
  }
}

/** Runs a transaction again if the database rolled it back for a deadlock. */
async function retryDeadlocks<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === ATTEMPTS || !isVictim(error)) throw databaseError(error);
    }
  }
}

/** A unique key of a change, since the revisions of one id only grow. */
const keyOf = ({ resource, id, revision, operation }: Change): string =>
  `${resource} ${id} ${String(revision)} ${operation}`;
