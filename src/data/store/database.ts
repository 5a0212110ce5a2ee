import type { Writable } from 'node:stream';
import pg from 'pg';
import { ApiError, failure } from '../../base/errors.js';
import type { RequestScope } from '../../kernel/request/request-scope.js';
import { raw, sql, type Sql } from '../../base/sql.js';
import { DriverQuery } from './driver-query.js';
import { OpenTransaction, type Senders, type TransactionOptions } from './open-transaction.js';
import { VALUE_TYPES, type SendStatement } from '../prisma/connection-adapter.js';
import { ModelConnections, type ModelCallOptions } from '../prisma/model-connections.js';
import type { Models, ReadModels } from '../prisma/models.js';
import { isEnd, sendWithin } from './scoped-statement.js';
import { StatementNames } from './statement-names.js';

export interface DatabaseOptions {
  readonly url: string;
  /**
   * Whether a connection is one session of the server, in which named statements, settings and
   * LISTEN last. Behind a transaction pooler they end with each transaction.
   */
  readonly named: boolean;
  /** The most connections. */
  readonly connections?: number;
}

/**
 * Called with the text of a statement, without values; its result is called at the end of the
 * statement.
 */
type StatementWatch = (text: string) => ((isFailed: boolean) => void) | undefined;

/** Runs statements that all see the same state. */
export interface ReadSnapshot {
  query<R>(statement: Sql<R>): Promise<R[]>;
  model<T>(call: (models: ReadModels) => PromiseLike<T>): Promise<T>;
  end(): Promise<void>;
}

/** Limits statements and idle transactions, since both hold back the horizon of the change feed. */
const SETTINGS = {
  statement_timeout: '10000',
  idle_in_transaction_session_timeout: '5000',
  timezone: 'UTC',
};

/**
 * A snapshot writes nothing, so the change feed does not wait for it. It lasts while a client reads a
 * long list slowly: longer than such a client may read nothing at all.
 */
const SNAPSHOT_SETTINGS = { ...SETTINGS, idle_in_transaction_session_timeout: '60000' };

/**
 * The server keeps the plan of a named statement. One that it made while a table was small would read
 * the whole table also after it has grown, and all dead rows of a small one that is written all the
 * time, until the statistics are made anew: so it uses an index where there is one. It takes a
 * statement without an index as so costly then that it would compile it (before PostgreSQL 18).
 */
const PLAN_SETTINGS = { enable_seqscan: 'off', jit: 'off' };

/** The settings of the connections of a controller, as options of the driver. */
export const SESSION_SETTINGS = Object.entries({ ...SETTINGS, ...PLAN_SETTINGS })
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** Makes settings those of a transaction. */
const settingSql = (settings: Readonly<Record<string, string>>): Sql =>
  sql`select ${raw(
    Object.entries(settings)
      .map(([name, value]) => `set_config('${name}', '${value}', true)`)
      .join(', '),
  )}`;

/** Belongs to no request, so it is neither counted nor watched. */
const NOTIFY = 'notify ';

/** A little more than `statement_timeout`, for a server that does not answer at all. */
const SILENCE_MILLIS = 12_000;

const READ_ONLY = '25006';

const TRANSACTION = { begin: 'begin', limitMs: 10_000 };
/** Long exports read from one. */
const SNAPSHOT = {
  begin: 'begin isolation level repeatable read read only',
  preamble: settingSql(SNAPSHOT_SETTINGS),
  limitMs: Number.POSITIVE_INFINITY,
};

/** The connection pool of a controller. */
export class Database {
  readonly pool: pg.Pool;
  /** Number of statements sent; tests and the benchmark compare differences. */
  statements = 0;
  /** The settings at the start of each transaction, if the session can not keep them. */
  readonly preamble: Sql | undefined;
  /** Watches the statements of requests. */
  watch: StatementWatch | undefined;
  readonly #names: StatementNames | undefined;
  readonly #models: ModelConnections;
  readonly #senders: Senders = {
    send: (client, statement, scope) => this.send(client, statement, scope),
    call: (client, call, options) => this.#models.run(client, call, options),
  };

  constructor({ url, named, connections = 16 }: DatabaseOptions) {
    this.pool = new pg.Pool({
      connectionString: url,
      max: connections,
      // Poolers refuse connections that ask for settings.
      ...(named ? { options: SESSION_SETTINGS } : {}),
      connectionTimeoutMillis: 5_000,
      query_timeout: SILENCE_MILLIS,
      // Statements of a transaction need not wait for the answers of those before.
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      // Old connections are closed, and with them named statements that are no longer used.
      maxLifetimeSeconds: 900,
    });
    this.#names = named ? new StatementNames() : undefined;
    this.pool.on('connect', (client) => {
      this.attend(client);
    });
    this.endUnfit();
    // The pool replaces a broken idle connection; the next query fails if the server is gone.
    this.pool.on('error', () => undefined);
    this.preamble = named ? undefined : settingSql(SETTINGS);
    this.#models = new ModelConnections(this.sendOfModel);
  }

  /** Whether LISTEN and NOTIFY work. */
  get canListen(): boolean {
    return this.preamble === undefined;
  }

  /** Runs a statement; the end of the scope cancels it. */
  query<R>(statement: Sql<R>, scope?: RequestScope): Promise<R[]> {
    return converted(this.send(this.pool, statement, scope));
  }

  /** Calls a model, which sends one statement outside any transaction. */
  model<T>(
    call: (models: Models) => PromiseLike<T>,
    options: ModelCallOptions = { scope: undefined },
  ): Promise<T> {
    return converted(this.callOnce(call, options));
  }

  /** Wakes all who listen on a channel, outside of any transaction. */
  async notify(channel: string): Promise<void> {
    await converted(this.pool.query(NOTIFY + channel));
  }

  /**
   * Opens a connection whose statements all see the state of the first one. The server ends it when
   * it is idle for a minute.
   */
  async snapshot(scope?: RequestScope): Promise<ReadSnapshot> {
    const snapshot = await converted(this.open({ scope, ...SNAPSHOT }));
    return {
      query: (statement) => converted(snapshot.query(statement)),
      model: (call) => converted(snapshot.model(call)),
      end: () => snapshot.rollback(),
    };
  }

  /**
   * Begins a transaction on a connection of its own; the caller always ends it.
   * @throws Error as the driver gives it, see `databaseError`
   */
  begin(scope?: RequestScope): Promise<OpenTransaction> {
    return this.open({ scope, preamble: this.preamble, ...TRANSACTION });
  }

  /** Opens a session of the server beside the pool; the caller ends it. */
  async openSession(): Promise<pg.Client> {
    const client = new pg.Client(this.pool.options);
    // Without a listener the event would end the process.
    client.on('error', () => undefined);
    await converted(client.connect());
    return client;
  }

  async close(): Promise<void> {
    this.#models.close();
    await this.pool.end().catch(() => undefined);
  }

  private async send<R>(
    connection: pg.Pool | pg.PoolClient,
    statement: Sql<R>,
    scope: RequestScope | undefined,
  ): Promise<R[]> {
    const { text, values } = statement.render();
    const name = this.#names?.nameOf(statement, text);
    // Statements on a single connection are watched in `attend`.
    const onEnd = connection === this.pool ? this.watch?.(text) : undefined;
    const query = new DriverQuery({ text, values, name, scope });
    try {
      const { rows } = await resultOf(connection, query);
      onEnd?.(false);
      return rows as R[];
    } catch (error) {
      onEnd?.(true);
      // Else it would lead to the socket that gave the answer, not to those who asked.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    }
  }

  /** Sends the statement of a model; no client composes its text. */
  private readonly sendOfModel: SendStatement = (client, { text, values }, scope) => {
    const name = this.#names?.nameOf({ isComposed: false }, text);
    const query = new DriverQuery({ text, values, name, scope, listsOf: VALUE_TYPES });
    return resultOf(client, query) as Promise<pg.QueryArrayResult<unknown[]>>;
  };

  private async callOnce<T>(
    call: (models: Models) => PromiseLike<T>,
    options: ModelCallOptions,
  ): Promise<T> {
    const client = await this.pool.connect();
    try {
      const answer = await this.#models.run(client, call, options).answer;
      client.release();
      return answer;
    } catch (error) {
      // As the pool does for a statement that failed.
      client.release(true);
      throw error;
    }
  }

  private async open(options: TransactionOptions): Promise<OpenTransaction> {
    const client = await this.pool.connect();
    return new OpenTransaction(client, this.#senders, options);
  }

  /**
   * Closes connections instead of reusing them: to a server that refuses writes, as the old one
   * does after a failover; with an answer outstanding; with too many named statements.
   */
  private endUnfit(): void {
    const readOnly = new WeakSet<pg.PoolClient>();
    this.pool.on('connect', (client) => {
      // Without a listener the event would end the process; the next statement on the connection
      // fails.
      client.on('error', () => undefined);
      driverOf(client).connection.on('errorMessage', ({ code }: { code?: string }) => {
        if (code === READ_ONLY) readOnly.add(client);
      });
    });
    this.pool.on('release', (_, client) => {
      const { readyForQuery } = driverOf(client);
      if (readOnly.has(client) || !readyForQuery || this.#names?.isFull(client) === true) {
        void client.end().catch(() => undefined);
      }
    });
  }

  /** Wraps `query` of a client: counts each statement, and cancels it with its request. */
  private attend(client: pg.PoolClient): void {
    const driverSend = client.query.bind(client) as (...args: readonly unknown[]) => unknown;
    const send = (...args: readonly unknown[]): unknown => {
      const [query] = args;
      const hasReceiver = !(query instanceof DriverQuery) || typeof args.at(-1) === 'function';
      return hasReceiver ? driverSend(...args) : query.sendBy(driverSend);
    };
    client.query = ((...args: unknown[]) => {
      if (textOf(args[0]).startsWith(NOTIFY)) return send(...args);
      this.statements += 1;
      this.noteName(client, args[0]);
      const scope = scopeOf(args);
      const isBound = scope && !isEnd(args[0]);
      writeTogether(driverOf(client).connection.stream);
      const answer = isBound ? sendWithin(scope, client, send, args) : send(...args);
      if (!(answer instanceof Promise)) return answer;
      answer.catch(endIfSilent(client));
      if (this.watch) reportEnd(this.watch(textOf(args[0])), answer);
      return answer;
    }) as typeof client.query;
  }

  private noteName(client: pg.PoolClient, statement: unknown): void {
    if (!(statement instanceof DriverQuery)) return;
    const { name, text } = statement;
    if (name !== undefined) this.#names?.sent(client, name, text);
  }
}

/** Members of a driver client that its types do not declare. */
interface DriverClient {
  readonly readyForQuery: boolean;
  readonly connection: NodeJS.EventEmitter & { readonly stream: Writable };
}

const driverOf = (client: pg.PoolClient): DriverClient => client as unknown as DriverClient;

/** Sends what is written to a stream now and before the next turn of the event loop in one piece. */
function writeTogether(stream: Writable): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => {
    stream.uncork();
  });
}

/**
 * Closes a connection without an answer, so that a following rollback does not wait as long again.
 */
const endIfSilent =
  (client: pg.PoolClient) =>
  (error: unknown): void => {
    if (isSilence(error)) driverOf(client).connection.stream.destroy();
  };

const isSilence = (error: unknown): boolean =>
  // eslint-disable-next-line no-restricted-syntax -- the driver gives its own errors no code
  error instanceof Error && error.message === 'Query read timeout';

/** The text of a query, which the driver accepts as a text or as an object. */
const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : String((query as { text?: unknown }).text);

/** Reports the end of a statement. The pool itself uses callbacks, which `send` reports. */
function reportEnd(onEnd: ReturnType<StatementWatch>, sent: Promise<unknown>): void {
  if (!onEnd) return;
  sent.then(
    () => {
      onEnd(false);
    },
    () => {
      onEnd(true);
    },
  );
}

const scopeOf = ([statement]: readonly unknown[]): RequestScope | undefined =>
  statement instanceof DriverQuery ? statement.scope : undefined;

/** Sends a statement; `attend` gives the promise of a single connection. */
const resultOf = (
  connection: pg.Pool | pg.PoolClient,
  query: DriverQuery,
): Promise<pg.QueryResult> => connection.query(query) as unknown as Promise<pg.QueryResult>;

/**
 * Error codes of SQL: too many connections, a server that stops, starts or is read-only, a deadlock;
 * a transaction or a session that the server ended for its age, before it read the statement; a server
 * that no longer lets the controller in, or has no such database.
 */
const UNAVAILABLE = new Set([
  ...['53300', '57P01', '57P02', '57P03', '25006', '53100', '40001', '40P01'],
  ...['25P03', '25P04', '57P05', '28000', '28P01', '3D000', '57P04'],
]);

/**
 * The system calls that make a connection. An error of one of them means that there is none, whatever
 * its code: it is EAGAIN if a server stands still and no more connections may wait for it.
 */
const CONNECTING = new Set(['connect', 'getaddrinfo']);

/** Codes of the network; `LOST_TEXT` matches messages of the driver, which has no codes. */
const LOST = new Set([
  ...['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'ENETRESET'],
]);
const LOST_TEXT = /Connection terminated|Query read timeout|is not queryable/;

/** Messages of the pool. */
const NO_CONNECTION = /timeout exceeded when trying to connect|after calling end on the pool/;

/** The code of a statement that took too long. */
const TIMEOUT = '57014';

/** Codes for NUL in a text or in JSON that input checks did not see, such as from a certificate. */
const UNSTORABLE = new Set(['22021', '22P05']);
const UNSTORABLE_TEXT = 'a text holds NUL, which can not be stored';

/** Raised by `change_is_kept` when the change log does not go back far enough. */
const NOT_KEPT = 'OG410';

const converted = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    throw databaseError(error);
  });

/**
 * Converts a database error to the error for clients; an unexpected one is returned unchanged. Clients
 * do not see the `cause` of one, but logs do.
 */
export function databaseError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === NOT_KEPT) return failure('HISTORY_NOT_KEPT');
  if (UNSTORABLE.has(code)) return failure('COULD_NOT_VALIDATE', UNSTORABLE_TEXT);
  if (code === TIMEOUT) return failure('TIMEOUT');
  const isUnavailable = UNAVAILABLE.has(code) || hasNoConnection(error) || isConnectionLost(error);
  return isUnavailable ? new ApiError('UNAVAILABLE', undefined, { cause: error }) : error;
}

/** Whether the statement was not sent, for want of a connection. */
function hasNoConnection(error: unknown): boolean {
  // Of a host with several addresses, one error for each.
  if (error instanceof AggregateError) return error.errors.every(hasNoConnection);
  const syscall = error instanceof Error && 'syscall' in error ? error.syscall : undefined;
  return CONNECTING.has(String(syscall)) || NO_CONNECTION.test(textIn(error));
}

/**
 * Codes of a deadlock or a conflict with another transaction: the whole transaction was rolled back
 * and can run again.
 */
const VICTIM = new Set(['40P01', '40001']);

export const isVictim = (error: unknown): boolean => VICTIM.has(codeOf(error));

/** Whether the connection broke, so that the outcome of its statement is unknown. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  return LOST.has(code) || code.startsWith('08') || LOST_TEXT.test(textIn(error));
}

const textIn = (error: unknown): string => (error instanceof Error ? error.message : '');

/** The code of the server or of the network; empty for other errors. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
