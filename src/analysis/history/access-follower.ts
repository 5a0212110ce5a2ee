import { accessDelta, type AccessDelta } from '../access-delta.js';
import type { AccessQuery } from '../access-selection.js';
import type { RowChange } from '../what-if-change.js';
import type { ChangeFollower } from '../../changes/index.js';
import type { LoggedChange } from '../../kernel/request/store-port.js';
import type { Analyst } from './analyst.js';
import type { PastModel } from './past-model.js';

/** What one change of the log did to access. */
export interface AccessEvent extends AccessDelta {
  readonly change: LoggedChange;
  /** The place before it. */
  readonly placeBefore: string;
}

interface Options {
  readonly query: AccessQuery;
  /** So many pairs of an event are listed. */
  readonly most: number;
  /** So many rows that differ from the network of now are held before it is looked at anew. */
  readonly mostHeld?: number;
}

const MOST_HELD = 4_000;
const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Access as the change log goes on: an event for each change that alters what is asked for, in the
 * order of the log. What an event tells of stays as it is until the next one is asked for.
 */
export class AccessFollower implements AsyncIterableIterator<AccessEvent, undefined> {
  #given: LoggedChange | undefined;
  #isBusy = false;
  #isEnded = false;
  #bound: number;

  constructor(
    private readonly analyst: Analyst,
    private readonly changes: ChangeFollower,
    private model: PastModel,
    private readonly options: Options,
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

  /** Lets go of the network, once nothing reads it. */
  end(): void {
    this.#isEnded = true;
    this.changes.end();
    if (!this.#isBusy) this.model.present.release();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** What ended it, if it was an error. */
  private async last(): Promise<IteratorReturnResult<undefined>> {
    await this.changes.next();
    return DONE;
  }

  private async nextEvent(): Promise<AccessEvent | undefined> {
    if (this.#given) this.model.goOn(this.#given);
    this.#given = undefined;
    for (;;) {
      await this.lighten();
      const { done, value: change } = await this.changes.next();
      if (done === true) return undefined;
      const row = this.model.news(change);
      const event = row && (await this.eventOf(change, row));
      if (event) {
        this.#given = change;
        return event;
      }
      this.model.goOn(change);
    }
  }

  private async eventOf(change: LoggedChange, row: RowChange): Promise<AccessEvent | undefined> {
    const { query, most } = this.options;
    const delta = await this.analyst.run(accessDelta(this.model, row, query, most));
    if (delta.gained.totalCount + delta.lost.totalCount === 0) return undefined;
    return { ...delta, change, placeBefore: this.model.cursor };
  }

  /** What was held to go back from now, and to go on from there, is given up for a new now. */
  private async lighten(): Promise<void> {
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

  /** One who is far behind holds much in any case. */
  private boundOf({ weight }: PastModel): number {
    return 2 * weight + (this.options.mostHeld ?? MOST_HELD);
  }
}
