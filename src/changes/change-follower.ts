import { ApiError } from '../base/errors.js';
import type { Cursor, LoggedChange } from '../kernel/request/store-port.js';

export interface Source {
  /** The next few changes after a place; none when it was read to its end. */
  following(cursor: Cursor): Promise<readonly LoggedChange[]> | readonly LoggedChange[];
  leave(follower: ChangeFollower): void;
}

interface Options {
  readonly start: Cursor;
  readonly wants: (change: LoggedChange) => boolean;
  readonly stallMillis: number;
  readonly onStalled?: (error: ApiError) => void;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * One who follows the log at its own pace. No generator, since one that waits could not be ended
 * before the next change.
 */
export class ChangeFollower implements AsyncIterableIterator<LoggedChange, undefined> {
  #cursor: Cursor;
  #slice: readonly LoggedChange[] = [];
  #ended: { readonly error?: Error | undefined } | undefined;
  #isAwake = false;
  #wake: () => void = () => undefined;
  #stall: NodeJS.Timeout | undefined;

  constructor(
    private readonly source: Source,
    private readonly options: Options,
  ) {
    this.#cursor = options.start;
  }

  /** The latest change is one that was given or not wanted. */
  get cursor(): Cursor {
    return this.#cursor;
  }

  /** There is more to read. */
  wake(): void {
    this.#isAwake = true;
    this.#wake();
  }

  /** Nothing more is given; with an error, that is what the next pull gets. */
  end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = { error };
    clearTimeout(this.#stall);
    this.source.leave(this);
    this.#wake();
  }

  async next(): Promise<IteratorResult<LoggedChange, undefined>> {
    clearTimeout(this.#stall);
    try {
      for (;;) {
        if (this.#ended) return this.last();
        const change = this.nextHeld() ?? (await this.read());
        if (this.isEnded()) return this.last();
        if (change) return { done: false, value: this.given(change) };
      }
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

  private last(): IteratorReturnResult<undefined> {
    const error = this.#ended?.error;
    this.#ended = {};
    if (error) throw error;
    return DONE;
  }

  private hasNews(): boolean {
    return this.#isAwake || this.isEnded();
  }

  private isEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Moves on over what is not wanted. */
  private nextHeld(): LoggedChange | undefined {
    for (const [i, change] of this.#slice.entries()) {
      this.#cursor = change.cursor;
      if (!this.options.wants(change)) continue;
      this.#slice = this.#slice.slice(i + 1);
      return change;
    }
    this.#slice = [];
    return undefined;
  }

  private async read(): Promise<LoggedChange | undefined> {
    this.#isAwake = false;
    this.#slice = await this.source.following(this.#cursor);
    if (this.#slice.length === 0 && !this.hasNews()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.nextHeld();
  }

  private given(change: LoggedChange): LoggedChange {
    this.#stall = setTimeout(() => {
      const error = new ApiError('SUBSCRIBER_TOO_SLOW', {
        kind: 'resume',
        message: `nothing was taken for ${String(this.options.stallMillis / 1000)} s`,
        cursor: change.cursor,
      });
      this.end(error);
      this.options.onStalled?.(error);
    }, this.options.stallMillis);
    this.#stall.unref();
    return change;
  }
}
