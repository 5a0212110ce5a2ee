import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../base/errors.js';
import type { JsonObject } from '../../base/row.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import type { Cursor, LoggedChange, Store } from '../../kernel/request/store-port.js';
import { history } from '../../data/rows/change/index.js';
import {
  commitEndingAt,
  encodedFullState,
  lastIndexOf,
  RecentSets,
  split,
  type ChangeSet,
} from './change-sets.js';
import type { DataModel, RowState } from './data-model.js';
import { loadDataModel } from './load-data-model.js';
import { modelDifferences } from './model-differences.js';
import { isRouterEntity, ROUTER_ENTITIES } from './router-entities.js';

export interface PublishedModelOptions {
  readonly store: Store;
  readonly catalog: Catalog;
  /** Names the database: another text after a restore, the same at all of its controllers. */
  readonly timelineId: string;
  readonly now: () => Date;
  /** Called when there are new sets. */
  readonly onSets: () => void;
}

/** The whole model at an index. */
export interface FullState {
  readonly endIndex: number;
  readonly keys: readonly Buffer[];
  /** The body of the message to routers. */
  readonly body: Buffer;
}

/** Changes in the order of the log, and whether they are all that was there: then the last commit is complete. */
export interface Delivery {
  readonly changes: readonly LoggedChange[];
  readonly isEnd: boolean;
}

/** The place of a router behind a set. */
export interface SetPosition {
  readonly index: number;
  /** The index before that the next set names. */
  readonly previousIndex: number;
}

/**
 * The data model as routers get it: the whole at one index, and the sets of events behind it. It follows the
 * change log; all controllers of a database count alike.
 */
export class PublishedModel {
  readonly #commit = new Commit();
  #fullState: FullState | undefined;
  #building: Promise<FullState> | undefined;
  /** Deliveries that came while the whole was being built. */
  #held: Delivery[] = [];
  readonly #sets: RecentSets;
  /** The index of the model as it was read. */
  readonly #base: number;

  private constructor(
    private readonly options: PublishedModelOptions,
    private readonly model: DataModel,
    private readonly place: Cursor,
  ) {
    this.#base = lastIndexOf(transactionAt(place) - 1);
    this.#sets = new RecentSets(this.#base);
  }

  static async load(options: PublishedModelOptions): Promise<PublishedModel> {
    const { model, place } = await loadDataModel(options.store, options.catalog, options.now);
    return new PublishedModel(options, model, place);
  }

  get timelineId(): string {
    return this.options.timelineId;
  }

  /** The index of the latest set. */
  get newest(): number {
    return this.#sets.newest;
  }

  /** Publishes the commits of a delivery. */
  apply(delivery: Delivery): void {
    if (this.#building) {
      this.#held.push(delivery);
      return;
    }
    const newest = this.newest;
    for (const change of delivery.changes) {
      if (change.cursor <= this.place) continue;
      const transaction = transactionAt(change.cursor);
      if (transaction !== this.#commit.transaction) this.publish();
      this.#commit.add(transaction, change);
    }
    if (delivery.isEnd) this.publish();
    if (this.newest > newest) this.options.onSets();
  }

  /** Publishes what time alone changes; call it every few seconds. */
  lookAtTime(): void {
    const now = this.options.now();
    if (this.#building || !this.model.enablesAt || this.model.enablesAt > now) return;
    const events = this.model.enable(now);
    if (events.length === 0) return;
    // It is no commit, so a router that has it gets the whole model from another controller.
    this.#sets.add(this.newest + 1, events);
    this.options.onSets();
  }

  /** The first set behind an index. */
  after(index: number): ChangeSet | undefined {
    return this.#sets.after(index);
  }

  /** Where a router begins that has the model at an index of this timeline; undefined if it needs the whole. */
  async startAfter(index: number): Promise<SetPosition | undefined> {
    if (index >= this.#base) {
      return this.#sets.has(index) ? { index, previousIndex: index } : undefined;
    }
    const commit = commitEndingAt(index);
    const isCurrent = commit !== undefined && !(await this.hasChangeBehind(commit));
    // The index of a set that another controller numbered is not the one before the next.
    return isCurrent && this.#sets.has(this.#base)
      ? { index: this.#base, previousIndex: 0 }
      : undefined;
  }

  /**
   * Gives the whole model with the events of these keys, built once for all routers that ask at about the same
   * time: what it lacks is in the sets behind its index.
   */
  async fullState(keys: readonly Buffer[] = NO_KEYS): Promise<FullState> {
    for (;;) {
      const state = await (this.#building ?? this.#fullState);
      const isRecent = state && this.#sets.countAfter(state.endIndex) <= MAX_BEHIND;
      if (isRecent && state.keys === keys) return state;
      if (!this.#building) return this.rebuild(keys);
    }
  }

  /** Gives the whole model at an index; undefined when that is not the newest one. */
  async fullStateAt(index: number, keys: readonly Buffer[]): Promise<FullState | undefined> {
    while (this.#building) await this.#building;
    if (this.newest !== index) return undefined;
    const state = this.#fullState;
    return state?.endIndex === index && state.keys === keys ? state : this.rebuild(keys);
  }

  /** Compares the model with the database; gives what differs for longer than a commit needs to come here. */
  async differences(): Promise<string[]> {
    const first = await this.differencesNow();
    if (first.length === 0) return first;
    await pause(SETTLE_MILLIS);
    const second = new Set(await this.differencesNow());
    return first.filter((difference) => second.has(difference));
  }

  private async differencesNow(): Promise<string[]> {
    const { store, catalog, now } = this.options;
    const { model } = await loadDataModel(store, catalog, now);
    return modelDifferences(this.model, model);
  }

  /** Builds the whole; changes wait until it is done. */
  private async rebuild(keys: readonly Buffer[]): Promise<FullState> {
    this.#building = this.build(keys);
    try {
      this.#fullState = await this.#building;
      return this.#fullState;
    } finally {
      this.#building = undefined;
      for (const delivery of this.#held.splice(0)) this.apply(delivery);
    }
  }

  /** Other work is done in between. */
  private async build(keys: readonly Buffer[]): Promise<FullState> {
    const endIndex = this.newest;
    const events: Buffer[] = [];
    let begunAt = performance.now();
    for (const event of this.model.all(keys)) {
      events.push(event);
      if (performance.now() - begunAt < SLICE_MILLIS) continue;
      await nextTurn();
      begunAt = performance.now();
    }
    const { timelineId } = this;
    const body = encodedFullState(events, { endIndex, timelineId });
    return { endIndex, keys, body };
  }

  /** Whether something that routers know changed behind a commit, before this model was read. */
  private async hasChangeBehind(commit: number): Promise<boolean> {
    const epoch = this.place.slice(0, EPOCH_DIGITS);
    const xid = (commit + 1).toString(16).padStart(XID_DIGITS, '0');
    const between = { after: `${epoch}${xid}${'0'.repeat(SEQ_DIGITS)}`, before: this.place };
    try {
      const kinds = Object.keys(ROUTER_ENTITIES);
      return await history.hasChangeBetween(this.options.store, kinds, between);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'HISTORY_NOT_KEPT') return true;
      throw error;
    }
  }

  private publish(): void {
    const { transaction } = this.#commit;
    const rows = this.#commit.end();
    if (rows.length === 0 || transaction === undefined) return;
    const parts = split(this.model.apply(rows, this.options.now()));
    const firstIndex = lastIndexOf(transaction) - parts.length + 1;
    for (const [i, part] of parts.entries()) this.#sets.add(firstIndex + i, part);
  }
}

const NO_KEYS: readonly Buffer[] = [];
/** So many sets may follow a whole that is sent. */
const MAX_BEHIND = 50;
const SLICE_MILLIS = 8;
/** A commit comes here so much later at most, while the database works. */
const SETTLE_MILLIS = 1_000;

/** The rows that a commit changed, each in its last state. */
class Commit {
  readonly #rows = new Map<string, RowState>();
  #transaction: number | undefined;

  get transaction(): number | undefined {
    return this.#transaction;
  }

  add(transaction: number, { resource, id, after }: LoggedChange): void {
    this.#transaction = transaction;
    if (!isRouterEntity(resource)) return;
    const key = `${resource} ${id}`;
    const earlier = this.#rows.get(key)?.after;
    this.#rows.set(key, { kind: resource, id, after: withServiceConfigs(after, earlier) });
  }

  end(): RowState[] {
    const rows = [...this.#rows.values()];
    this.#rows.clear();
    this.#transaction = undefined;
    return rows;
  }
}

/** Only a change of the configs for services names them. */
function withServiceConfigs(
  after: JsonObject | null,
  earlier: JsonObject | null | undefined,
): JsonObject | null {
  const serviceConfigs = earlier?.serviceConfigs;
  return after && serviceConfigs !== undefined ? { serviceConfigs, ...after } : after;
}

const EPOCH_DIGITS = 4;
const XID_DIGITS = 16;
const SEQ_DIGITS = 16;

/** The number of the transaction at a place of the change log. */
const transactionAt = (place: string): number =>
  Number.parseInt(place.slice(EPOCH_DIGITS, EPOCH_DIGITS + XID_DIGITS), 16);
