import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { RouterHello } from '../../../src/data/rows/router/index.js';
import {
  followRouters,
  type RouterConnection,
  type RouterStatus,
  type RouterStatusFollower,
} from '../../../src/network/presence/index.js';
import type { ApiError } from '../../../src/base/errors.js';
import { eventually } from '../../support/eventually.js';
import type { InProcess } from '../../support/in-process.js';
import { LAPSE, TwoControllers } from './two-controllers.js';

/* The states of routers as subscribers of another controller follow them. */

let network: TwoControllers;
let first: InProcess;
let second: InProcess;
let hello: RouterHello;
let follower: RouterStatusFollower;

beforeAll(async () => {
  network = await TwoControllers.start();
  ({ first, second } = network);
});
afterAll(() => network.stop());
beforeEach(async () => {
  hello = await network.router();
  follower = followRouters(second.parts.presence, { routerIds: new Set([hello.routerId]) });
});
afterEach(() => {
  follower.end();
});

const connect = (): Promise<RouterConnection> => first.parts.presence.connect(hello);
const refresh = (): Promise<void> => second.parts.presence.refresh();

async function next(of: RouterStatusFollower = follower): Promise<RouterStatus | undefined> {
  const { value } = await of.next();
  return value;
}

const online = (syncStatus = 'SYNC_DONE'): object => ({
  routerId: hello.routerId,
  isOnline: true,
  syncStatus,
  at: network.clock.now(),
});
const offline = (): object => ({
  routerId: hello.routerId,
  isOnline: false,
  syncStatus: undefined,
  at: network.clock.now(),
});

describe('a follower', () => {
  test('hears of a router that comes, changes and goes, each once', async () => {
    const connection = await connect();
    await refresh();
    expect(await next()).toEqual(online());
    await connection.update({ syncStatus: 'SYNC_IN_PROGRESS' });
    await refresh();
    expect(await next()).toEqual(online('SYNC_IN_PROGRESS'));
    await connection.update({ listeners: { tls: 'tls://elsewhere:1' } });
    await refresh();
    expect(await next()).toEqual(online('SYNC_IN_PROGRESS'));
    // A renewal is no news.
    await first.parts.presence.renew();
    await refresh();
    await connection.end();
    await refresh();
    expect(await next()).toEqual(offline());
  });

  test('hears of a router whose controller ended without a word', async () => {
    await connect();
    await refresh();
    expect(await next()).toEqual(online());
    network.clock.advance(LAPSE + 1);
    await refresh();
    expect(await next()).toEqual(offline());
  });

  test('hears that a router which was deleted is offline', async () => {
    await connect();
    await refresh();
    expect(await next()).toEqual(online());
    await first.read('mutation ($id: ID!) { deleteEdgeRouter(id: $id) }', { id: hello.routerId });
    await eventually(async () => {
      await refresh();
      expect(second.parts.presence.router(hello.routerId)).toBeUndefined();
    });
    expect(await next()).toEqual(offline());
  });

  test('hears of the routers that it asked for, or of all', async () => {
    const all = followRouters(second.parts.presence);
    const other = await network.router();
    await first.parts.presence.connect(other);
    await refresh();
    await connect();
    await refresh();
    expect(await next()).toEqual(online());
    expect([(await next(all))?.routerId, (await next(all))?.routerId]).toEqual([
      other.routerId,
      hello.routerId,
    ]);
    all.end();
  });

  test('that reads late gets the latest state of each router', async () => {
    const connection = await connect();
    await refresh();
    await connection.update({ syncStatus: 'SYNC_IN_PROGRESS' });
    await refresh();
    expect(await next()).toEqual(online('SYNC_IN_PROGRESS'));
    await connection.end();
    await refresh();
    await connect();
    await refresh();
    expect(await next()).toEqual(online());
  });

  test('that reads nothing any more is cut off', async () => {
    const reasons: ApiError[] = [];
    const slow = followRouters(second.parts.presence, {
      stallMillis: 1,
      onStalled: (error) => reasons.push(error),
    });
    await connect();
    await refresh();
    expect(await next(slow)).toEqual(online());
    await eventually(() => {
      expect(reasons).toMatchObject([{ code: 'SUBSCRIBER_TOO_SLOW', status: 429 }]);
    });
    await expect(slow.next()).rejects.toBe(reasons[0]);
    expect(await slow.next()).toEqual({ done: true, value: undefined });
  });

  test('that has ended while it waits gets nothing more', async () => {
    const waiting = follower.next();
    await follower.return();
    await connect();
    await refresh();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});
