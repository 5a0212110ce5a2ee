import type { Row } from '../kernel/row.js';
import type { Resource } from '../kernel/resource.js';
import type { Sql } from '../kernel/sql.js';
import type {
  Change,
  ChangeListener,
  Origin,
  Snapshot,
  Store,
  Transaction,
} from '../kernel/store-port.js';
import { databaseError, type Database } from './database.js';
import { Snapshots, type SnapshotParts } from './snapshot/index.js';
import { PrismaTransaction } from './prisma-transaction.js';

const TRANSACTION_LIMITS = { maxWait: 5_000, timeout: 10_000 };

/** The store of one controller: reads by SQL, writes with their change records, news of both. */
export class ModelStore implements Store {
  readonly #listeners: ChangeListener[] = [];
  /** What was written here: the feed brings it again. */
  readonly #own = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly resources: (name: string) => Resource | undefined,
    /** Raised by a restore and when the database moves to another server. */
    private readonly epoch: number,
    /** Hears of faults of listeners: what was written stays written. */
    private readonly onError: (error: unknown) => void = () => undefined,
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
    let logged: readonly Change[] = [];
    try {
      const { result, changes } = await this.database.prisma.$transaction(async (client) => {
        const tx = new PrismaTransaction(client, origin);
        await tx.holdSession();
        const answer = await work(tx);
        logged = await tx.writeChanges(this.resources, this.epoch);
        // Before the commit, since the feed may be faster than the answer to it.
        for (const change of logged) this.#own.add(keyOf(change));
        return { result: answer, changes: tx.changes };
      }, TRANSACTION_LIMITS);
      await this.publish(changes);
      return result;
    } catch (error) {
      for (const change of logged) this.#own.delete(keyOf(change));
      throw databaseError(error);
    }
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** Snapshots of this database into files. */
  snapshots(parts: Omit<SnapshotParts, 'pool'>): Snapshots {
    return new Snapshots({ ...parts, pool: this.database.pool });
  }

  /** What the feed read: of that, listeners know what was written here. */
  async deliver(changes: readonly Change[]): Promise<void> {
    await this.publish(changes.filter((change) => !this.#own.delete(keyOf(change))));
  }

  private async publish(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return;
    const settling = this.#listeners.map(async (listener) => listener(changes));
    for (const { status, ...outcome } of await Promise.allSettled(settling)) {
      if (status === 'rejected' && 'reason' in outcome) this.onError(outcome.reason);
    }
  }
}

/** Revisions of one id only grow, so that this is said once. */
const keyOf = ({ resource, id, revision, operation }: Change): string =>
  `${resource} ${id} ${String(revision)} ${operation}`;
