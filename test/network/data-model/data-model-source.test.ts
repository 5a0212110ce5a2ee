import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ConnectedRouter } from '../../../src/network/control/connected-router.js';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { DataModelSubscription } from '../../../src/network/control/data-model-subscription.js';
import type { Body } from '../../../src/network/control/frame.js';
import { DataModelSource } from '../../../src/network/data-model/data-model-source.js';
import { messages, type SubscribeToDataModelRequest } from '../../../src/network/messages/index.js';
import { InProcess } from '../../support/in-process.js';
import { StrictRouter } from './strict-router.js';

/** The model of a controller after faults: routers get it by themselves, as soon as it can be read. */

const NO_DATABASE = 'the database is away';

let controller: InProcess;
let source: DataModelSource;
let faults: unknown[];

beforeEach(async () => {
  controller = await InProcess.start();
  faults = [];
  const { store, keys } = controller.parts;
  source = new DataModelSource({
    ...{ store, catalog: controller.catalog, timelineId: 'timeline', now: () => new Date() },
    enableOverdue: () => Promise.resolve(),
    keys: () => keys,
    servesRouters: () => true,
    onError: (error) => faults.push(error),
  });
});
afterEach(async () => {
  for (const restore of restores.splice(0)) restore();
  await controller.stop();
});

const restores: (() => void)[] = [];

/** Replaces a method until the test ends. */
function replace<T extends object, K extends keyof T>(owner: T, name: K, method: T[K]): void {
  const earlier = Object.getOwnPropertyDescriptor(owner, name);
  owner[name] = method;
  restores.push(() => {
    if (earlier) Object.defineProperty(owner, name, earlier);
    else Reflect.deleteProperty(owner, name);
  });
}

/** The next read of the model fails. */
function failOnce(): void {
  const { store } = controller.parts;
  const snapshot = store.snapshot.bind(store);
  let isFailed = false;
  replace(store, 'snapshot', () => {
    if (isFailed) return snapshot();
    isFailed = true;
    return Promise.reject(new Error(NO_DATABASE));
  });
}

/** A router that the controller serves, and that accepts no mistake. */
class ServedRouter {
  readonly model = new StrictRouter();
  wholes = 0;
  readonly subscription: DataModelSubscription;
  #sending: Promise<void> = Promise.resolve();

  constructor() {
    const channel = {
      isOpen: true,
      ready: () => Promise.resolve(),
      written: () => Promise.resolve(),
      send: (type: number, body: Body) => {
        if (type === CONTENT.dataModelChangeSet) this.model.takeSet(body);
        else {
          this.model.takeState(body);
          this.wholes += 1;
        }
      },
    };
    const router = { followsDataModel: true, channel } as unknown as ConnectedRouter;
    this.subscription = new DataModelSubscription({ router, source, now: () => new Date() });
    source.listen({
      onSets: () => {
        const sending = this.subscription.send().catch((error: unknown) => faults.push(error));
        this.#sending = Promise.all([this.#sending, sending]).then(() => undefined);
      },
      onKeys: () => undefined,
      haveKeys: () => true,
    });
  }

  async subscribe(): Promise<void> {
    const request: Partial<SubscribeToDataModelRequest> = {
      ...{ subscriptionDurationSeconds: 300, subscriptionId: 'mine' },
    };
    const encoded = messages.SubscribeToDataModelRequest.encode(request);
    await this.subscription.subscribe(messages.SubscribeToDataModelRequest.decode(encoded));
  }

  /** All that it is told to send is sent. */
  async served(): Promise<void> {
    await this.#sending;
  }
}

describe('a model that could not be read', () => {
  test('is read again within a second, and goes to the routers that wait for it', async () => {
    const router = new ServedRouter();
    failOnce();
    await expect(router.subscribe()).rejects.toThrow(NO_DATABASE);
    await source.lookAtTime();
    await router.served();
    expect(router.wholes).toBe(1);
    expect(source.position).toEqual({ timeline: 'timeline', index: router.model.index });
    expect(faults).toEqual([]);
  });

  test('is read again until it succeeds, and each failure is reported', async () => {
    const router = new ServedRouter();
    failOnce();
    await expect(router.subscribe()).rejects.toThrow(NO_DATABASE);
    failOnce();
    await expect(source.lookAtTime()).rejects.toThrow(NO_DATABASE);
    await source.lookAtTime();
    await router.served();
    expect(router.wholes).toBe(1);
  });

  test('is not read before a router asks for it', async () => {
    const router = new ServedRouter();
    await source.lookAtTime();
    expect(source.position).toBeUndefined();
    expect(router.wholes).toBe(0);
  });
});
