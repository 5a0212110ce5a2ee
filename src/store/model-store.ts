import type { Row } from '../kernel/row.js';
import type { Resource } from '../kernel/resource.js';
import type { Sql } from '../kernel/sql.js';
import type { Change, Origin, Snapshot, Store, Transaction } from '../kernel/store-port.js';
import { databaseError, type Database } from './database.js';
import { PrismaTransaction } from './prisma-transaction.js';

const TRANSACTION_LIMITS = { maxWait: 5_000, timeout: 10_000 };

/** The store of one controller: reads by SQL, writes with their change records, news of both. */
export class ModelStore implements Store {
  readonly #listeners: ((changes: readonly Change[]) => void)[] = [];

  constructor(
    private readonly database: Database,
    private readonly resources: (name: string) => Resource,
    /** Raised by a restore and when the database moves to another server. */
    private readonly epoch: number,
  ) {}

  query(statement: Sql): Promise<Row[]> {
    return this.database.query(statement);
  }

  async snapshot(): Promise<Snapshot> {
    const snapshot = await this.database.snapshot();
    const store: Store = {
      query: (statement) => snapshot.query(statement),
      snapshot: () => this.snapshot(),
      write: (origin, work) => this.write(origin, work),
      onChange: (listener) => {
        this.onChange(listener);
      },
    };
    return { store, end: () => snapshot.end() };
  }

  async write<T>(origin: Origin, work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      const { result, changes } = await this.database.prisma.$transaction(async (client) => {
        const tx = new PrismaTransaction(client, origin);
        await tx.holdSession();
        const answer = await work(tx);
        await tx.writeChanges(this.resources, this.epoch);
        return { result: answer, changes: tx.changes };
      }, TRANSACTION_LIMITS);
      this.publish(changes);
      return result;
    } catch (error) {
      throw databaseError(error);
    }
  }

  onChange(listener: (changes: readonly Change[]) => void): void {
    this.#listeners.push(listener);
  }

  /** Tells the listeners; the change feed calls it for what other controllers wrote. */
  publish(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    for (const listener of this.#listeners) listener(changes);
  }
}
