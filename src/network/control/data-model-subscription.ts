import { setTimeout as pause } from 'node:timers/promises';
import {
  encodedChangeSet,
  encodedSyntheticSet,
  encodedValidation,
  type DataModelSource,
  type FullState,
  type PublishedModel,
  type SetPosition,
} from '../data-model/index.js';
import { answerOfRouter } from './answer-of-router.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT, HEADER } from './content-types.js';
import {
  messages,
  type RouterDataModelDiff,
  type SubscribeToDataModelRequest,
} from '../messages/index.js';
import type { Headers } from './frame.js';
import { textValue } from './header-values.js';
import { ValidationFault } from '../validation/index.js';

/** The time of a subscription in seconds. */
const MIN_SECONDS = 10;
const MAX_SECONDS = 360;
/** A router with a large model compares for seconds. */
const COMPARE_MILLIS = 30_000;
/** A router applies what it has got a moment later. */
const SETTLE_MILLIS = 1_000;
const MAX_COMPARE_ATTEMPTS = 5;

export interface DataModelSubscriptionOptions {
  readonly router: ConnectedRouter;
  readonly source: Pick<DataModelSource, 'keys' | 'latestKeys' | 'model'>;
  readonly now: () => Date;
}

interface Comparison {
  readonly fixes: boolean;
  readonly resolve: (differences: RouterDataModelDiff[]) => void;
  readonly reject: (error: unknown) => void;
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
  /** Comparisons to begin when the router has been sent everything. */
  readonly #comparisons: Comparison[] = [];
  #inStepSince: Date | null = null;

  constructor(private readonly options: DataModelSubscriptionOptions) {}

  /** The router asks for the model, or for more time. */
  async subscribe(request: SubscribeToDataModelRequest): Promise<void> {
    const isRenewed = request.renew && request.subscriptionId === this.#request?.subscriptionId;
    const seconds = Math.min(
      Math.max(request.subscriptionDurationSeconds, MIN_SECONDS),
      MAX_SECONDS,
    );
    this.#endsAt = new Date(this.options.now().getTime() + seconds * 1_000);
    // More time alone: what the router has is said by the request that began the subscription.
    if (!isRenewed) {
      this.#request = request;
      this.#isNew = true;
    }
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

  /** Since when the router has been sent everything; null while it lacks something, or does not follow. */
  get inStepSince(): Date | null {
    return this.isInStep() ? this.#inStepSince : null;
  }

  /**
   * Has the router compare its model with the one that it should have, and gives the differences. A router
   * that `fixes` replaces a model with differences.
   * @throws ValidationFault
   */
  async validate(fixes: boolean): Promise<readonly RouterDataModelDiff[]> {
    const differences = await this.compare(false);
    if (differences.length === 0) return differences;
    // It may not have applied the last change yet.
    await pause(SETTLE_MILLIS);
    return this.compare(fixes);
  }

  /** There may be new sets. */
  async send(): Promise<void> {
    this.#isAsked = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (this.#isAsked) {
        this.#isAsked = false;
        await this.sendMissing();
        for (const comparison of this.#comparisons.splice(0)) await this.begin(comparison);
      }
    } catch (error) {
      for (const { reject } of this.#comparisons.splice(0)) reject(error);
      throw error;
    } finally {
      this.#isRunning = false;
    }
  }

  private async sendMissing(): Promise<void> {
    let isSent = false;
    while (await this.sendNext()) isSent = true;
    if (isSent || this.#inStepSince === null) this.#inStepSince = this.options.now();
  }

  private isFollowing(): boolean {
    const { router, now } = this.options;
    return router.channel.isOpen && this.#endsAt > now();
  }

  private isInStep(): boolean {
    const isCurrent = this.#position?.index === this.#published?.newest;
    return isCurrent && this.#position !== undefined && !this.#isNew && this.isFollowing();
  }

  private compare(fixes: boolean): Promise<RouterDataModelDiff[]> {
    return new Promise((resolve, reject) => {
      this.#comparisons.push({ fixes, resolve, reject });
      this.send().catch(reject);
    });
  }

  /** Later sets may follow at once: a router works on frames in their order. */
  private async begin({ fixes, resolve, reject }: Comparison): Promise<void> {
    try {
      const { body } = await this.stateInStep();
      await this.options.router.channel.ready();
      this.ask(body, fixes).then(resolve, reject);
    } catch (error) {
      reject(error);
    }
  }

  /** The whole model at the index that the router has: a comparison holds at one index alone. */
  private async stateInStep(): Promise<FullState> {
    for (let attempt = 0; attempt < MAX_COMPARE_ATTEMPTS; attempt += 1) {
      if (!this.#published || !this.#position || !this.isFollowing()) {
        throw new ValidationFault('it does not follow the data model');
      }
      const keys = await this.options.source.keys();
      const state = await this.#published.fullStateAt(this.#position.index, keys);
      if (state) return state;
      await this.sendMissing();
    }
    throw new ValidationFault('the data model changes all the time');
  }

  private async ask(state: readonly Buffer[], fix: boolean): Promise<RouterDataModelDiff[]> {
    const { router } = this.options;
    const request = encodedValidation(state, fix);
    const frame = await router.channel.request(CONTENT.validateDataModel, request, {
      millis: COMPARE_MILLIS,
    });
    return answerOfRouter(router, frame, messages.RouterDataModelValidateResponse).diffs;
  }

  /** Sends the next frame; gives whether there may be another one. */
  private async sendNext(): Promise<boolean> {
    const { router, source } = this.options;
    if (!this.isFollowing()) return false;
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
