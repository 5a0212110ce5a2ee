import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { sql } from '../../../src/base/sql.js';
import { signingKeys } from '../../../src/data/rows/controller/index.js';
import { ConnectedRouter } from '../../../src/network/control/connected-router.js';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { ControlChannel } from '../../../src/network/control/control-channel.js';
import { DataModelSubscription } from '../../../src/network/control/data-model-subscription.js';
import { FRAME_LIMITS, FrameReader } from '../../../src/network/control/frame.js';
import { Underlay } from '../../../src/network/control/underlay.js';
import { DataModelSource } from '../../../src/network/data-model/data-model-source.js';
import type { RouterConnection } from '../../../src/network/presence/index.js';
import { TokenKeys } from '../../../src/trust/auth/index.js';
import { fingerprint, signJwt, type KeyMaterial } from '../../../src/trust/pki/index.js';
import { InProcess } from '../../support/in-process.js';
import { after, load, NOW, temporaryFolder } from '../../trust/pki/support.js';
import { Wire } from '../control/wire.js';
import { StrictRouter } from './strict-router.js';

/* A new key signs tokens only when every connected router has been sent it. */

type Signer = Pick<KeyMaterial, 'authorities' | 'server'>;

let now = NOW;
let network: InProcess;
let servesRouters = true;
let source: DataModelSource;
/** The controller that serves the routers. */
let first: Signer;
let firstKeys: TokenKeys;
let routers: FollowingRouter[] = [];

beforeAll(async () => {
  network = await InProcess.start();
});
afterAll(() => network.stop());

beforeEach(async () => {
  now = NOW;
  servesRouters = true;
  await network.parts.store.query(sql`delete from signing_key`);
  first = await load(await temporaryFolder());
  source = new DataModelSource({
    ...{ store: network.parts.store, catalog: network.catalog, timelineId: 'timeline' },
    now: () => now,
    keys: () => first,
    servesRouters: () => servesRouters,
    enableOverdue: () => Promise.resolve(),
    onError: (error) => {
      throw error;
    },
  });
  source.listen({
    onSets: () => undefined,
    onKeys: (events) => {
      for (const { subscription } of routers) subscription.sendKeys(events);
    },
    haveKeys: (events) => routers.every(({ subscription }) => subscription.hasKeys(events)),
  });
  firstKeys = tokenKeys(() => first);
  await register('one', first);
  await look();
  await firstKeys.refresh();
});

afterEach(() => {
  routers = [];
});

const tokenKeys = (keyMaterial: () => Signer): TokenKeys =>
  new TokenKeys({ rows: network.parts.store, keyMaterial, now: () => now });

const register = (controllerId: string, { server: { leaf } }: Signer): Promise<void> => {
  const key = { kid: fingerprint(leaf), certPem: leaf.toString() };
  return signingKeys.register(network.parts.store, controllerId, key, now);
};

const kidOf = ({ server }: Signer): string => fingerprint(server.leaf);

/** The controller looks at the keys, and again when what it sent is written. */
async function look(): Promise<void> {
  await source.lookAtKeys();
  await nextTurn();
  await source.lookAtKeys();
}

/** A router that follows the data model. */
class FollowingRouter {
  readonly wire = new Wire();
  readonly subscription: DataModelSubscription;
  readonly #model = new StrictRouter();

  constructor(followsDataModel = true) {
    const channel = new ControlChannel(new Underlay(this.wire, new FrameReader(FRAME_LIMITS)), {
      handlers: new Map(),
      onUnknown: () => undefined,
      onError: () => undefined,
      onLost: () => undefined,
      onEnd: () => (routers = routers.filter((each) => each !== this)),
    });
    const connection = { id: 'connection', routerId: 'router' } as RouterConnection;
    const router = new ConnectedRouter(connection, channel, undefined, followsDataModel, false);
    this.subscription = new DataModelSubscription({ router, source, now: () => now });
    routers.push(this);
    channel.start();
  }

  /** One that has got all keys. */
  static async introduced(): Promise<FollowingRouter> {
    const router = new FollowingRouter();
    await router.subscription.sendAllKeys();
    await nextTurn();
    return router;
  }

  /** The keys by which it verifies tokens. */
  get kids(): string[] {
    for (const { type, body } of this.wire.written.splice(0)) {
      if (type === CONTENT.dataModelChangeSet) this.#model.takeSet(body);
    }
    const keys = [...this.#model.keys].filter(([, usages]) => usages.includes('JWTValidation'));
    return keys.map(([kid]) => kid);
  }
}

/** The key of a token that a controller signs now; every router must have it. */
async function signedBy(keys: TokenKeys): Promise<string | undefined> {
  await keys.refresh();
  const { kid = '' } = decodeProtectedHeader(signJwt(keys.signer(), { sub: 'x' }));
  for (const router of routers) expect(router.kids).toContain(kid);
  return kid;
}

describe.each(['that serves the routers', 'beside it'])(
  'a new key of the controller %s',
  (which) => {
    let current: Signer;
    let former: Signer;
    let keys: TokenKeys;
    let replace: () => Promise<void>;

    beforeEach(async () => {
      const isFirst = which === 'that serves the routers';
      former = isFirst ? first : await load(await temporaryFolder());
      current = former;
      keys = isFirst ? firstKeys : tokenKeys(() => current);
      const id = isFirst ? 'one' : 'two';
      await register(id, former);
      await look();
      const next = await load(await temporaryFolder());
      replace = async () => {
        const server = { ...next.server, formerLeaves: [former.server.leaf] };
        current = { ...former, server };
        if (isFirst) first = current;
        await register(id, current);
      };
    });

    test('waits for the slowest router, while the former key signs', async () => {
      const slow = await FollowingRouter.introduced();
      const quick = await FollowingRouter.introduced();
      expect(await signedBy(keys)).toBe(kidOf(former));
      await replace();
      expect(await signedBy(keys)).toBe(kidOf(former));
      slow.wire.isStuck = true;
      await look();
      expect(quick.kids).toContain(kidOf(current));
      expect(await signedBy(keys)).toBe(kidOf(former));
      slow.wire.destroy();
      await nextTurn();
      await look();
      expect(await signedBy(keys)).toBe(kidOf(current));
      expect(quick.kids).toContain(kidOf(former));
    });

    test('signs after a minute, whatever a router does not read', async () => {
      const stuck = await FollowingRouter.introduced();
      expect(await signedBy(keys)).toBe(kidOf(former));
      await replace();
      stuck.wire.isStuck = true;
      await look();
      now = new Date(NOW.getTime() + 59_999);
      await look();
      expect(await signedBy(keys)).toBe(kidOf(former));
      now = new Date(NOW.getTime() + 60_000);
      await keys.refresh();
      expect(keys.signer().kid).toBe(kidOf(current));
    });

    test('waits for a router that has got no keys yet', async () => {
      expect(await signedBy(keys)).toBe(kidOf(former));
      const late = new FollowingRouter();
      await replace();
      await look();
      await keys.refresh();
      expect(keys.signer().kid).toBe(kidOf(former));
      await late.subscription.sendAllKeys();
      await look();
      expect(await signedBy(keys)).toBe(kidOf(current));
    });

    test('signs at once when no router follows the data model', async () => {
      expect(await signedBy(keys)).toBe(kidOf(former));
      new FollowingRouter(false);
      await replace();
      await look();
      await keys.refresh();
      expect(keys.signer().kid).toBe(kidOf(current));
    });

    test('waits while no controller serves the routers', async () => {
      expect(await signedBy(keys)).toBe(kidOf(former));
      servesRouters = false;
      await replace();
      await look();
      expect(await signedBy(keys)).toBe(kidOf(former));
    });

    test('signs in each process of its controller', async () => {
      const worker = tokenKeys(() => current);
      const router = await FollowingRouter.introduced();
      expect(await signedBy(keys)).toBe(kidOf(former));
      expect(await signedBy(worker)).toBe(kidOf(former));
      await replace();
      expect(await signedBy(worker)).toBe(kidOf(former));
      await look();
      expect(await signedBy(worker)).toBe(kidOf(current));
      expect(await signedBy(keys)).toBe(kidOf(current));
      expect(router.kids).toContain(kidOf(current));
    });
  },
);

describe('a controller that starts before routers have its new key', () => {
  test('signs in the name of the certificate before, if only that was renewed', async () => {
    const folder = await temporaryFolder();
    const former = await load(folder);
    await register('two', former);
    await look();
    await FollowingRouter.introduced();
    const renewed = await load(folder, { clock: () => after(300) });
    expect(kidOf(renewed)).not.toBe(kidOf(former));
    await register('two', renewed);
    const keys = tokenKeys(() => renewed);
    expect(await signedBy(keys)).toBe(kidOf(former));
    const token = signJwt(keys.signer(), { sub: 'x' });
    await jwtVerify(token, former.server.leaf.publicKey);
    await look();
    expect(await signedBy(keys)).toBe(kidOf(renewed));
  });

  test('signs with the new key, if it has no other', async () => {
    const renewed = await load(await temporaryFolder());
    await register('two', renewed);
    const keys = tokenKeys(() => renewed);
    await keys.refresh();
    expect(keys.signer().kid).toBe(kidOf(renewed));
  });
});
