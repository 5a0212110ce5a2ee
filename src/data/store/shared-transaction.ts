import { ApiError, failure } from '../../base/errors.js';
import type { Sql } from '../../base/sql.js';
import { together } from '../../base/together.js';
import type { RequestScope } from '../../kernel/request/request-scope.js';
import type { Change } from '../../kernel/request/store-port.js';
import { changeRecords, type LoggedChanges } from './change-records.js';
import { isConnectionLost } from './database.js';
import { LockedRows } from './locked-rows.js';
import { ModelTransaction, sessionKey } from './model-transaction.js';
import type { OpenTransaction } from './open-transaction.js';
import type { WaitingWrite } from './write-turns.js';

/** At most so many writes share a transaction. */
const MAX_WRITES = 16;
/** No write joins a transaction that has lasted so long: those in it wait for their answers. */
const JOIN_MILLIS = 50;
/** Matches every statement that reads the change log, which is the table `change`. */
const MENTIONS_LOG = /\bchange\b/;

export interface SharedTransactionOptions {
  /** Runs the work of a write, and the checks before the commit. */
  readonly run: (tx: ModelTransaction, work: WaitingWrite['work']) => Promise<() => void>;
  /** The changes that the log keeps. */
  readonly logged: (changes: readonly Change[]) => readonly Change[];
  readonly epoch: number;
}

/**
 * One transaction of the database for several writes, each with its own origin and outcome. A write
 * sees the effect and the change records of those before it.
 *
 * Speed needs it (docs/benchmark.md, "edit a policy (patch name)"). With ten clients, an edit in a
 * transaction of its own took 1.2 ms of the processor here and 0.7 ms in the database; it takes 0.65 and
 * 0.27 ms in a shared one.
 */
export class SharedTransaction {
  /** The writes that were taken from the queue. */
  readonly taken: WaitingWrite[] = [];
  readonly changes: Change[] = [];
  /** The texts of the statements that write; that of a model is known when it is sent. */
  readonly writes = new Set<string>();
  readonly #answers: (() => void)[] = [];
  readonly #stored: Promise<unknown>[] = [];
  /** The changes of which the records are not written yet: one statement writes many. */
  readonly #unrecorded: LoggedChanges[] = [];
  /** The sessions that are locked until the commit. */
  readonly #heldSessions = new Set<string>();
  readonly #lockedRows = new LockedRows();
  readonly #scopeEnds: ((committed: boolean) => void)[] = [];
  #isUnconfirmed = false;

  constructor(
    private readonly transaction: OpenTransaction,
    private readonly options: SharedTransactionOptions,
  ) {}

  /** Whether the connection broke at the commit, so that its outcome is not known. */
  get isUnconfirmed(): boolean {
    return this.#isUnconfirmed;
  }

  /** The request of the only write; null if there are several. */
  get requestId(): string | null {
    const [first, ...others] = this.taken;
    return others.length === 0 ? (first?.origin.requestId ?? null) : null;
  }

  /**
   * Runs writes of the queue one after the other. A write that is refused before it has changed
   * anything leaves the others alone; each other failure is one of the whole transaction.
   */
  async runSome(queue: WaitingWrite[]): Promise<void> {
    const latest = performance.now() + JOIN_MILLIS;
    do {
      const write = queue.shift();
      if (!write) return;
      this.taken.push(write);
      await this.run(write);
    } while (this.taken.length < MAX_WRITES && performance.now() < latest);
  }

  async commit(): Promise<void> {
    // The time of a request may be up, and the answer to it already sent.
    if (this.taken.some(({ scope }) => scope?.maySend === false)) throw failure('TIMEOUT');
    try {
      const committed = this.transaction.commit(this.takeRecords());
      await together<unknown>([...this.#stored, committed]);
    } catch (error) {
      this.#isUnconfirmed = isConnectionLost(error);
      throw error;
    }
    this.endScopes(true);
  }

  /** Answers the writers, after the commit. */
  answer(): void {
    for (const answer of this.#answers) answer();
  }

  async rollback(): Promise<void> {
    await this.transaction.rollback();
    this.endScopes(false);
  }

  private async run(write: WaitingWrite): Promise<void> {
    const { transaction, options } = this;
    const { origin, scope, work } = write;
    const session = sessionKey(origin);
    const tx = new ModelTransaction(
      {
        query: (statement) => this.query(statement, scope),
        model: (call, modelOptions) => transaction.model(call, { ...modelOptions, scope }),
        commit: (last) => transaction.commit(last),
      },
      origin,
      {
        isSessionHeld: this.#heldSessions.has(session),
        lockedRows: this.#lockedRows,
        writes: this.writes,
      },
    );
    try {
      const endInScope = scope?.transaction();
      if (endInScope) this.#scopeEnds.push(endInScope);
      const answer = await options.run(tx, work);
      this.#heldSessions.add(session);
      this.#unrecorded.push({ origin, changes: options.logged(tx.changes) });
      this.mustSucceed(tx.leave());
      this.#answers.push(answer);
      this.changes.push(...tx.changes);
    } catch (error) {
      if (!(error instanceof ApiError) || tx.hasWritten) throw error;
      this.#answers.push(() => {
        write.fail(error);
      });
    }
  }

  /** Sends a statement of a write. */
  private query<R>(statement: Sql<R>, scope: RequestScope | undefined): Promise<R[]> {
    if (MENTIONS_LOG.test(statement.render().text)) {
      const records = this.takeRecords();
      if (records) this.mustSucceed(this.transaction.query(records));
    }
    return this.transaction.query(statement, scope);
  }

  private takeRecords(): ReturnType<typeof changeRecords> {
    return changeRecords(this.#unrecorded.splice(0), this.options.epoch);
  }

  private mustSucceed(stored: Promise<unknown>): void {
    stored.catch(() => undefined);
    this.#stored.push(stored);
  }

  private endScopes(hasCommitted: boolean): void {
    for (const end of this.#scopeEnds.splice(0)) end(hasCommitted);
  }
}
