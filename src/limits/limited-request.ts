import { failure, type ApiError } from '../base/errors.js';
import type { Lane, Pace } from '../kernel/graph/pace.js';
import { currentScope, RequestScope } from '../kernel/request/request-scope.js';
import type { Lanes } from './lanes.js';

/** The connection of a request, which has to move while nobody works for it. */
export interface Stalling {
  setTimeout(millis: number): unknown;
}

/** A request with its time and its place among those that work at once. */
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
   * Takes a place, at once where one is free. A request has one at a time: one that turns out to
   * be less urgent moves.
   * @throws ApiError UNAVAILABLE
   */
  enter({ lane, isLong }: Pace): Promise<void> | undefined {
    if (this.#lane === lane) return undefined;
    this.leave();
    this.refuseEnded();
    if (isLong) this.takeTime();
    const waiting = this.lanes.enter(lane, this.sender);
    if (waiting) return this.enterAfter(waiting, lane);
    this.#lane = lane;
    return undefined;
  }

  /**
   * Somebody works for it, and gives its place back at the end of that, be the client gone or not:
   * what nobody waits for any more keeps others waiting all the same.
   */
  atWork(whenCut: (error: ApiError) => void): void {
    this.#isAtWork = true;
    this.whenCut(whenCut);
  }

  /** The connection is done with it. */
  close(isAnswered: boolean): void {
    if (isAnswered) this.end();
    else this.clientLeft();
    if (!this.#isAtWork) this.leave();
  }

  /** Runs the work, whose end gives the place back, in time. */
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

  /** It lasts as long as its client wants: no place is held for it, and no time is set. */
  stay(): void {
    this.leave();
    this.takeTime();
  }

  /** Gives the place back: the answer is known, or something else is waited for. */
  leave(): void {
    if (this.#lane === undefined) return;
    this.lanes.leave(this.#lane, this.sender);
    this.#lane = undefined;
    // The answer has to be taken in time again.
    if (this.isLifted) this.socket.setTimeout(this.stallMs);
  }

  private async enterAfter(waiting: Promise<void>, lane: Lane): Promise<void> {
    await waiting;
    this.#lane = lane;
    this.refuseEnded();
  }

  private takeTime(): void {
    this.lift();
    // Nothing moves on the connection while it works.
    this.socket.setTimeout(0);
  }

  private refuseEnded(): void {
    if (this.isOpen) return;
    this.leave();
    throw failure('TIMEOUT');
  }
}

/** The request under way, where it came through the listener; others are not limited. */
export function currentRequest(): LimitedRequest | undefined {
  const scope = currentScope();
  return scope instanceof LimitedRequest ? scope : undefined;
}
