import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../base/errors.js';
import { eachSliced, inSlices } from '../../base/slices.js';
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
import { serviceConfigsOf } from './identity-configs.js';
import { loadDataModel, type LoadedDataModel, type LoggedState } from './load-data-model.js';
import { endOfTransaction, transactionAt } from './log-place.js';
import { differencesBetween, partsOf } from './model-differences.js';
import { isRouterEntity, ROUTER_ENTITY_KINDS } from './router-entities.js';

export interface PublishedModelOptions {
  readonly store: Store;
  readonly catalog: Catalog;
  /** Names the database: another text after a restore, the same at all of its controllers. */
  readonly timelineId: string;
  /** Called when there are new sets. */
  readonly onSets: () => void;
  /** Called when a change that came earlier could not be applied: the model is of no use any more. */
  readonly onFault: (model: PublishedModel, error: unknown) => void;
}

/** The whole model at an index. */
export interface FullState {
  readonly endIndex: number;
  readonly keys: readonly Buffer[];
  /** The body of the message to routers, in pieces. */
  readonly body: readonly Buffer[];
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
  /** How many read the model in slices at the moment: it must not change meanwhile. */
  #readers = 0;
  /** Deliveries that came meanwhile. */
  readonly #held: Delivery[] = [];
  /** It may have half of a commit. */
  #isFaulty = false;
  readonly #sets: RecentSets;
  readonly #model: DataModel;
  /** From this place on, the sets are those of every other controller. */
  readonly #exactFrom: Cursor;
  /** All changes up to here are applied. */
  #appliedUpTo: Cursor;
  /** The index of the latest set that was made again from the log. */
  #replayedUpTo = 0;

  private constructor(
    private readonly options: PublishedModelOptions,
    { model, place, exactFrom }: LoadedDataModel,
  ) {
    this.#model = model;
    this.#exactFrom = exactFrom;
    this.#appliedUpTo = place;
    this.#sets = new RecentSets(lastIndexOf(transactionAt(place)));
  }

  /** Reads the model as it was some changes ago, and makes the sets since then again. */
  static async load(options: PublishedModelOptions): Promise<PublishedModel> {
    const { store, catalog } = options;
    const loaded = await loadDataModel({ store, catalog, maxChanges: MAX_REPLAYED });
    try {
      return await this.from(options, loaded);
    } catch {
      // The fault is reported. Without the sets of the past, every router gets the whole.
      return this.from(options, await loadDataModel({ store, catalog, maxChanges: 0 }));
    }
  }

  /** Begins with a model that was read. */
  static async from(
    options: PublishedModelOptions,
    loaded: LoadedDataModel,
  ): Promise<PublishedModel> {
    const published = new PublishedModel(options, loaded);
    const replayed = eachSliced(loaded.changes, 1, (change) => {
      published.applyChange(change);
    });
    try {
      await inSlices(replayed);
      published.publish();
    } catch (error) {
      options.onFault(published, error);
      throw error;
    }
    published.#appliedUpTo = loaded.end;
    published.#replayedUpTo = published.newest;
    return published;
  }

  get timelineId(): string {
    return this.options.timelineId;
  }

  /** The index of the latest set. */
  get newest(): number {
    return this.#sets.newest;
  }

  /** Publishes the commits of a delivery. After an error the model is of no use any more. */
  apply(delivery: Delivery): void {
    if (this.#readers > 0) {
      this.#held.push(delivery);
      return;
    }
    try {
      this.applyNow(delivery);
    } catch (error) {
      this.#isFaulty = true;
      throw error;
    }
  }

  private applyNow(delivery: Delivery): void {
    const newest = this.newest;
    for (const change of delivery.changes) {
      if (change.cursor > this.#appliedUpTo) this.applyChange(change);
    }
    if (delivery.isEnd) this.publish();
    if (this.newest > newest) this.options.onSets();
  }

  /** The disabled identities whose time is over. */
  overdue(now: Date): readonly string[] {
    return this.#model.overdue(now);
  }

  /** The first set behind an index. */
  after(index: number): ChangeSet | undefined {
    return this.#sets.after(index);
  }

  /** Where a router begins that has the model at an index of this timeline; undefined if it needs the whole. */
  async startAfter(index: number): Promise<SetPosition | undefined> {
    const commit = commitEndingAt(index);
    // Another controller may have split a commit elsewhere.
    const isNumberedHere = commit !== undefined || index > this.#replayedUpTo;
    if (isNumberedHere && index >= this.exactIndex && this.#sets.has(index)) {
      return { index, previousIndex: index };
    }
    if (commit === undefined || !(await this.hasSameModelAt(index, commit))) return undefined;
    const latest = this.#sets.latestUpTo(Math.max(index, this.exactIndex));
    // The router has another index than that of the set before the next.
    return latest === undefined ? undefined : { index: latest, previousIndex: 0 };
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
    const { store, catalog } = this.options;
    const { model } = await loadDataModel({ store, catalog, maxChanges: 0 });
    // Changes wait no longer than for the model in memory: there may be revocations among them.
    const inMemory = await this.whileHeld(() => partsOf(this.#model));
    return differencesBetween(inMemory, await partsOf(model));
  }

  /** Reads the model in slices; changes wait until it is read. */
  private async whileHeld<T>(read: () => Promise<T>): Promise<T> {
    if (this.#isFaulty) throw new Error('the data model is read anew after a fault');
    this.#readers += 1;
    try {
      return await read();
    } finally {
      this.#readers -= 1;
      if (this.#readers === 0) this.applyHeld();
    }
  }

  /** A fault is none of the reader: what it has read is complete. */
  private applyHeld(): void {
    try {
      for (const delivery of this.#held.splice(0)) this.apply(delivery);
    } catch (error) {
      this.options.onFault(this, error);
    }
  }

  private async rebuild(keys: readonly Buffer[]): Promise<FullState> {
    return this.whileHeld(async () => {
      this.#building = this.build(keys);
      try {
        this.#fullState = await this.#building;
        return this.#fullState;
      } finally {
        this.#building = undefined;
      }
    });
  }

  private async build(keys: readonly Buffer[]): Promise<FullState> {
    const endIndex = this.newest;
    const { timelineId } = this;
    const body = await inSlices(encodedFullState(this.#model.all(keys), { endIndex, timelineId }));
    return { endIndex, keys, body };
  }

  private get exactIndex(): number {
    return lastIndexOf(transactionAt(this.#exactFrom));
  }

  /** Whether a router with the index of a commit has a model to which the sets of this one lead on. */
  private async hasSameModelAt(index: number, commit: number): Promise<boolean> {
    const place = endOfTransaction(commit, this.#exactFrom);
    if (index < this.exactIndex) return this.isUnchanged(place, this.#exactFrom);
    return index <= this.newest || this.isUnchanged(this.#appliedUpTo, place);
  }

  /** Whether nothing that routers know changed between two places. */
  private async isUnchanged(after: Cursor, upTo: Cursor): Promise<boolean> {
    try {
      return await history.isUnchanged(this.options.store, ROUTER_ENTITY_KINDS, { after, upTo });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'HISTORY_NOT_KEPT') return false;
      throw error;
    }
  }

  /** The commit is published with the first change of the next one. */
  private applyChange(change: LoggedState): void {
    const transaction = transactionAt(change.cursor);
    if (transaction !== this.#commit.transaction) this.publish();
    this.#commit.add(transaction, change);
    this.#appliedUpTo = change.cursor;
  }

  private publish(): void {
    const { transaction } = this.#commit;
    const rows = this.#commit.end();
    if (rows.length === 0 || transaction === undefined) return;
    const parts = split(this.eventsOf(transaction, rows));
    const firstIndex = lastIndexOf(transaction) - parts.length + 1;
    for (const [i, part] of parts.entries()) this.#sets.add(firstIndex + i, part);
  }

  private eventsOf(transaction: number, rows: readonly RowState[]): Buffer[] {
    try {
      return this.#model.apply(rows);
    } catch (cause) {
      const fault = `the changes of the transaction ${String(transaction)} can not be given to routers`;
      throw new Error(fault, { cause });
    }
  }
}

const NO_KEYS: readonly Buffer[] = [];
/** So many sets may follow a whole that is sent. */
const MAX_BEHIND = 50;
/** So many changes of the log are made sets again at the start, for routers that come from other controllers. */
const MAX_REPLAYED = 5_000;
/** A commit comes here so much later at most, while the database works. */
const SETTLE_MILLIS = 1_000;

/** The rows that a commit changed, each in its last state. */
class Commit {
  readonly #rows = new Map<string, RowState>();
  #transaction: number | undefined;

  get transaction(): number | undefined {
    return this.#transaction;
  }

  add(transaction: number, { resource, id, after }: LoggedState): void {
    this.#transaction = transaction;
    if (!isRouterEntity(resource)) return;
    const key = `${resource} ${id}`;
    const earlier = this.#rows.get(key);
    const isReplaced = earlier?.isReplaced === true || earlier?.after === null;
    const state = { ...serviceConfigsAfter(earlier), ...after };
    this.#rows.set(key, { kind: resource, id, after: after && state, isReplaced });
    if (resource === 'Service' && !after) this.forgetService(id);
  }

  /** A deleted service takes the configs of identities for it along. */
  private forgetService(serviceId: string): void {
    for (const [key, { after, ...row }] of this.#rows) {
      if (after?.serviceConfigs === undefined) continue;
      const serviceConfigs = serviceConfigsOf(after.serviceConfigs).filter(
        (config) => config.serviceId !== serviceId,
      );
      this.#rows.set(key, { ...row, after: { ...after, serviceConfigs } });
    }
  }

  end(): RowState[] {
    const rows = [...this.#rows.values()];
    this.#rows.clear();
    this.#transaction = undefined;
    return rows;
  }
}

/** Only a change of the configs for services names them; an identity that was deleted had them taken along. */
function serviceConfigsAfter(earlier: RowState | undefined): JsonObject {
  if (earlier?.after === null) return earlier.kind === 'Identity' ? { serviceConfigs: [] } : {};
  const serviceConfigs = earlier?.after.serviceConfigs;
  return serviceConfigs === undefined ? {} : { serviceConfigs };
}
