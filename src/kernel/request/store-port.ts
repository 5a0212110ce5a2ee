import type { Resource } from '../declare/resource.js';
import type {
  LoggedOf,
  MatchOf,
  NewRowOf,
  ResourceName,
  RowOf,
  ValuesOf,
} from '../declare/rows.js';
import type { Queryable, Sql } from '../../base/sql.js';
import type { Models, ReadModels } from '../../data/prisma/models.js';
import type { RequestScope } from './request-scope.js';

export type Operation = 'create' | 'update' | 'delete';

/** One entry of the change log. */
export interface Change<N extends string = string> {
  readonly resource: string;
  readonly id: string;
  readonly operation: Operation;
  /** The revision of the entity after the change; a deletion adds one. */
  readonly revision: number;
  readonly before: LoggedOf<N> | null;
  readonly after: LoggedOf<N> | null;
  /** Time of its transaction, from the clock of the controller that wrote it. */
  readonly at: Date;
}

/** Whether a change is one of an entity of this resource. */
export const isChangeOf = <N extends ResourceName>(name: N, change: Change): change is Change<N> =>
  change.resource === name;

/** Checks the changes of a transaction before its commit; throws to refuse them. */
export type CommitGuard = (tx: Transaction, changes: readonly PendingChange[]) => Promise<void>;
/**
 * A position in the change log that sorts as text: epoch, transaction and sequence in hexadecimal
 * digits. It is also the id of the change.
 */
export type Cursor = string;

/** A change in the log, with its origin. */
export interface LoggedChange extends Change, Readonly<Omit<Origin, 'at'>> {
  readonly cursor: Cursor;
  /** The identity that caused it, while the identity exists. */
  readonly actor: { readonly id: string; readonly name: string } | null;
  /** The approximate size of its states in bytes. */
  readonly size: number;
}

/** The change log as its readers see it: only changes that no later commit can precede. */
export interface ChangeLog {
  /** The current end of the log: every later commit comes after it. */
  horizon(): Promise<Cursor>;
  /**
   * The changes after a position, in order and without gaps. The empty cursor is the start of the
   * stored log.
   * @throws ApiError HISTORY_NOT_KEPT
   */
  following(cursor: Cursor, limit: number): Promise<readonly LoggedChange[]>;
}

/** Called with changes after their commit; the answer to the writer waits for the promise. */
export type ChangeListener = (changes: readonly Change[]) => void | Promise<void>;

/** The origin of the changes of a transaction. */
export interface Origin {
  readonly actorId: string | null;
  readonly apiSessionId: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly importId: string | null;
  /** The caller's reason, for the change log. */
  readonly reason?: string | null;
  /** Whether the caller may violate access rules, for that reason. */
  readonly overridesRules?: boolean;
  readonly at: Date;
  /** The rights that the write assumes; it is refused if the API session no longer has them. */
  readonly rights?: Rights;
}

export interface Rights {
  readonly isAdmin: boolean;
  readonly permissions: readonly string[];
}

/**
 * Reads and writes rows by models, or by statements that models can not say: the store or one of its
 * transactions. Each call sends one statement.
 */
export interface Rows extends Queryable {
  readModel<T>(call: (models: ReadModels) => PromiseLike<T>): Promise<T>;
  writeModel<T>(call: (models: Models) => PromiseLike<T>): Promise<T>;
}

/** The write side: one database transaction together with its change records. */
export interface Transaction extends Rows {
  readonly origin: Origin;
  /** Rows with all stored attributes. */
  find<N extends string>(resource: Resource<N>, match: MatchOf<N>): Promise<RowOf<N>[]>;
  /** The row with all stored attributes, locked for writing; undefined if there is none. */
  lockRow<N extends string>(resource: Resource<N>, id: string): Promise<RowOf<N> | undefined>;
  /** Gives the ids that exist and locks them against deletion until commit. */
  hold(resource: Resource, ids: readonly string[]): Promise<string[]>;
  /** Locks rows for writing; gives those that exist, with all stored attributes. */
  lock<N extends string>(resource: Resource<N>, ids: readonly string[]): Promise<RowOf<N>[]>;
  /*
   * The answer to a write may come later: a write that fails lets the transaction fail at its next
   * statement or at the commit, with the error of the write.
   */
  insert<N extends string>(resource: Resource<N>, row: NewRowOf<N>): Promise<void>;
  update<N extends string>(resource: Resource<N>, id: string, values: ValuesOf<N>): Promise<void>;
  /** Deletes rows and gives their ids: another transaction may have deleted some before. */
  remove(resource: Resource, ids: readonly string[]): Promise<string[]>;
  /** The change records of the transaction so far. */
  readonly changes: readonly PendingChange[];
  record(change: PendingChange): void;
}

/** A change whose transaction has not committed. */
export type PendingChange = Omit<Change, 'at'>;

/** The outcome of a committed transaction. */
export interface LoggedWrite<T> {
  readonly result: T;
  /** The ids of the change records of the transaction, except of those that the log does not keep. */
  readonly changeIds: ReadonlyMap<PendingChange, Cursor>;
}

/** One state of the database for several statements. */
export interface Snapshot {
  /** Reads from that state; writes use the ordinary store. */
  readonly store: Store;
  /** Releases the connection; call it always and soon. Further calls do nothing. */
  end(): Promise<void>;
}

/** Names an entity. */
export interface EntityKey {
  readonly resource: Resource;
  readonly id: string;
}

/** Statements outside of its transactions are named, so that the server keeps their plans. */
export interface Store extends Rows {
  /** This store for one request, whose end cancels its statements. */
  within(scope: RequestScope): Store;
  /**
   * The rows of a statement about entities, from memory if it was asked before and nothing that it
   * reads was written since. The caller may set members of the rows.
   */
  rows<R extends object>(statement: Sql<R>): Promise<R[]>;
  /** Opens a snapshot. It holds a connection until it is ended, or for a few idle seconds. */
  snapshot(): Promise<Snapshot>;
  /**
   * Runs `work` in one transaction; its change records are written and published with the commit.
   * `work` may run again, such as after a deadlock, so it must have no effect outside of its
   * transaction. Writes of the same `entity` take turns, and those that wait share a
   * transaction; each still fails or succeeds by itself.
   */
  write<T>(origin: Origin, work: (tx: Transaction) => Promise<T>, entity?: EntityKey): Promise<T>;
  /**
   * Like `write`, and also gives the ids of the change records. Each statement waits for the one
   * before, so that the caller learns which one failed.
   */
  writeLogged<T>(origin: Origin, work: (tx: Transaction) => Promise<T>): Promise<LoggedWrite<T>>;
  /** Runs `work`, rolls its transaction back and gives the change records that it would write. */
  rehearse(
    origin: Origin,
    work: (tx: Transaction) => Promise<void>,
  ): Promise<readonly PendingChange[]>;
  /** Adds a listener, called once for each commit of this controller and, with a delay, of others. */
  onChange(listener: ChangeListener): void;
}

declare module './context.js' {
  interface RequestContext {
    readonly store: Store;
  }
}

declare module '../declare/resource.js' {
  // Declared here, since `Transaction` depends on `Resource`.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- merged declarations have the same parameters
  interface Write<N extends string = string> {
    readonly tx: Transaction;
  }
}
