import type { Resource } from '../declare/resource.js';
import type {
  LoggedOf,
  MatchOf,
  NewRowOf,
  ResourceName,
  RowOf,
  ValuesOf,
} from '../declare/rows.js';
import type { Sql } from '../../base/sql.js';

export type Operation = 'create' | 'update' | 'delete';

/** One entry of the change log, as its readers get it. */
export interface Change<N extends string = string> {
  readonly resource: string;
  readonly id: string;
  readonly operation: Operation;
  /** Of the entity after the change; a deletion counts one further. */
  readonly revision: number;
  readonly before: LoggedOf<N> | null;
  readonly after: LoggedOf<N> | null;
  /** Time of its transaction, by the clock of the controller that wrote it. */
  readonly at: Date;
}

/** Whether it is one of an entity of this resource. */
export const isChangeOf = <N extends ResourceName>(name: N, change: Change): change is Change<N> =>
  change.resource === name;

/** Looks at what a transaction is about to commit, and refuses it by throwing. */
export type CommitGuard = (
  tx: Transaction,
  changes: readonly Omit<Change, 'at'>[],
) => Promise<void>;
/**
 * A place in the change log, which sorts as text: epoch, transaction and sequence in hexadecimal
 * digits. The id of a change is its place.
 */
export type Cursor = string;

/** A change as it stands in the log, with who caused it. */
export interface LoggedChange extends Change, Readonly<Omit<Origin, 'at'>> {
  readonly cursor: Cursor;
  /** The identity that caused it, while there is one. */
  readonly actor: { readonly id: string; readonly name: string } | null;
  /** About how many bytes its states take. */
  readonly size: number;
}

/** The change log as its readers see it: only what no late commit can get before any more. */
export interface ChangeLog {
  /** Where the log stands: everything committed from now on comes after it. */
  horizon(): Promise<Cursor>;
  /**
   * What follows a place, in order; nothing is left out. The empty cursor is the start of what is kept.
   * @throws ApiError HISTORY_NOT_KEPT
   */
  following(cursor: Cursor, limit: number): Promise<readonly LoggedChange[]>;
}

/** Learns of changes after their commit; the writer's answer waits for what it promises. */
export type ChangeListener = (changes: readonly Change[]) => void | Promise<void>;

/** Who caused the changes of a transaction. */
export interface Origin {
  readonly actorId: string | null;
  readonly apiSessionId: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly importId: string | null;
  /** Why a rule may be violated, if the caller says so. */
  readonly reason?: string | null;
  readonly at: Date;
  /** What the API session is believed to permit: without it nothing is written. */
  readonly rights?: Rights;
}

export interface Rights {
  readonly isAdmin: boolean;
  readonly permissions: readonly string[];
}

/** The write side: one database transaction together with its change records. */
export interface Transaction {
  readonly origin: Origin;
  /** Rows with all stored attributes. */
  find<N extends string>(resource: Resource<N>, match: MatchOf<N>): Promise<RowOf<N>[]>;
  /** The ids that exist among these, held against deletion until commit. */
  hold(resource: Resource, ids: readonly string[]): Promise<string[]>;
  /** Row locks for writing; gives the ids that exist. */
  lock(resource: Resource, ids: readonly string[]): Promise<string[]>;
  insert<N extends string>(resource: Resource<N>, row: NewRowOf<N>): Promise<void>;
  update<N extends string>(resource: Resource<N>, id: string, values: ValuesOf<N>): Promise<void>;
  /** Gives the ids that it deleted: another transaction may have been faster with some. */
  remove(resource: Resource, ids: readonly string[]): Promise<string[]>;
  query<R>(statement: Sql<R>): Promise<R[]>;
  record(change: Omit<Change, 'at'>): void;
}

/** One state of the database for several statements. */
export interface Snapshot {
  /** Reads from that state; writes go where they always go. */
  readonly store: Store;
  /** Gives the connection back; call it soon, and always. Further calls do nothing. */
  end(): Promise<void>;
}

export interface Store {
  /** One statement outside any transaction; named, so that the server keeps its plan. */
  query<R>(statement: Sql<R>): Promise<R[]>;
  /** Holds a connection until it is ended, and no longer than a few idle seconds. */
  snapshot(): Promise<Snapshot>;
  /**
   * Runs `work` in one transaction; its change records are written and published with the commit. It
   * runs anew where the database rolled it back for a deadlock, so it changes nothing but its transaction.
   */
  write<T>(origin: Origin, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** The change records that `work` would leave: its transaction is rolled back. */
  rehearse(
    origin: Origin,
    work: (tx: Transaction) => Promise<void>,
  ): Promise<readonly Omit<Change, 'at'>[]>;
  /** Called once for each commit, of this controller at once and of others as they are learned of. */
  onChange(listener: ChangeListener): void;
}

declare module './context.js' {
  interface RequestContext {
    readonly store: Store;
  }
}

declare module '../declare/resource.js' {
  // The transaction of a write, which finds rows of resources.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- merged declarations have the same parameters
  interface Write<N extends string = string> {
    readonly tx: Transaction;
  }
}
