import { accessDelta, type AccessDelta } from '../what-if/access-delta.js';
import type { AccessQuery } from '../pairs/access-selection.js';
import type { RowChange } from '../model/what-if-change.js';
import type { ChangeFollower } from '../../../data/changes/index.js';
import type { LoggedChange } from '../../../kernel/request/store-port.js';
import type { Analyst } from './analyst.js';
import type { PastModel } from './past-model.js';

/** The effect of one logged change on access. */
export interface AccessEvent extends AccessDelta {
  readonly change: LoggedChange;
  /** The place in the log before the change. */
  readonly placeBefore: string;
}

interface FollowerOptions {
  readonly query: AccessQuery;
  /** The number of pairs that an event lists at most. */
  readonly most: number;
  /** The number of rows that may differ from the present before the follower reads it again. */
  readonly mostHeld?: number;
}

const MAX_HELD = 4_000;
const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Follows access along the change log: it gives an event for each change that alters the pairs of
 * the query, in the order of the log. The models of an event stay valid until the next call of
 * `next`.
 */
export class AccessFollower implements AsyncIterableIterator<AccessEvent, undefined> {
  #lastChange: LoggedChange | undefined;
  #isBusy = false;
  #isEnded = false;
  #bound: number;

  constructor(
    private readonly analyst: Analyst,
    private readonly changes: ChangeFollower,
    private model: PastModel,
    private readonly options: FollowerOptions,
  ) {
    this.#bound = this.boundOf(model);
  }

  async next(): Promise<IteratorResult<AccessEvent, undefined>> {
    if (this.#isEnded) return this.last();
    this.#isBusy = true;
    try {
      const event = await this.nextEvent();
      if (event) return { done: false, value: event };
      this.#isEnded = true;
      return DONE;
    } catch (error) {
      this.#isEnded = true;
      throw error;
    } finally {
      this.#isBusy = false;
      if (this.#isEnded) this.end();
    }
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.end();
    return Promise.resolve(DONE);
  }

  /** Releases the network once no read uses it. */
  end(): void {
    this.#isEnded = true;
    this.changes.end();
    if (!this.#isBusy) this.model.present.release();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Throws the error that ended the changes, if there was one. */
  private async last(): Promise<IteratorReturnResult<undefined>> {
    await this.changes.next();
    return DONE;
  }

  private async nextEvent(): Promise<AccessEvent | undefined> {
    if (this.#lastChange) this.model.applyChange(this.#lastChange);
    this.#lastChange = undefined;
    for (;;) {
      await this.renewPresent();
      const { done, value: change } = await this.changes.next();
      if (done === true) return undefined;
      const row = this.model.effectOf(change);
      const event = row && (await this.eventOf(change, row));
      if (event) {
        this.#lastChange = change;
        return event;
      }
      this.model.applyChange(change);
    }
  }

  private async eventOf(change: LoggedChange, row: RowChange): Promise<AccessEvent | undefined> {
    const { query, most } = this.options;
    const delta = await this.analyst.run(accessDelta(this.model, row, query, most));
    if (delta.gained.totalCount + delta.lost.totalCount === 0) return undefined;
    return { ...delta, change, placeBefore: this.model.cursor };
  }

  /** Replaces the present by a newer one, so that fewer rows differ from it. */
  private async renewPresent(): Promise<void> {
    const { model } = this;
    if (model.weight <= this.#bound) return;
    const present = this.analyst.present();
    try {
      this.model = await this.analyst.past(present, model.cursor);
    } catch (error) {
      present.release();
      throw error;
    }
    model.present.release();
    this.#bound = this.boundOf(this.model);
  }

  /** A follower far behind needs many rows in any case. */
  private boundOf({ weight }: PastModel): number {
    return 2 * weight + (this.options.mostHeld ?? MAX_HELD);
  }
}
