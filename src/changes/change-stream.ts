import type { ApiError } from '../base/errors.js';
import type { ChangeLog, Cursor, LoggedChange } from '../kernel/request/store-port.js';
import { ChangeFollower, type Source } from './change-follower.js';
import { RecentChanges } from './recent-changes.js';

export interface Following {
  /** The place to go on from; without it, what is committed from now on. */
  readonly since?: Cursor | undefined;
  readonly wants: (change: LoggedChange) => boolean;
  /** It took nothing for too long: the error says where it can resume. Nothing more is given to it. */
  readonly onStalled?: (error: ApiError) => void;
}

/** How long a follower may take nothing. */
const STALL_MILLIS = 30_000;

/**
 * The change log as it grows, for any number of followers. Each holds a place in the log and takes
 * from there when it wants to, the latest from memory and the rest from the database, so that a slow
 * one costs no memory.
 */
export class ChangeStream {
  readonly #recent: RecentChanges;
  #position: Cursor;
  readonly #followers = new Set<ChangeFollower>();
  readonly #source: Source;

  constructor(
    private readonly log: ChangeLog,
    /** Where the feed begins that calls `take`. */
    start: Cursor,
    private readonly stallMillis = STALL_MILLIS,
  ) {
    this.#recent = new RecentChanges(start);
    this.#position = start;
    this.#source = {
      following: (cursor) => this.#recent.following(cursor) ?? log.following(cursor, 50),
      leave: (follower) => this.#followers.delete(follower),
    };
  }

  /** What the feed has read. */
  take(changes: readonly LoggedChange[]): void {
    this.#recent.add(changes);
    this.#position = changes.at(-1)?.cursor ?? this.#position;
    for (const follower of this.#followers) follower.wake();
  }

  /**
   * Follows the log in its order: every change once.
   * @throws ApiError HISTORY_NOT_KEPT when it does not go back to the place given
   */
  async follow({ since, wants, onStalled }: Following): Promise<ChangeFollower> {
    if (since !== undefined) await this.log.following(since, 1);
    const follower = new ChangeFollower(this.#source, {
      start: since ?? (await this.log.horizon()),
      wants,
      stallMillis: this.stallMillis,
      ...(onStalled ? { onStalled } : {}),
    });
    this.#followers.add(follower);
    return follower;
  }

  /** How far it has come: what comes before is known here, whoever wrote it. */
  get position(): Cursor {
    return this.#position;
  }

  /** How many follow it now. */
  get followers(): number {
    return this.#followers.size;
  }

  /** Ends all followers. */
  stop(): void {
    for (const follower of this.#followers) follower.end();
  }
}
