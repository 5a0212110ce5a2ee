import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { failure } from '../kernel/errors.js';
import type { Row } from '../kernel/row.js';
import type { Sql } from '../kernel/sql.js';
import { PrismaClient } from './generated/client.js';

export interface DatabaseOptions {
  readonly url: string;
  /** Named statements keep their plans on the server; transaction poolers want them off. */
  readonly named: boolean;
  readonly connections?: number;
}

/** Statements that all see the same state. */
export interface ReadSnapshot {
  query(statement: Sql): Promise<Row[]>;
  end(): Promise<void>;
}

/** No statement and no idle transaction may hold the horizon of the change feed for long. */
const SESSION_SETTINGS =
  '-c statement_timeout=10000 -c idle_in_transaction_session_timeout=5000 -c timezone=UTC';

const NAMED_STATEMENTS = 500;

/** One pool for everything: the hot raw reads and Prisma's transactions share it. */
export class Database {
  readonly pool: pg.Pool;
  readonly prisma: PrismaClient;
  /** Statements sent so far; tests and the benchmark take differences. */
  statements = 0;
  readonly #named: LRUCache<string, string> | undefined;

  constructor({ url, named, connections = 16 }: DatabaseOptions) {
    this.pool = new pg.Pool({
      connectionString: url,
      max: connections,
      options: SESSION_SETTINGS,
      connectionTimeoutMillis: 5_000,
      // Old connections go, and with them statements that nobody sends any more.
      maxLifetimeSeconds: 900,
    });
    this.pool.on('connect', (client) => {
      this.count(client);
    });
    // An idle connection that breaks is replaced; the next query tells if the server is gone.
    this.pool.on('error', () => undefined);
    this.prisma = new PrismaClient({
      adapter: new PrismaPg(this.pool),
      // Messages without the values of the call: they are logged.
      errorFormat: 'minimal',
    });
    this.#named = named ? new LRUCache({ max: NAMED_STATEMENTS }) : undefined;
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
    try {
      const { rows } = await on.query<Row>(
        name === undefined ? { text, values } : { name, text, values },
      );
      return rows;
    } catch (error) {
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

  private count(client: pg.PoolClient): void {
    const send = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      this.statements += 1;
      return send(...args);
    }) as typeof client.query;
  }
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

/** What a fault of the database means to a client; anything unexpected stays as it is. */
export function databaseError(error: unknown): unknown {
  const code = codeOf(error);
  if (TIMEOUT.has(code)) return failure('TIMEOUT');
  if (UNAVAILABLE.has(code) || code.startsWith('08')) return failure('UNAVAILABLE');
  if (
    error instanceof Error &&
    /timeout exceeded when trying to connect|Connection terminated/.test(error.message)
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
