import type { Resource } from './resource.js';
import type { Row } from './row.js';
import type { Sql } from './sql.js';

export type Operation = 'create' | 'update' | 'delete';

/** One entry of the change log, as its readers get it. */
export interface Change {
  readonly resource: string;
  readonly id: string;
  readonly operation: Operation;
  /** Of the entity after the change; a deletion counts one further. */
  readonly revision: number;
  readonly before: Row | null;
  readonly after: Row | null;
  /** Time of its transaction, by the clock of the controller that wrote it. */
  readonly at: Date;
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
  readonly at: Date;
}

/** Equality per attribute; an array means any of; `{ has }` means the set holds the value. */
export type Match = Record<string, unknown>;

/** The write side: one database transaction together with its change records. */
export interface Transaction {
  readonly origin: Origin;
  /** Rows with all stored attributes. */
  find(resource: Resource, match: Match): Promise<Row[]>;
  /** The ids that exist among these, held against deletion until commit. */
  hold(resource: Resource, ids: readonly string[]): Promise<string[]>;
  /** Row locks for writing; gives the ids that exist. */
  lock(resource: Resource, ids: readonly string[]): Promise<string[]>;
  insert(resource: Resource, row: Row): Promise<void>;
  update(resource: Resource, id: string, values: Row): Promise<void>;
  remove(resource: Resource, ids: readonly string[]): Promise<void>;
  query(statement: Sql): Promise<Row[]>;
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
  query(statement: Sql): Promise<Row[]>;
  /** Holds a connection until it is ended, and no longer than a few idle seconds. */
  snapshot(): Promise<Snapshot>;
  /** Runs `work` in one transaction; its change records are written and published with the commit. */
  write<T>(origin: Origin, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Called once for each commit, of this controller at once and of others as they are learned of. */
  onChange(listener: ChangeListener): void;
}
