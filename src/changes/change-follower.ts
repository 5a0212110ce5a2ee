import { ApiError } from '../base/errors.js';
import type { Cursor, LoggedChange } from '../kernel/request/store-port.js';

export interface FollowerSource {
  /** Gives the next few changes after a place; none at the end of the log. */
  following(cursor: Cursor): Promise<readonly LoggedChange[]> | readonly LoggedChange[];
  leave(follower: ChangeFollower): void;
}

interface FollowerOptions {
  readonly start: Cursor;
  readonly wants: (change: LoggedChange) => boolean;
  readonly stallMillis: number;
  readonly onStalled?: (error: ApiError) => void;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * A reader that follows the log at its own pace. It is no generator, because a waiting generator can
 * not be ended before the next change.
 */
export class ChangeFollower implements AsyncIterableIterator<LoggedChange, undefined> {
  #cursor: Cursor;
  #slice: readonly LoggedChange[] = [];
  #ended: { readonly error?: Error | undefined } | undefined;
  #isAwake = false;
  #wake: () => void = () => undefined;
  #stall: NodeJS.Timeout | undefined;

  constructor(
    private readonly source: FollowerSource,
    private readonly options: FollowerOptions,
  ) {
    this.#cursor = options.start;
  }

  /** The place of the last change that was given or skipped. */
  get cursor(): Cursor {
    return this.#cursor;
  }

  /** Reports that there are new changes. */
  wake(): void {
    this.#isAwake = true;
    this.#wake();
  }

  /** Ends the reading; the next pull throws the error, if there is one. */
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
        const change = this.nextWanted() ?? (await this.read());
        if (this.isEnded()) return this.last();
        if (change) return { done: false, value: this.startStallTimer(change) };
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

  /** Skips changes that the options do not want. */
  private nextWanted(): LoggedChange | undefined {
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
    return this.nextWanted();
  }

  private startStallTimer(change: LoggedChange): LoggedChange {
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
