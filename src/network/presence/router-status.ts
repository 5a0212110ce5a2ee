import { failure, type ApiError } from '../../base/errors.js';
import { Follower, type FollowerOptions } from '../../base/follower.js';

/** The state of a router, as this process sees it. */
export interface RouterStatus {
  readonly routerId: string;
  readonly isOnline: boolean;
  /** Its progress in reading the model; undefined while it is offline. */
  readonly syncStatus: string | undefined;
  readonly at: Date;
}

/** Gives the routers whose state has changed to a listener, until the given function is called. */
export interface RouterStatusSource {
  watchRouters(listener: (statuses: readonly RouterStatus[]) => void): () => void;
}

interface RouterFollowOptions extends Partial<FollowerOptions> {
  /** Absent: all routers. */
  readonly routerIds?: ReadonlySet<string> | undefined;
}

const STALL_MILLIS = 30_000;

/** Follows the state of routers from now on. */
export const followRouters = (
  source: RouterStatusSource,
  options: RouterFollowOptions = {},
): RouterStatusFollower => new RouterStatusFollower(source, options);

/**
 * A reader of states: it holds the latest one of each router until it is read, so that a slow
 * subscriber costs no more than the number of routers.
 */
export class RouterStatusFollower extends Follower<RouterStatus> {
  readonly #unread = new Map<string, RouterStatus>();
  readonly #unwatch: () => void;

  constructor(
    source: RouterStatusSource,
    { routerIds, stallMillis = STALL_MILLIS, ...options }: RouterFollowOptions,
  ) {
    super({ ...options, stallMillis });
    this.#unwatch = source.watchRouters((statuses) => {
      for (const status of statuses) {
        if (routerIds?.has(status.routerId) === false) continue;
        // Behind the states that came before it.
        this.#unread.delete(status.routerId);
        this.#unread.set(status.routerId, status);
      }
      this.wake();
    });
  }

  protected nextEvent(): RouterStatus | undefined {
    const [status] = this.#unread.values();
    if (status) this.#unread.delete(status.routerId);
    return status;
  }

  protected tooSlow(reason: string): ApiError {
    return failure('SUBSCRIBER_TOO_SLOW', reason);
  }

  protected leave(): void {
    this.#unwatch();
    this.#unread.clear();
  }
}
