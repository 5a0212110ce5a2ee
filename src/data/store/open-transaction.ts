import type pg from 'pg';
import { failure } from '../../base/errors.js';
import type { Sql } from '../../base/sql.js';
import { together } from '../../base/together.js';
import type { RequestScope } from '../../kernel/request/request-scope.js';
import type { ModelCallOptions, ModelConnections } from '../prisma/model-connections.js';
import type { Models } from '../prisma/models.js';

/** Send statements on one connection; the end of the scope cancels them. */
export interface Senders {
  send<R>(client: pg.PoolClient, statement: Sql<R>, scope: RequestScope | undefined): Promise<R[]>;
  /** Calls a model, which sends one statement. */
  readonly call: ModelConnections['run'];
}

export interface TransactionOptions {
  /** `begin`, with the properties of the transaction. */
  readonly begin: string;
  /** The first statement of each transaction. */
  readonly preamble: Sql | undefined;
  /** It may send statements for so long. */
  readonly limitMs: number;
  /** The scope of the request that it belongs to. */
  readonly scope: RequestScope | undefined;
}

/**
 * A transaction on a connection of the pool, which it gives back at its end. Statements are sent at
 * once, without waiting for the answers of those before, and in the order in which they are given: a
 * model needs some turns of the event loop until its statement is sent, and those after it wait for
 * that. After a failed statement only the rollback follows. Errors are those of the driver
 * (`databaseError` converts them).
 */
export class OpenTransaction {
  readonly #deadline: number;
  readonly #scope: RequestScope | undefined;
  readonly #begun: Promise<unknown>;
  /** Resolves when the statements of all models are sent; undefined if they are. */
  #modelsSent: Promise<void> | undefined;
  #end: Promise<void> | undefined;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly senders: Senders,
    { begin, preamble, limitMs, scope }: TransactionOptions,
  ) {
    this.#deadline = performance.now() + limitMs;
    this.#scope = scope;
    // Sent even if the time of the request is up, since all that follows depends on it.
    this.#begun = client.query(begin);
    this.#begun.catch(() => undefined);
    if (preamble) senders.send(client, preamble, undefined).catch(() => undefined);
  }

  /** Sends a statement; the end of `scope` cancels it, by default that of the transaction. */
  query<R>(statement: Sql<R>, scope = this.#scope): Promise<R[]> {
    if (this.isClosed) return Promise.reject(failure('TIMEOUT'));
    return this.inOrder(() => this.senders.send(this.client, statement, scope));
  }

  /** Calls a model, which sends one statement; the end of `scope` cancels it. */
  model<T>(
    call: (models: Models) => PromiseLike<T>,
    { scope = this.#scope, onStatement }: Partial<ModelCallOptions> = {},
  ): Promise<T> {
    if (this.isClosed) return Promise.reject(failure('TIMEOUT'));
    return new Promise((resolve, reject) => {
      const allSent = this.inOrder(() => {
        const { sent, answer } = this.senders.call(this.client, call, { scope, onStatement });
        answer.then(resolve, reject);
        return sent;
      });
      this.#modelsSent = allSent;
      // Before the statements that wait for it, so that none given later overtakes them.
      void allSent.then(() => {
        if (this.#modelsSent === allSent) this.#modelsSent = undefined;
      });
    });
  }

  /**
   * Commits. `last` is a statement that is sent together with the commit; if it fails, the
   * transaction is rolled back. Gives the rows of that statement.
   */
  async commit<R>(last?: Sql<R>): Promise<R[]> {
    while (this.#modelsSent) await this.#modelsSent;
    // Decided for both, since a commit without its last statement must not be sent.
    if (this.isClosed || this.#scope?.maySend === false) throw failure('TIMEOUT');
    const rows = last ? this.query(last) : Promise.resolve([]);
    await together<unknown>([this.#begun, rows, this.end('commit')]);
    return rows;
  }

  /** Ends the transaction without effect, unless it has ended; it never fails. */
  rollback(): Promise<void> {
    return (this.#end ?? this.end('rollback')).catch(() => undefined);
  }

  private get isClosed(): boolean {
    return this.#end !== undefined || performance.now() > this.#deadline;
  }

  private end(ending: 'commit' | 'rollback'): Promise<void> {
    this.#end = this.inOrder(() => this.client.query(ending)).then(
      ({ command }) => {
        this.client.release();
        // The server answers so to the commit of a transaction in which a statement failed.
        if (ending === 'commit' && command === 'ROLLBACK') throw new Error('rolled back');
      },
      (error: unknown) => {
        this.client.release(true);
        throw error;
      },
    );
    return this.#end;
  }

  /** Sends at once, unless a model before has not sent its statement. */
  private inOrder<T>(send: () => Promise<T>): Promise<T> {
    return this.#modelsSent ? this.#modelsSent.then(send) : send();
  }
}
