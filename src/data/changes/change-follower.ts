import { ApiError } from '../../base/errors.js';
import { Follower, type FollowerOptions } from '../../base/follower.js';
import type { Cursor, LoggedChange } from '../../kernel/request/store-port.js';

export interface FollowerSource {
  /** Gives the next few changes after a place; none at the end of the log. */
  following(cursor: Cursor): Promise<readonly LoggedChange[]> | readonly LoggedChange[];
  leave(follower: ChangeFollower): void;
}

interface ChangeFollowerOptions extends FollowerOptions {
  readonly start: Cursor;
  readonly wants: (change: LoggedChange) => boolean;
}

/** A reader that follows the log at its own pace. */
export class ChangeFollower extends Follower<LoggedChange> {
  #cursor: Cursor;
  #slice: readonly LoggedChange[] = [];
  readonly #wants: ChangeFollowerOptions['wants'];

  constructor(
    private readonly source: FollowerSource,
    options: ChangeFollowerOptions,
  ) {
    super(options);
    this.#cursor = options.start;
    this.#wants = options.wants;
  }

  /** The place of the last change that was given or skipped. */
  get cursor(): Cursor {
    return this.#cursor;
  }

  protected async nextEvent(): Promise<LoggedChange | undefined> {
    for (;;) {
      const change = this.nextWanted();
      if (change || this.isEnded()) return change;
      this.#slice = await this.source.following(this.#cursor);
      if (this.#slice.length === 0) return undefined;
    }
  }

  protected tooSlow(message: string): ApiError {
    return new ApiError('SUBSCRIBER_TOO_SLOW', { kind: 'resume', message, cursor: this.#cursor });
  }

  protected leave(): void {
    this.source.leave(this);
  }

  /** Skips changes that the options do not want. */
  private nextWanted(): LoggedChange | undefined {
    for (const [i, change] of this.#slice.entries()) {
      this.#cursor = change.cursor;
      if (!this.#wants(change)) continue;
      this.#slice = this.#slice.slice(i + 1);
      return change;
    }
    this.#slice = [];
    return undefined;
  }
}
