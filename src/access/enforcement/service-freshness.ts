import { listFreshness } from '../../data/rows/service/index.js';
import type { Cursor, Store } from '../../kernel/request/store-port.js';
import { Bitset, type PolicyIndex } from '../../kernel/policy/index.js';

const BATCH = 5_000;

/**
 * The time of the last change of each identity's list of services, as milliseconds by ordinal.
 * Every controller derives the same times from the change log. They are stored regularly, so that a
 * starting controller can load them.
 */
export class ServiceFreshness {
  #changed = new Float64Array(1024);
  #unsaved = new Bitset();
  #began = 0;
  #stored: Cursor | undefined;

  constructor(private readonly index: PolicyIndex) {}

  /**
   * Records a change of these identities' lists. If the time is not later than the recorded one, it
   * adds a millisecond: clients only check whether the time differs.
   */
  mark(identities: Bitset, at: Date): void {
    const time = at.getTime();
    identities.forEach((ordinal) => {
      const recordedTime = this.#timeOf(ordinal);
      this.#set(ordinal, time > recordedTime ? time : recordedTime + 1);
    });
  }

  /** Records a change that the stored times may already include. */
  markIfLater(identities: Bitset, at: Date): void {
    const time = at.getTime();
    identities.forEach((ordinal) => {
      if (time > this.#timeOf(ordinal)) this.#set(ordinal, time);
    });
  }

  markOne(identityId: string, at: Date): void {
    const ordinal = this.index.ordinalOf('identity', identityId);
    if (ordinal !== undefined) this.mark(Bitset.of([ordinal]), at);
  }

  /** The time in milliseconds; the begin of the recording for an identity without one. */
  lastChange(identityId: string): number {
    const ordinal = this.index.ordinalOf('identity', identityId);
    return ordinal === undefined ? this.#began : this.#timeOf(ordinal);
  }

  /**
   * Loads the stored times. Gives their position in the change log; pass later changes to
   * `markIfLater`.
   */
  async load(store: Store, here: Cursor, now: Date): Promise<Cursor> {
    const { beganAt, position } = await listFreshness.beginOrRead(store, here, now);
    const times = await listFreshness.times(store);
    this.#began = beganAt.getTime();
    for (const { identityId, changedAt } of times) {
      const ordinal = this.index.ordinalOf('identity', identityId);
      const time = changedAt.getTime();
      if (ordinal !== undefined && time > this.#timeOf(ordinal)) this.#set(ordinal, time);
    }
    this.#unsaved = new Bitset();
    this.#stored = position;
    return position;
  }

  /** Restarts after a gap in the change log: all lists count as changed. */
  async restart(store: Store, here: Cursor, now: Date): Promise<void> {
    this.#began = this.#changed.reduce(
      (latest, at) => Math.max(latest, at + 1),
      Math.max(now.getTime(), this.#began + 1),
    );
    await listFreshness.restart(store, here, new Date(this.#began));
    this.#stored = here;
  }

  /** Stores new times and the position in the change log up to which they are complete. */
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
      await listFreshness.storeTimes(store, batch, times);
    }
  }

  async #savePosition(store: Store, position: Cursor): Promise<void> {
    if (this.#stored === position) return;
    await listFreshness.storePosition(store, position);
    this.#stored = position;
  }

  #timeOf(ordinal: number): number {
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
