import type { Cursor, Store } from '../kernel/request/store-port.js';
import { Bitset, type PolicyIndex } from '../policy/index.js';
import {
  beginOrReadState,
  restartState,
  storedTimes,
  storePosition,
  storeTimes,
} from './service-freshness-table.js';

const BATCH = 5_000;

/**
 * When the list of services of each identity last changed, as milliseconds by ordinal. Every
 * controller derives the same times from the change log; now and then they are stored, so that a
 * controller that starts begins with what the others know.
 */
export class ServiceFreshness {
  #changed = new Float64Array(1024);
  #unsaved = new Bitset();
  #began = 0;
  #stored: Cursor | undefined;

  constructor(private readonly index: PolicyIndex) {}

  /**
   * The lists of these identities changed at that time. A change that does not seem later than what
   * is known counts a millisecond on: clients only ask whether the time is another.
   */
  mark(identities: Bitset, at: Date): void {
    const time = at.getTime();
    identities.forEach((ordinal) => {
      const known = this.#known(ordinal);
      this.#set(ordinal, time > known ? time : known + 1);
    });
  }

  /** The same for changes that may be contained already in what was stored. */
  remind(identities: Bitset, at: Date): void {
    const time = at.getTime();
    identities.forEach((ordinal) => {
      if (time > this.#known(ordinal)) this.#set(ordinal, time);
    });
  }

  markOne(identityId: string, at: Date): void {
    const ordinal = this.index.ordinalOf('identity', identityId);
    if (ordinal !== undefined) this.mark(Bitset.of([ordinal]), at);
  }

  /** Milliseconds; for an identity of which nothing is known, when counting began. */
  lastChange(identityId: string): number {
    const ordinal = this.index.ordinalOf('identity', identityId);
    return ordinal === undefined ? this.#began : this.#known(ordinal);
  }

  /**
   * Takes over what the controllers of this database stored. Gives the place in the log that this
   * contains; the changes since then are to be told by `remind`.
   */
  async load(store: Store, here: Cursor, now: Date): Promise<Cursor> {
    const { began_at: beganAt, position } = await beginOrReadState(store, here, now);
    const rows = await storedTimes(store);
    this.#began = beganAt.getTime();
    for (const row of rows) {
      const ordinal = this.index.ordinalOf('identity', row.identity_id);
      const time = row.changed_at.getTime();
      if (ordinal !== undefined && time > this.#known(ordinal)) this.#set(ordinal, time);
    }
    this.#unsaved = new Bitset();
    this.#stored = position;
    return position;
  }

  /** The log does not tell what happened since the last time: all that is known counts as changed. */
  async beginAnew(store: Store, here: Cursor, now: Date): Promise<void> {
    this.#began = this.#changed.reduce(
      (latest, at) => Math.max(latest, at + 1),
      Math.max(now.getTime(), this.#began + 1),
    );
    await restartState(store, here, new Date(this.#began));
    this.#stored = here;
  }

  /** Stores the times of those who are logged in, and that the log is contained up to `position`. */
  async save(store: Store, position: Cursor): Promise<void> {
    const unsaved = this.#unsaved;
    this.#unsaved = new Bitset();
    try {
      await this.#saveTimes(store, this.index.idsOf('identity', unsaved));
      await this.#savePosition(store, position);
    } catch (error) {
      this.#unsaved.or(unsaved);
      throw error;
    }
  }

  async #saveTimes(store: Store, ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += BATCH) {
      const batch = ids.slice(from, from + BATCH);
      const times = batch.map((id) => this.lastChange(id));
      await storeTimes(store, batch, times);
    }
  }

  async #savePosition(store: Store, position: Cursor): Promise<void> {
    if (this.#stored === position) return;
    await storePosition(store, position);
    this.#stored = position;
  }

  #known(ordinal: number): number {
    return Math.max(this.#changed[ordinal] ?? 0, this.#began);
  }

  #set(ordinal: number, time: number): void {
    if (ordinal >= this.#changed.length) {
      const grown = new Float64Array(Math.max(ordinal + 1, this.#changed.length * 2));
      grown.set(this.#changed);
      this.#changed = grown;
    }
    this.#changed[ordinal] = time;
    this.#unsaved.set(ordinal);
  }
}
