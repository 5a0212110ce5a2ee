import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { failure } from '../base/errors.js';
import { currentScope, type RequestScope } from '../kernel/request/request-scope.js';
import { raw, sql, type Sql } from '../base/sql.js';
import { PrismaClient } from './generated/client.js';
import { isEnd, sendWithin, type ScopedStatement } from './scoped-statement.js';
import { StatementNames } from './statement-names.js';

export interface DatabaseOptions {
  readonly url: string;
  /**
   * Whether a connection is one session of the server: named statements keep their plans there, and
   * settings and LISTEN last. Behind a transaction pooler nothing outlives a transaction.
   */
  readonly named: boolean;
  readonly connections?: number;
}

/** Hears of a statement, without its values; what it gives back is called at the end of it. */
type StatementWatch = (text: string) => ((isFailed: boolean) => void) | undefined;

/** Statements that all see the same state. */
export interface ReadSnapshot {
  query<R>(statement: Sql<R>): Promise<R[]>;
  end(): Promise<void>;
}

/** No statement and no idle transaction may hold the horizon of the change feed for long. */
const SETTINGS = [
  ['statement_timeout', '10000'],
  ['idle_in_transaction_session_timeout', '5000'],
  ['timezone', 'UTC'],
] as const;

const SESSION_SETTINGS = SETTINGS.map(([name, value]) => `-c ${name}=${value}`).join(' ');

const TRANSACTION_SETTINGS = SETTINGS.map(
  ([name, value]) => `set_config('${name}', '${value}', true)`,
).join(', ');

/** A little more than the server allows a statement: for a server that does not even say so. */
const SILENCE_MILLIS = 12_000;

const READ_ONLY = '25006';

/** One pool for everything: the hot raw reads and Prisma's transactions share it. */
export class Database {
  readonly pool: pg.Pool;
  readonly prisma: PrismaClient;
  /** Statements sent so far; tests and the benchmark take differences. */
  statements = 0;
  /** What a transaction has to say first, where the session could not be told. */
  readonly preamble: Sql | undefined;
  /** Hears of what requests send. */
  watch: StatementWatch | undefined;
  readonly #names: StatementNames | undefined;

  constructor({ url, named, connections = 16 }: DatabaseOptions) {
    this.pool = new pg.Pool({
      connectionString: url,
      max: connections,
      // Poolers refuse connections that ask for settings.
      ...(named ? { options: SESSION_SETTINGS } : {}),
      connectionTimeoutMillis: 5_000,
      query_timeout: SILENCE_MILLIS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      // Old connections go, and with them statements that nobody sends any more.
      maxLifetimeSeconds: 900,
    });
    this.#names = named ? new StatementNames() : undefined;
    this.pool.on('connect', (client) => {
      this.attend(client);
    });
    this.endUnfit();
    // An idle connection that breaks is replaced; the next query tells if the server is gone.
    this.pool.on('error', () => undefined);
    this.prisma = new PrismaClient({
      adapter: new PrismaPg(this.pool),
      // Messages without the values of the call: they are logged.
      errorFormat: 'minimal',
    });
    this.preamble = named ? undefined : sql`select ${raw(TRANSACTION_SETTINGS)}`;
  }

  /** Whether the server can wake us. */
  get canListen(): boolean {
    return this.preamble === undefined;
  }

  /** Loads what Prisma works with, for which the first write would wait otherwise. */
  prepareWrites(): Promise<void> {
    return this.prisma.$connect();
  }

  query<R>(statement: Sql<R>): Promise<R[]> {
    return this.send(this.pool, statement);
  }

  /**
   * A connection on which every statement sees the database as it was at the first. The server ends
   * it when it idles for longer than the session settings allow.
   */
  async snapshot(): Promise<ReadSnapshot> {
    const client = await this.pool.connect().catch((error: unknown) => {
      throw databaseError(error);
    });
    // A connection that breaks shows it at its next statement; unheard, the event would end us.
    const ignore = (): void => undefined;
    client.on('error', ignore);
    let ended: Promise<void> | undefined;
    const end = async (): Promise<void> => {
      const failed = await client.query('rollback').then(
        () => false,
        () => true,
      );
      if (!failed) client.off('error', ignore);
      client.release(failed);
    };
    const snapshot: ReadSnapshot = {
      query: (statement) => this.send(client, statement),
      end: () => (ended ??= end()),
    };
    try {
      await client.query('begin isolation level repeatable read read only');
      if (this.preamble) await snapshot.query(this.preamble);
      return snapshot;
    } catch (error) {
      await snapshot.end();
      throw databaseError(error);
    }
  }

  async close(): Promise<void> {
    await this.prisma.$disconnect();
    await this.pool.end().catch(() => undefined);
  }

  private async send<R>(on: pg.Pool | pg.PoolClient, statement: Sql<R>): Promise<R[]> {
    const { text, values } = statement.render();
    const name = this.#names?.nameOf(statement, text);
    // What is sent on a connection is heard of there.
    const ended = on === this.pool ? this.watch?.(text) : undefined;
    const scope = currentScope() ?? null;
    const query: pg.QueryConfig & ScopedStatement =
      name === undefined ? { text, values, scope } : { name, text, values, scope };
    try {
      const { rows } = await on.query<R & pg.QueryResultRow>(query);
      ended?.(false);
      return rows;
    } catch (error) {
      ended?.(true);
      throw databaseError(error);
    }
  }

  /**
   * Ends connections instead of using them again: to a server that refuses writes, which is no
   * longer the right one after a failover, those on which an answer is still to come, and those
   * that have kept too many statements.
   */
  private endUnfit(): void {
    const readOnly = new WeakSet<pg.PoolClient>();
    this.pool.on('connect', (client) => {
      // Unheard, the event would end us; whoever uses the connection sees it at the next statement.
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

  /** Every statement passes here: it is counted, and bound to the request that it is sent for. */
  private attend(client: pg.PoolClient): void {
    const send = client.query.bind(client) as (...args: readonly unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      this.statements += 1;
      this.noteName(client, args[0]);
      const scope = scopeOf(args);
      const isBound = scope && !isEnd(args[0]);
      const answer = isBound ? sendWithin(scope, client, send, args) : send(...args);
      if (!(answer instanceof Promise)) return answer;
      answer.catch(endIfSilent(client));
      if (this.watch) hear(this.watch(textOf(args[0])), answer);
      return answer;
    }) as typeof client.query;
  }

  private noteName(client: pg.PoolClient, statement: unknown): void {
    if (typeof statement !== 'object') return;
    const { name, text } = statement as pg.QueryConfig;
    if (name !== undefined) this.#names?.sent(client, name, text);
  }
}

/** What a client of the driver has and does not declare. */
interface DriverClient {
  readonly readyForQuery: boolean;
  readonly connection: NodeJS.EventEmitter & { readonly stream: { destroy(): void } };
}

const driverOf = (client: pg.PoolClient): DriverClient => client as unknown as DriverClient;

/** Nothing that waits behind the statement, such as the rollback, is to wait as long again. */
const endIfSilent =
  (client: pg.PoolClient) =>
  (error: unknown): void => {
    if (isSilence(error)) driverOf(client).connection.stream.destroy();
  };

const isSilence = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Query read timeout';

/** As the driver takes it: the text itself, or with its values. */
const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : String((query as { text?: unknown }).text);

/** The pool itself sends by callbacks, and not by promises: that is heard of elsewhere. */
function hear(ended: ReturnType<StatementWatch>, sent: Promise<unknown>): void {
  if (!ended) return;
  sent.then(
    () => {
      ended(false);
    },
    () => {
      ended(true);
    },
  );
}

function scopeOf(args: readonly unknown[]): RequestScope | null | undefined {
  const statement = args[0] as Partial<ScopedStatement> | string;
  if (typeof statement === 'object' && statement.scope !== undefined) return statement.scope;
  // The pool calls back in whatever context is current.
  return typeof args.at(-1) === 'function' ? undefined : currentScope();
}

/**
 * States of SQL, of the network and of Prisma that pass: too many connections, a server that stops,
 * starts or is read-only, a deadlock, a pool without a free connection.
 */
const UNAVAILABLE = new Set([
  ...['53300', '57P01', '57P02', '57P03', '25006', '53100', '40001', '40P01'],
  ...['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['P1001', 'P2024', 'P2034'],
  ...['DatabaseNotReachable', 'TlsConnectionError', 'TooManyConnections'],
]);

/** Codes of the network and words of the adapter of Prisma, and texts of the driver, which has no codes. */
const LOST = new Set([
  ...['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'P1017'],
  ...['ConnectionClosed', 'SocketTimeout'],
]);
const LOST_TEXT = /Connection terminated|Query read timeout|is not queryable/;

/** Of the pool. */
const NO_CONNECTION = /timeout exceeded when trying to connect|after calling end on the pool/;

/** A statement, or a transaction as a whole, that took too long. */
const TIMEOUT = new Set(['57014', 'P2028']);

/** NUL in a text or in JSON that came past the doors, such as from a certificate. */
const UNSTORABLE = new Set(['22021', '22P05']);
const UNSTORABLE_TEXT = 'a text holds NUL, which can not be stored';

/** Of the functions that look whether the change log goes back far enough. */
const NOT_KEPT = 'OG410';

/** What a fault of the database means to a client; anything unexpected stays as it is. */
export function databaseError(error: unknown): unknown {
  const codes = codesOf(error);
  if (codes.includes(NOT_KEPT)) return failure('HISTORY_NOT_KEPT');
  if (codes.some((code) => UNSTORABLE.has(code))) {
    return failure('COULD_NOT_VALIDATE', UNSTORABLE_TEXT);
  }
  if (codes.some((code) => TIMEOUT.has(code))) return failure('TIMEOUT');
  const isPassing =
    codes.some((code) => UNAVAILABLE.has(code)) || NO_CONNECTION.test(textIn(error));
  return isPassing || isConnectionLost(error) ? failure('UNAVAILABLE') : error;
}

/** A deadlock, or a conflict with another transaction: all of it was rolled back, and can be done again. */
const VICTIM = new Set(['40P01', '40001', 'P2034']);

export const isVictim = (error: unknown): boolean =>
  codesOf(error).some((code) => VICTIM.has(code));

/** Whether the connection broke, so that nobody knows what became of the statement on it. */
export const isConnectionLost = (error: unknown): boolean =>
  codesOf(error).some((code) => LOST.has(code) || code.startsWith('08')) ||
  LOST_TEXT.test(textIn(error));

const textIn = (error: unknown): string => (error instanceof Error ? error.message : '');

/** What the adapter of Prisma tells of an error: the code of the server, or a word of its own. */
interface AdapterCause {
  readonly originalCode?: unknown;
  readonly kind?: unknown;
}

/** That of the server and the word of the adapter, which Prisma wraps, and the error's own. */
function codesOf(error: unknown): string[] {
  const { code, meta, cause } = error as {
    code?: unknown;
    cause?: AdapterCause;
    meta?: { driverAdapterError?: { cause?: AdapterCause } };
  };
  const adapted = meta?.driverAdapterError?.cause ?? cause;
  const codes = [adapted?.originalCode, adapted?.kind, code];
  return codes.filter((one): one is string => typeof one === 'string');
}
