import type { ApiError } from './errors.js';

export interface FollowerOptions {
  /** The time that its subscriber may read nothing. */
  readonly stallMillis: number;
  /** Called with the reason when the subscriber is cut off. */
  readonly onStalled?: (error: ApiError) => void;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * A reader of events at its own pace. It is no generator, because a waiting generator can not be
 * ended before the next event.
 */
export abstract class Follower<E> implements AsyncIterableIterator<E, undefined> {
  #ended: { readonly error?: Error | undefined } | undefined;
  #isAwake = false;
  #wake: () => void = () => undefined;
  #stall: NodeJS.Timeout | undefined;

  constructor(private readonly options: FollowerOptions) {}

  /** Gives the next event; undefined while there is none. */
  protected abstract nextEvent(): E | undefined | Promise<E | undefined>;

  /** The error for a subscriber that reads too slowly. */
  protected abstract tooSlow(reason: string): ApiError;

  /** Called once, at the end. */
  protected abstract leave(): void;

  /** Reports that there are new events. */
  wake(): void {
    this.#isAwake = true;
    this.#wake();
  }

  /** Ends the reading; the next pull throws the error, if there is one. */
  end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = { error };
    clearTimeout(this.#stall);
    this.leave();
    this.#wake();
  }

  /** Ends the reading of a subscriber that is too slow. */
  cutOff(reason: string): void {
    const error = this.tooSlow(reason);
    this.end(error);
    this.options.onStalled?.(error);
  }

  async next(): Promise<IteratorResult<E, undefined>> {
    clearTimeout(this.#stall);
    try {
      while (!this.isEnded()) {
        this.#isAwake = false;
        const event = await this.nextEvent();
        if (this.isEnded()) break;
        if (event !== undefined) return { done: false, value: this.startStallTimer(event) };
        await this.news();
      }
      return this.last();
    } catch (error) {
      this.end();
      throw error;
    }
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.end();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  protected isEnded(): boolean {
    return this.#ended !== undefined;
  }

  private last(): IteratorReturnResult<undefined> {
    const error = this.#ended?.error;
    this.#ended = {};
    if (error) throw error;
    return DONE;
  }

  /** Resolves when there may be something new. */
  private async news(): Promise<void> {
    if (this.#isAwake) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  private startStallTimer(event: E): E {
    const { stallMillis } = this.options;
    this.#stall = setTimeout(() => {
      this.cutOff(`nothing was taken for ${String(stallMillis / 1000)} s`);
    }, stallMillis);
    this.#stall.unref();
    return event;
  }
}
