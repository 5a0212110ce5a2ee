import type { Catalog } from '../../kernel/declare/catalog.js';
import type { Change, LoggedChange, Store } from '../../kernel/request/store-port.js';
import { holdsKeys, PublishedKeys, type ControllerKeys } from './published-keys.js';
import { PublishedModel } from './published-model.js';

export interface DataModelSourceOptions {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly timelineId: string;
  readonly keys: () => ControllerKeys;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

/** What is told of the data model to all routers that follow it. */
export interface DataModelListener {
  /** There are new sets. */
  onSets(): void;
  /** Keys have changed; the events have no index. */
  onKeys(events: readonly Buffer[]): void;
}

/** Changes of the log, and whether they are all that was there. */
interface Delivery {
  readonly changes: readonly LoggedChange[];
  readonly isEnd: boolean;
}

/** The data model of a controller, which is read when the first router asks for it, and its keys. */
export class DataModelSource {
  readonly #keys: PublishedKeys;
  readonly #listeners = new Set<DataModelListener>();
  #model: Promise<PublishedModel> | undefined;
  #loaded: PublishedModel | undefined;
  /** What the feed delivers while the model is read. */
  #deliveries: Delivery[] | undefined;
  #readingKeys: Promise<void> = Promise.resolve();

  constructor(private readonly options: DataModelSourceOptions) {
    const { store, keys } = options;
    this.#keys = new PublishedKeys(store, keys);
    store.onChange((changes) => {
      if (changes.some(({ resource }: Change) => holdsKeys(resource))) void this.lookAtKeys();
    });
  }

  /** Adds a listener; gives a function that removes it. */
  listen(listener: DataModelListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Gives the model; reads it at the first call. */
  model(): Promise<PublishedModel> {
    this.#model ??= this.load().catch((error: unknown) => {
      this.#model = undefined;
      throw error;
    });
    return this.#model;
  }

  /** The events that create all keys. */
  async keys(): Promise<readonly Buffer[]> {
    await (this.#keys.events.length === 0 ? this.readKeys() : this.#readingKeys);
    return this.#keys.events;
  }

  /**
   * Reads the keys again, once a router has asked for them. Call it when those of this controller change, and every
   * few seconds: other controllers register new ones without a change in the log.
   */
  async lookAtKeys(): Promise<void> {
    if (this.#keys.events.length > 0) await this.readKeys();
  }

  /** Takes what the feed delivers; `isEnd` says that it is all that was there. */
  take(changes: readonly LoggedChange[], isEnd: boolean): void {
    if (this.#deliveries) this.#deliveries.push({ changes, isEnd });
    else this.takeIn(this.#loaded, { changes, isEnd });
  }

  /** A fault ends the model alone: it is read anew, and routers get the whole. */
  private takeIn(model: PublishedModel | undefined, { changes, isEnd }: Delivery): void {
    try {
      model?.take(changes, isEnd);
    } catch (error) {
      this.options.onError(error);
      this.#model = undefined;
      this.#loaded = undefined;
      for (const listener of this.#listeners) listener.onSets();
    }
  }

  /** Where the model is; undefined before a router asked for it. */
  get position(): { readonly timeline: string; readonly index: number } | undefined {
    const { timelineId: timeline } = this.options;
    return this.#loaded && { timeline, index: this.#loaded.newest };
  }

  /** Publishes what time alone changes; call it every few seconds. */
  lookAtTime(): void {
    this.#loaded?.lookAtTime();
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

  private async load(): Promise<PublishedModel> {
    this.#deliveries = [];
    try {
      const model = await PublishedModel.load(this.options);
      for (const { changes, isEnd } of this.#deliveries) model.take(changes, isEnd);
      model.onSets(() => {
        for (const listener of this.#listeners) listener.onSets();
      });
      this.#loaded = model;
      return model;
    } finally {
      this.#deliveries = undefined;
    }
  }
}
