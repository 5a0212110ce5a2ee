import type { Caller, RequestContext } from '../../kernel/context.js';
import type { ApiError } from '../../kernel/errors.js';

/** One subscription under way, as its source sees it. */
export class Subscriber {
  readonly #onEnd: ((error: ApiError | undefined) => void)[] = [];
  #isEnded = false;

  constructor(
    /** Who it is for, by now. */
    public caller: Caller | undefined,
    /** The client takes nothing: tells it why, if it ever looks again, and lets go of it. */
    readonly cutOff: (error: ApiError) => void,
  ) {}

  /** What the source does when it has to end. */
  onEnd(listener: (error: ApiError | undefined) => void): void {
    this.#onEnd.push(listener);
    if (this.#isEnded) listener(undefined);
  }

  end(error?: ApiError): void {
    this.#isEnded = true;
    for (const listener of this.#onEnd) listener(error);
  }
}

/** What subscriptions work with, beside what every request does. */
export interface SubscriptionContext extends RequestContext {
  readonly subscriber: Subscriber;
}
