import {
  encodedChangeSet,
  encodedSyntheticSet,
  type DataModelSource,
  type PublishedModel,
  type SetPosition,
} from '../data-model/index.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT, HEADER } from './content-types.js';
import type { SubscribeToDataModelRequest } from '../messages/index.js';
import type { Headers } from './frame.js';
import { textValue } from './header-values.js';

/** The time of a subscription in seconds. */
const MIN_SECONDS = 10;
const MAX_SECONDS = 360;

export interface DataModelSubscriptionOptions {
  readonly router: ConnectedRouter;
  readonly source: Pick<DataModelSource, 'keys' | 'model'>;
  readonly now: () => Date;
}

/**
 * Keeps the data model of one router up to date for the time that it asked for: the whole model, or the sets
 * behind what it has, then each set. The next frame waits until the router has read those before.
 */
export class DataModelSubscription {
  #request: SubscribeToDataModelRequest | undefined;
  #endsAt = new Date(0);
  #published: PublishedModel | undefined;
  /** Undefined for a router that needs the whole model. */
  #position: SetPosition | undefined;
  /** Requests that have not been looked at: the latest one counts. */
  #isNew = false;
  #isRunning = false;
  /** There may be news that the run has not seen. */
  #isAsked = false;
  #hasKeys = false;
  /** The latest keys that were written to the connection. */
  #writtenKeys: readonly Buffer[] | undefined;

  constructor(private readonly options: DataModelSubscriptionOptions) {}

  /** The router asks for the model, or for more time. */
  async subscribe(request: SubscribeToDataModelRequest): Promise<void> {
    const isRenewed = request.renew && request.subscriptionId === this.#request?.subscriptionId;
    const seconds = Math.min(
      Math.max(request.subscriptionDurationSeconds, MIN_SECONDS),
      MAX_SECONDS,
    );
    this.#endsAt = new Date(this.options.now().getTime() + seconds * 1_000);
    this.#request = request;
    this.#isNew ||= !isRenewed;
    await this.send();
  }

  /** Sends the keys and the whole model once more, as far as the router asked for them: a part may be lost. */
  async sendAgain(): Promise<void> {
    this.#writtenKeys = undefined;
    if (this.#hasKeys) this.sendKeys(this.options.source.latestKeys);
    this.#position = undefined;
    await this.send();
  }

  /** Sends all keys to a router that follows the data model, also before it asks for the model. */
  async sendAllKeys(): Promise<void> {
    if (!this.follows) return;
    const { source } = this.options;
    await source.keys();
    this.#hasKeys = true;
    this.sendKeys(source.latestKeys);
  }

  /** Whether the router has been sent all these keys, or needs none. */
  hasKeys(events: readonly Buffer[]): boolean {
    return !this.follows || this.#writtenKeys === events;
  }

  /** A router of version 1.6 follows as it did at its start, whatever later hellos announce. */
  private get follows(): boolean {
    return this.options.router.followsDataModel || this.#request !== undefined;
  }

  /** Sends events about keys to a router that has got all keys before. */
  sendKeys(events: readonly Buffer[]): void {
    if (!this.#hasKeys) return;
    // Without the id of a subscription, it counts for every one.
    const { router, source } = this.options;
    router.channel.send(CONTENT.dataModelChangeSet, encodedSyntheticSet(events));
    const { latestKeys } = source;
    void router.channel.written().then(() => {
      this.#writtenKeys = latestKeys;
    });
  }

  /** There may be new sets. */
  async send(): Promise<void> {
    this.#isAsked = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (this.#isAsked) {
        this.#isAsked = false;
        while (await this.sendNext());
      }
    } finally {
      this.#isRunning = false;
    }
  }

  /** Sends the next frame; gives whether there may be another one. */
  private async sendNext(): Promise<boolean> {
    const { router, source, now } = this.options;
    if (!router.channel.isOpen || this.#endsAt <= now()) return false;
    await router.channel.ready();
    const published = await source.model();
    if (this.#published !== published) this.#position = undefined;
    this.#published = published;
    if (this.#isNew) {
      this.#isNew = false;
      this.#position = await this.start(published);
      // Routers of version 1.6 drop keys that come before they have subscribed.
      if (this.#position && this.#request?.subscriptionId === '') await this.sendAllKeys();
    } else if (this.#position) return this.sendSet(published, this.#position);
    else await this.sendWhole(published);
    return true;
  }

  private sendSet(published: PublishedModel, { index, previousIndex }: SetPosition): boolean {
    const set = published.after(index);
    if (!set) return false;
    if (set.previousIndex === index) {
      const body = encodedChangeSet(set, previousIndex);
      this.options.router.channel.send(CONTENT.dataModelChangeSet, body, this.headers());
      this.#position = { index: set.index, previousIndex: set.index };
    } else {
      // The router was too slow: the sets between are forgotten.
      this.#position = undefined;
    }
    return true;
  }

  private async sendWhole(published: PublishedModel): Promise<void> {
    const { router, source } = this.options;
    const keys = await source.keys();
    const { endIndex, body } = await published.fullState(keys);
    // The whole takes the place of keys that a router got while it was built, so it needs them, too.
    if (keys !== (await source.keys())) return;
    this.#hasKeys = true;
    router.channel.send(CONTENT.dataModel, body, this.headers());
    this.#position = { index: endIndex, previousIndex: endIndex };
  }

  /** Where the router begins; undefined if it needs the whole. */
  private async start(published: PublishedModel): Promise<SetPosition | undefined> {
    const { currentIndex = 0, timelineId } = this.#request ?? {};
    const isComparable = currentIndex > 0 && timelineId === published.timelineId;
    return isComparable ? published.startAfter(currentIndex) : undefined;
  }

  /** Routers of version 1.6 give a subscription no id, and take everything. */
  private headers(): Headers {
    const { subscriptionId = '' } = this.#request ?? {};
    return subscriptionId === ''
      ? new Map()
      : new Map([[HEADER.dataModelSubscription, textValue(subscriptionId)]]);
  }
}
