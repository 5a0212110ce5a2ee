import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { changes } from '../../../src/data/rows/change/index.js';
import type { LoggedChange } from '../../../src/kernel/request/store-port.js';
import type { ConnectedRouter } from '../../../src/network/control/connected-router.js';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { DataModelSubscription } from '../../../src/network/control/data-model-subscription.js';
import type { Body } from '../../../src/network/control/frame.js';
import { DataModel } from '../../../src/network/data-model/data-model.js';
import { DataModelSource } from '../../../src/network/data-model/data-model-source.js';
import type { Delivery } from '../../../src/network/data-model/published-model.js';
import { messages, type SubscribeToDataModelRequest } from '../../../src/network/messages/index.js';
import { InProcess } from '../../support/in-process.js';
import { settledChange } from '../../support/settled-change.js';
import { StrictRouter } from './strict-router.js';

/** The model of a controller after faults: routers get it by themselves, as soon as it can be read. */

const NO_DATABASE = 'the database is away';

let controller: InProcess;
let source: DataModelSource;
let faults: unknown[];
/** The part of all places in the log that names the server of the database. */
let epoch: string;

beforeEach(async () => {
  controller = await InProcess.start();
  faults = [];
  const { store, keys } = controller.parts;
  epoch = (await changes.horizon(store)).slice(0, 4);
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

const readAll = Reflect.get(DataModel.prototype, 'all') as (
  this: DataModel,
  keys?: readonly Buffer[],
) => Generator<Buffer>;

/** Calls `work` at the end of the first read of a model. */
function whenRead(work: () => void): void {
  let isRead = false;
  replace(DataModel.prototype, 'all', function* (this: DataModel, keys?: readonly Buffer[]) {
    yield* readAll.call(this, keys);
    if (!isRead) work();
    isRead = true;
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

/** Behind all transactions of the database. */
const LATER = 1_000_000_000;
let count = 0;

/** A commit behind all others. */
function laterCommit(resource: string, id: string, after: object | null): Delivery {
  const transaction = (LATER + (count += 1)).toString(16);
  const cursor = `${epoch}${transaction.padStart(16, '0')}${'0'.repeat(16)}`;
  const change = { cursor, resource, id, after } as unknown as LoggedChange;
  return { changes: [change], isEnd: true };
}

const aRevocation = (id: string): Delivery =>
  laterCommit('Revocation', id, {
    ...{ type: 'JTI', issuedBefore: '2026-01-01T00:00:00Z', expiresAt: '2036-01-01T00:00:00Z' },
  });

/** A change that no model can apply. */
const UNREADABLE: Delivery = { changes: [undefined as never], isEnd: true };

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

describe('a change that can not be applied', () => {
  test('ends the model alone, which is read anew for all routers', async () => {
    const router = new ServedRouter();
    await router.subscribe();
    const model = await source.model();
    source.apply(UNREADABLE);
    expect(faults).toHaveLength(1);
    expect(source.position).toBeUndefined();
    await router.served();
    expect(await source.model()).not.toBe(model);
    expect(router.wholes).toBe(2);
  });

  test('does so as well when it comes while the whole is built', async () => {
    const router = new ServedRouter();
    const model = await source.model();
    const { newest } = model;
    whenRead(() => {
      source.apply(UNREADABLE);
      source.apply(aRevocation('behind it'));
    });
    await router.subscribe();
    await router.served();
    expect(faults).toHaveLength(1);
    expect(model.newest).toBe(newest);
    expect(await source.model()).not.toBe(model);
    expect(router.wholes).toBe(2);
  });

  test('is in the whole, although the sets of the past can not be made with it', async () => {
    const service = await controller.create('Service', { name: 's', encryptionRequired: true });
    await settledChange(controller);
    replace(DataModel.prototype, 'apply', () => {
      throw new Error('a fault');
    });
    const router = new ServedRouter();
    await router.subscribe();
    expect(router.wholes).toBe(1);
    expect(router.model.entity('service', service)).toBeDefined();
    expect(faults).toMatchObject([
      { message: expect.stringContaining('can not be given to routers') },
    ]);
  });

  test('leaves no whole of a model that has half of it', async () => {
    const model = await source.model();
    source.apply(UNREADABLE);
    await expect(model.fullState([])).rejects.toThrow('is read anew');
  });

  test('is reported with the number of its transaction', async () => {
    await source.model();
    replace(DataModel.prototype, 'apply', () => {
      throw new Error('a fault');
    });
    source.apply(aRevocation('one'));
    expect(faults).toMatchObject([
      { message: expect.stringContaining(String(LATER + count)), cause: { message: 'a fault' } },
    ]);
  });
});

describe('a model that is compared with the database', () => {
  test('follows the log as soon as it is read itself', async () => {
    const model = await source.model();
    const indexes: number[] = [];
    replace(DataModel.prototype, 'all', function* (this: DataModel, keys?: readonly Buffer[]) {
      yield* readAll.call(this, keys);
      source.apply(aRevocation(`number ${String(indexes.length)}`));
      indexes.push(model.newest);
    });
    const before = model.newest;
    expect(await source.differences()).toEqual([]);
    const [inMemory, stored] = indexes;
    // Of the two models, the one in memory is read first.
    expect(inMemory).toBe(before);
    expect(stored).toBeGreaterThan(before);
    expect(model.newest).toBe(stored);
  });
});
