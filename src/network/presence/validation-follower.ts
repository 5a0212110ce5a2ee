import { failure, type ApiError } from '../../base/errors.js';
import { Follower } from '../../base/follower.js';

const STALL_MILLIS = 30_000;

/** Reads the events of a validation until all have come, or until its reader leaves. */
export class ValidationFollower<E> extends Follower<E> {
  readonly #stop = new AbortController();
  readonly #events: AsyncGenerator<E, undefined>;

  constructor(
    start: (signal: AbortSignal) => AsyncGenerator<E, undefined>,
    onStalled: (error: ApiError) => void,
  ) {
    super({ stallMillis: STALL_MILLIS, onStalled });
    this.#events = start(this.#stop.signal);
  }

  protected async nextEvent(): Promise<E | undefined> {
    const { done, value } = await this.#events.next();
    if (done === true) this.end();
    return value;
  }

  protected tooSlow(reason: string): ApiError {
    return failure('SUBSCRIBER_TOO_SLOW', reason);
  }

  /** The events end when the one that is awaited has come, or none can come any more. */
  protected leave(): void {
    this.#stop.abort();
    void this.#events.return(undefined);
  }
}
