import type { Catalog } from '../../kernel/declare/catalog.js';
import type { Change, Store } from '../../kernel/request/store-port.js';
import { holdsKeys, PublishedKeys, type ControllerKeys } from './published-keys.js';
import { PublishedModel, type Delivery } from './published-model.js';

export interface DataModelSourceOptions {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly timelineId: string;
  readonly keys: () => ControllerKeys;
  /** Whether routers connect to this controller, and to no other one. */
  readonly servesRouters: () => boolean;
  readonly now: () => Date;
  /** Stores that identities are enabled whose time of being disabled is over. */
  readonly enableOverdue: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Follows the data model for all routers. */
export interface DataModelListener {
  /** There are new sets. */
  onSets(): void;
  /** Keys have changed; the events have no index. */
  onKeys(events: readonly Buffer[]): void;
  /** Whether all routers have been sent all these keys. */
  haveKeys(events: readonly Buffer[]): boolean;
}

/** The data model of a controller, which is read when the first router asks for it, and its keys. */
export class DataModelSource {
  readonly #keys: PublishedKeys;
  readonly #listeners = new Set<DataModelListener>();
  #model: Promise<PublishedModel> | undefined;
  /** Whether a router asked for the model. */
  #isWanted = false;
  #loaded: PublishedModel | undefined;
  /** Deliveries of the feed while the model is read. */
  #deliveries: Delivery[] | undefined;
  #readingKeys: Promise<void> = Promise.resolve();

  constructor(private readonly options: DataModelSourceOptions) {
    const { store, keys, now } = options;
    this.#keys = new PublishedKeys(store, keys, now);
    store.onChange((changes) => {
      if (changes.some(({ resource }: Change) => holdsKeys(resource))) void this.lookAtKeys();
    });
  }

  /** Adds a listener; gives a function that removes it. */
  listen(listener: DataModelListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Gives the model; reads it at the first call. After a failure, `lookAtTime` reads it again. */
  model(): Promise<PublishedModel> {
    this.#isWanted = true;
    this.#model ??= this.load().catch((error: unknown) => {
      this.#model = undefined;
      throw error;
    });
    return this.#model;
  }

  /** The events that create all keys, after they are read for the first time. */
  async keys(): Promise<readonly Buffer[]> {
    await (this.#keys.events.length === 0 ? this.readKeys() : this.#readingKeys);
    return this.latestKeys;
  }

  /** The events that create all keys, as they were read last. */
  get latestKeys(): readonly Buffer[] {
    return this.#keys.events;
  }

  /**
   * Reads the keys again for the routers of this controller, and notes which ones all routers have: their
   * controllers sign with them from then on. Call it when keys of this controller change, and every second: other
   * controllers register new ones without a change in the log.
   */
  async lookAtKeys(): Promise<void> {
    if (!this.options.servesRouters()) return;
    await this.readKeys();
    if (!this.options.servesRouters()) return;
    const haveAll = [...this.#listeners].every((listener) => listener.haveKeys(this.latestKeys));
    if (haveAll) await this.#keys.markSent().catch(this.options.onError);
  }

  /** Applies a delivery of the feed. A fault ends the model alone: it is read anew, and routers get the whole. */
  apply(delivery: Delivery): void {
    if (this.#deliveries) {
      this.#deliveries.push(delivery);
      return;
    }
    const model = this.#loaded;
    try {
      model?.apply(delivery);
    } catch (error) {
      if (model) this.drop(model, error);
    }
  }

  /** Where the model is; undefined before a router asked for it. */
  get position(): { readonly timeline: string; readonly index: number } | undefined {
    const { timelineId: timeline } = this.options;
    return this.#loaded && { timeline, index: this.#loaded.newest };
  }

  /** The differences between the model in memory and the database; none before a router asked for it. */
  async differences(): Promise<readonly string[]> {
    return (await this.#loaded?.differences()) ?? [];
  }

  /**
   * Reads a model again that could not be read, and has identities enabled whose time of being disabled is over;
   * call it every second.
   */
  async lookAtTime(): Promise<void> {
    if (this.#isWanted && !this.#model && this.#listeners.size > 0) await this.model();
    const { now, enableOverdue } = this.options;
    const overdue = this.#loaded?.overdue(now()) ?? [];
    if (overdue.length > 0) await enableOverdue();
  }

  private readKeys(): Promise<void> {
    const read = async (): Promise<void> => {
      const events = await this.#keys.read();
      if (events.length === 0) return;
      for (const listener of this.#listeners) listener.onKeys(events);
    };
    this.#readingKeys = this.#readingKeys.then(read).catch(this.options.onError);
    return this.#readingKeys;
  }

  /** Drops a model that could not apply a change; it may have half of it. */
  private drop(model: PublishedModel, error: unknown): void {
    this.options.onError(error);
    if (this.#loaded !== model) return;
    this.#model = undefined;
    this.#loaded = undefined;
    this.tellOfSets();
  }

  private tellOfSets(): void {
    for (const listener of this.#listeners) listener.onSets();
  }

  private async load(): Promise<PublishedModel> {
    this.#deliveries = [];
    try {
      // Routers end connections of identities that they see disabled.
      await this.options.enableOverdue().catch(this.options.onError);
      const onSets = (): void => {
        this.tellOfSets();
      };
      const model = await PublishedModel.load({
        ...this.options,
        onSets,
        onFault: (faulty, error) => {
          this.drop(faulty, error);
        },
      });
      for (const delivery of this.#deliveries) model.apply(delivery);
      this.#loaded = model;
      // Routers wait for it that could not get an earlier one.
      onSets();
      return model;
    } finally {
      this.#deliveries = undefined;
    }
  }
}
