import { failure, type ApiError } from '../../base/errors.js';
import type { Lane, Pace } from '../../kernel/graph/pace.js';
import { RequestScope } from '../../kernel/request/request-scope.js';
import type { Lanes } from './lanes.js';

/** A connection with a timeout for inactivity. */
export interface Stalling {
  setTimeout(millis: number): unknown;
}

/** A request with its time limit and its slot. */
export class LimitedRequest extends RequestScope {
  #lane: Lane | undefined;
  #isAtWork = false;

  constructor(
    private readonly lanes: Lanes,
    private readonly socket: Stalling,
    private readonly sender: string,
    limitMs: number,
    private readonly stallMs: number,
  ) {
    super(limitMs);
  }

  /**
   * Occupies a slot, at once if one is free. A request has one slot: when its lane changes, it
   * releases the old one.
   * @throws ApiError UNAVAILABLE
   */
  enter({ lane, isLong }: Pace): Promise<void> | undefined {
    if (this.#lane === lane) return undefined;
    this.leave();
    this.refuseEnded();
    if (isLong) this.removeTimeLimit();
    const waiting = this.lanes.enter(lane, this.sender);
    if (waiting) return this.enterAfter(waiting, lane);
    this.#lane = lane;
    return undefined;
  }

  /**
   * Marks the request as being worked on. The worker releases the slot at the end of the work, even
   * if the client has disconnected, since the work still occupies the process.
   */
  atWork(whenCut: (error: ApiError) => void): void {
    this.#isAtWork = true;
    this.whenCut(whenCut);
  }

  /** Called when the connection has closed or the answer is sent. */
  close(isAnswered: boolean): void {
    if (isAnswered) this.end();
    else this.clientLeft();
    if (!this.#isAtWork) this.leave();
  }

  /** Runs work within the time limit; the end of the work releases the slot. */
  async run<T>(work: Promise<T>): Promise<T> {
    this.#isAtWork = true;
    try {
      return await this.limited(
        work.finally(() => {
          this.leave();
        }),
      );
    } finally {
      this.decided();
    }
  }

  /** Releases the slot and removes the time limit, for a stream that the client ends. */
  stay(): void {
    this.leave();
    this.removeTimeLimit();
  }

  /** Releases the slot: the answer is ready, or the request waits for something else. */
  leave(): void {
    if (this.#lane === undefined) return;
    this.lanes.leave(this.#lane, this.sender);
    this.#lane = undefined;
    // The client must receive the answer within the usual time.
    if (this.isLifted) this.socket.setTimeout(this.stallMs);
  }

  private async enterAfter(waiting: Promise<void>, lane: Lane): Promise<void> {
    await waiting;
    this.#lane = lane;
    this.refuseEnded();
  }

  private removeTimeLimit(): void {
    this.lift();
    // The connection is idle during long work.
    this.socket.setTimeout(0);
  }

  private refuseEnded(): void {
    if (this.isOpen) return;
    this.leave();
    throw failure('TIMEOUT');
  }
}

const LIMIT = Symbol('limit');

interface Limited {
  [LIMIT]?: LimitedRequest;
}

export function attachLimit(request: object, limit: LimitedRequest): void {
  (request as Limited)[LIMIT] = limit;
}

/** The limit of a request that came through the listener; others are not limited. */
export const limitOf = (request: object): LimitedRequest | undefined => (request as Limited)[LIMIT];
