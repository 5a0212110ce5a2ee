import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { failure } from '../kernel/errors.js';
import { currentScope, type RequestScope } from '../kernel/request-scope.js';
import type { Row } from '../kernel/row.js';
import { raw, sql, type Sql } from '../kernel/sql.js';
import { PrismaClient } from './generated/client.js';
import { isEnd, sendWithin, type ScopedStatement } from './scoped-statement.js';

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
  query(statement: Sql): Promise<Row[]>;
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

const NAMED_STATEMENTS = 500;

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
  readonly #named: LRUCache<string, string> | undefined;

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
    this.#named = named ? new LRUCache({ max: NAMED_STATEMENTS }) : undefined;
  }

  /** Whether the server can wake us. */
  get canListen(): boolean {
    return this.preamble === undefined;
  }

  query(statement: Sql): Promise<Row[]> {
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

  private async send(on: pg.Pool | pg.PoolClient, statement: Sql): Promise<Row[]> {
    const { text, values } = statement.render();
    const name = this.nameOf(text);
    // What is sent on a connection is heard of there.
    const ended = on === this.pool ? this.watch?.(text) : undefined;
    const scope = currentScope() ?? null;
    const query: pg.QueryConfig & ScopedStatement =
      name === undefined ? { text, values, scope } : { name, text, values, scope };
    try {
      const { rows } = await on.query<Row>(query);
      ended?.(false);
      return rows;
    } catch (error) {
      ended?.(true);
      throw databaseError(error);
    }
  }

  private nameOf(text: string): string | undefined {
    if (!this.#named) return undefined;
    const known = this.#named.get(text);
    if (known !== undefined) return known;
    const name = createHash('sha1').update(text).digest('base64url');
    this.#named.set(text, name);
    return name;
  }

  /**
   * Ends connections instead of using them again: to a server that refuses writes, which is no
   * longer the right one after a failover, and those on which an answer is still to come.
   */
  private endUnfit(): void {
    const readOnly = new WeakSet<pg.PoolClient>();
    this.pool.on('connect', (client) => {
      // Unheard, the event would end us; whoever uses the connection sees it at the next statement.
      client.on('error', () => undefined);
      connectionOf(client).on('errorMessage', ({ code }: { code?: string }) => {
        if (code === READ_ONLY) readOnly.add(client);
      });
    });
    this.pool.on('release', (_, client) => {
      const { readyForQuery } = client as unknown as { readyForQuery: boolean };
      if (readOnly.has(client) || !readyForQuery) void client.end().catch(() => undefined);
    });
  }

  /** Every statement passes here: it is counted, and bound to the request that it is sent for. */
  private attend(client: pg.PoolClient): void {
    const send = client.query.bind(client) as (...args: readonly unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      this.statements += 1;
      const scope = scopeOf(args);
      const isBound = scope && !isEnd(args[0]);
      const answer = isBound ? sendWithin(scope, client, send, args) : send(...args);
      if (!(answer instanceof Promise)) return answer;
      answer.catch(endIfSilent(client));
      if (this.watch) hear(this.watch(textOf(args[0])), answer);
      return answer;
    }) as typeof client.query;
  }
}

const connectionOf = (
  client: pg.PoolClient,
): NodeJS.EventEmitter & { readonly stream: { destroy(): void } } =>
  (client as unknown as { connection: NodeJS.EventEmitter & { stream: { destroy(): void } } })
    .connection;

/** Nothing that waits behind the statement, such as the rollback, is to wait as long again. */
const endIfSilent =
  (client: pg.PoolClient) =>
  (error: unknown): void => {
    if (isSilence(error)) connectionOf(client).stream.destroy();
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
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'],
  ...['P1001', 'P1017', 'P2024', 'P2034'],
]);

/** A statement, or a transaction as a whole, that took too long. */
const TIMEOUT = new Set(['57014', 'P2028']);

/** Of the functions that look whether the change log goes back far enough. */
const NOT_KEPT = 'OG410';

/** What a fault of the database means to a client; anything unexpected stays as it is. */
export function databaseError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === NOT_KEPT) return failure('HISTORY_NOT_KEPT');
  if (TIMEOUT.has(code)) return failure('TIMEOUT');
  if (UNAVAILABLE.has(code) || code.startsWith('08')) return failure('UNAVAILABLE');
  if (
    error instanceof Error &&
    /timeout exceeded when trying to connect|Connection terminated|Query read timeout/.test(
      error.message,
    )
  ) {
    return failure('UNAVAILABLE');
  }
  return error;
}

/** That of the server, which Prisma wraps for raw statements, or the error's own. */
function codeOf(error: unknown): string {
  const { code, meta } = error as {
    code?: unknown;
    meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } };
  };
  const own = meta?.driverAdapterError?.cause?.originalCode ?? code;
  return typeof own === 'string' ? own : '';
}
