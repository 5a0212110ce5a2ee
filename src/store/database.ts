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
    this.prisma = new PrismaClient({ adapter: new PrismaPg(this.pool) });
    this.#named = named ? new LRUCache({ max: NAMED_STATEMENTS }) : undefined;
  }

  async query(statement: Sql): Promise<Row[]> {
    const { text, values } = statement.render();
    const name = this.nameOf(text);
    try {
      const result = await this.pool.query<Row>(
        name === undefined ? { text, values } : { name, text, values },
      );
      return result.rows;
    } catch (error) {
      throw databaseError(error);
    }
  }

  async close(): Promise<void> {
    await this.prisma.$disconnect();
    await this.pool.end().catch(() => undefined);
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

const UNAVAILABLE = new Set(['53300', '57P01', '57P02', '57P03', '25006', '53100']);
const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT']);

/** What a fault of the database means to a client; anything unexpected stays as it is. */
export function databaseError(error: unknown): unknown {
  const code = (error as { code?: unknown }).code;
  if (code === '57014') return failure('TIMEOUT');
  if (
    typeof code === 'string' &&
    (UNAVAILABLE.has(code) || NETWORK.has(code) || code.startsWith('08'))
  ) {
    return failure('UNAVAILABLE');
  }
  if (
    error instanceof Error &&
    /timeout exceeded when trying to connect|Connection terminated/.test(error.message)
  ) {
    return failure('UNAVAILABLE');
  }
  return error;
}
