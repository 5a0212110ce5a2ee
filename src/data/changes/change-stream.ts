import type { ApiError } from '../../base/errors.js';
import type { ChangeLog, Cursor, LoggedChange } from '../../kernel/request/store-port.js';
import { ChangeFollower, type FollowerSource } from './change-follower.js';
import { RecentChanges } from './recent-changes.js';

export interface FollowRequest {
  /** The place to resume from; without it, the changes from now on. */
  readonly since?: Cursor | undefined;
  readonly wants: (change: LoggedChange) => boolean;
  /** Called when the follower read nothing for too long: the error says where it can resume. */
  readonly onStalled?: (error: ApiError) => void;
}

/** The time that a follower may read nothing. */
const STALL_MILLIS = 30_000;

/**
 * The growing change log, for any number of followers. Each follower has its own place in the log
 * and reads on from there, the latest changes from memory and older ones from the database, so that
 * a slow follower costs no memory.
 */
export class ChangeStream {
  readonly #recent: RecentChanges;
  #position: Cursor;
  readonly #followers = new Set<ChangeFollower>();
  readonly #source: FollowerSource;

  constructor(
    private readonly log: ChangeLog,
    /** The start of the feed that calls `append`. */
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

  /** Adds changes that the feed has read. */
  append(changes: readonly LoggedChange[]): void {
    this.#recent.add(changes);
    this.#position = changes.at(-1)?.cursor ?? this.#position;
    for (const follower of this.#followers) follower.wake();
  }

  /**
   * Follows the log in its order: every change once.
   * @throws ApiError HISTORY_NOT_KEPT when the log does not reach back to the given place
   */
  async follow({ since, wants, onStalled }: FollowRequest): Promise<ChangeFollower> {
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

  /** The place that this controller has read up to, whichever controller wrote the changes. */
  get position(): Cursor {
    return this.#position;
  }

  /** The number of followers. */
  get followers(): number {
    return this.#followers.size;
  }

  /** Ends all followers. */
  stop(): void {
    for (const follower of this.#followers) follower.end();
  }
}
