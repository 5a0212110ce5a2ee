import { expect, test } from '@jest/globals';
import { toEnd } from '../../../src/base/slices.js';
import { encodedFullState } from '../../../src/network/data-model/change-sets.js';
import type { PublishedModel } from '../../../src/network/data-model/index.js';
import type { ConnectedRouter } from '../../../src/network/control/connected-router.js';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { DataModelSubscription } from '../../../src/network/control/data-model-subscription.js';
import { piecesOf, type Body } from '../../../src/network/control/frame.js';
import { messages, type SubscribeToDataModelRequest } from '../../../src/network/messages/index.js';

/* Which keys a router gets, and with which message: a whole model takes the place of earlier keys. */

const INDEX = 7;
const TIMELINE = 'here';

const keyNamed = (kid: string): Buffer =>
  messages.DataStateEvent.encode({ isSynthetic: true, publicKey: { kid } });

/** A model without entities at a controller with keys, and what a router gets of it. */
class KeysAtRouter {
  readonly sent: { readonly isWhole: boolean; readonly kids: readonly string[] }[] = [];
  readonly subscription: DataModelSubscription;
  /** Called while the whole is built. */
  onBuild = (): void => undefined;
  #keys: readonly Buffer[] = [keyNamed('first')];

  constructor(followsDataModel: boolean) {
    const channel = {
      isOpen: true,
      ready: () => Promise.resolve(),
      written: () => Promise.resolve(),
      send: (type: number, body: Body) => {
        this.note(type, Buffer.concat(piecesOf(body)));
      },
    };
    const router = { followsDataModel, channel } as unknown as ConnectedRouter;
    const keys = (): readonly Buffer[] => this.#keys;
    const source = {
      keys: () => Promise.resolve(keys()),
      model: () => Promise.resolve(this.model),
      get latestKeys() {
        return keys();
      },
    };
    this.subscription = new DataModelSubscription({ router, source, now: () => new Date(0) });
  }

  /** Replaces the keys by one other key. */
  change(kid: string): void {
    this.#keys = [keyNamed(kid)];
    this.subscription.sendKeys(this.#keys);
  }

  async subscribe(request: Partial<SubscribeToDataModelRequest>): Promise<void> {
    const encoded = messages.SubscribeToDataModelRequest.encode({
      subscriptionDurationSeconds: 300,
      ...request,
    });
    await this.subscription.subscribe(messages.SubscribeToDataModelRequest.decode(encoded));
  }

  private readonly model = {
    timelineId: TIMELINE,
    startAfter: (index: number) => Promise.resolve({ index, previousIndex: index }),
    after: () => undefined,
    fullState: (keys: readonly Buffer[]) => {
      this.onBuild();
      const body = toEnd(encodedFullState(keys, { endIndex: INDEX, timelineId: TIMELINE }));
      return Promise.resolve({ endIndex: INDEX, keys, body });
    },
  } as unknown as PublishedModel;

  private note(type: number, body: Buffer): void {
    const isWhole = type === CONTENT.dataModel;
    const events = isWhole
      ? messages.DataState.decode(body).events
      : messages.DataStateChangeSet.decode(body).changes;
    this.sent.push({ isWhole, kids: events.flatMap(({ publicKey }) => publicKey?.kid ?? []) });
  }
}

test('the whole has keys that have changed while it was built', async () => {
  const router = new KeysAtRouter(true);
  await router.subscription.sendAllKeys();
  router.onBuild = () => {
    router.onBuild = () => undefined;
    router.change('second');
  };
  await router.subscribe({ subscriptionId: 'mine' });
  expect(router.sent).toEqual([
    { isWhole: false, kids: ['first'] },
    { isWhole: false, kids: ['second'] },
    { isWhole: true, kids: ['second'] },
  ]);
});

const UP_TO_DATE = { currentIndex: INDEX, timelineId: TIMELINE };

test('a router of version 1.6, which drops earlier keys, gets them again when it subscribes', async () => {
  const router = new KeysAtRouter(true);
  await router.subscription.sendAllKeys();
  await router.subscribe(UP_TO_DATE);
  await router.subscribe({ ...UP_TO_DATE, renew: true });
  const keys = { isWhole: false, kids: ['first'] };
  expect(router.sent).toEqual([keys, keys]);
});

test('a router of version 2 gets no keys again when it subscribes', async () => {
  const router = new KeysAtRouter(true);
  await router.subscription.sendAllKeys();
  await router.subscribe({ ...UP_TO_DATE, subscriptionId: 'mine' });
  expect(router.sent).toHaveLength(1);
});

test('a router that renews its subscription before its start was looked at gets nothing twice', async () => {
  const router = new KeysAtRouter(true);
  const request = { ...UP_TO_DATE, subscriptionId: 'mine' };
  const starting = router.subscribe(request);
  await router.subscribe({ ...request, renew: true, currentIndex: 0, timelineId: '' });
  await starting;
  expect(router.sent).toEqual([]);
});

test.each([
  ['has a model', UP_TO_DATE, false],
  ['has no model', {}, true],
])(
  'a router that subscribes after the model was withdrawn and %s gets keys, and their changes',
  async (_, request, isWhole) => {
    const router = new KeysAtRouter(false);
    await router.subscription.sendAllKeys();
    router.change('second');
    expect(router.sent).toEqual([]);
    await router.subscribe(request);
    router.change('third');
    expect(router.sent).toEqual([
      { isWhole, kids: ['second'] },
      { isWhole: false, kids: ['third'] },
    ]);
  },
);
