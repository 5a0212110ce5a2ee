import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RequestScope } from '../../../src/kernel/request/request-scope.js';
import { AccessFollower } from '../../../src/access/analysis/history/access-follower.js';
import type { Subscriptions } from '../../../src/graph/index.js';
import type { Row } from '../../../src/base/row.js';
import { remove } from '../../../src/kernel/write/write.js';
import { eventually } from '../../support/eventually.js';
import { follow } from '../../support/following.js';
import { InProcess } from '../../support/in-process.js';
import { subscriptionsOf } from '../../support/subscriptions.js';
import { pruneUpTo, updateAgainstOrder } from './support.js';
import {
  momentOf,
  randomWrites,
  without,
  Writer,
  type Moment,
  type Pair,
} from './random-writes.js';
import { settledChange } from '../../support/settled-change.js';
import { costlyRuns } from '../../support/runs.js';

/** Access gained and lost, as the change log goes on. */

let controller: InProcess;
let subscriptions: Subscriptions;
let endFeed: () => Promise<void>;
let adminId: string;
const faults: unknown[] = [];

beforeAll(async () => {
  controller = await InProcess.start();
  const onUnexpected = (fault: unknown): void => {
    faults.push(fault);
  };
  subscriptions = subscriptionsOf(controller, onUnexpected);
  endFeed = await follow(controller, onUnexpected);
  adminId = await controller.defaultAdminId();
});
afterAll(async () => {
  subscriptions.stop();
  await endFeed();
  await controller.stop();
  expect(faults).toStrictEqual([]);
});

interface Grant {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: string;
}

interface Event {
  readonly id: string;
  readonly gained: readonly Grant[];
  readonly gainedCount: number;
  readonly lost: readonly Grant[];
  readonly lostCount: number;
  readonly change: Row;
}

interface Answer {
  readonly data?: { readonly accessChanges: Event } | null;
  readonly errors?: readonly { readonly extensions: Row }[];
}

const DOCUMENT = `subscription ($identityId: ID, $serviceId: ID, $type: AccessType, $since: ID) {
  accessChanges(identityId: $identityId, serviceId: $serviceId, type: $type, since: $since) {
    id: changeId gainedCount lostCount
    gained { identityId serviceId type identityName serviceName paths { policyId } }
    lost { identityId serviceId type identityName serviceName paths { policyId } }
    change { id type entityId entityName operation actorId fields { name } } } }`;

interface Subscribed {
  readonly next: () => Promise<Answer>;
  readonly event: () => Promise<Event>;
  readonly stop: () => Promise<unknown>;
}

async function subscribe(variables: Row, identityId = adminId): Promise<Subscribed> {
  const { token } = await controller.openSession(identityId);
  const request = {
    headers: { 'zt-session': token },
    rawHeaders: [],
    socket: { remoteAddress: '127.0.0.1' },
  };
  const results = await subscriptions.start(
    request as never,
    { query: DOCUMENT, variables },
    () => undefined,
  );
  const next = async (): Promise<Answer> => {
    const { value } = await results.next();
    return JSON.parse(JSON.stringify(value ?? {})) as Answer;
  };
  return {
    next,
    event: async () => {
      const { data, errors } = await next();
      if (!data) throw new Error(JSON.stringify(errors));
      return data.accessChanges;
    },
    stop: async () => results.return?.(),
  };
}

let count = 0;
const person = (...roleAttributes: string[]): Promise<string> =>
  controller.create('Identity', {
    name: `person ${String((count += 1))}`,
    type: 'Default',
    isAdmin: false,
    roleAttributes,
  });
const service = (...roleAttributes: string[]): Promise<string> =>
  controller.create('Service', {
    name: `service ${String((count += 1))}`,
    encryptionRequired: true,
    roleAttributes,
  });
const policy = (type: string, identityRoles: string[], serviceRoles: string[]): Promise<string> =>
  controller.create('ServicePolicy', {
    name: `policy ${String((count += 1))}`,
    type,
    semantic: 'AnyOf',
    identityRoles,
    serviceRoles,
  });
const drop = (resource: string, id: string): Promise<void> =>
  remove(controller.ctx(), controller.catalog.get(resource), id);

interface Ends {
  readonly ada: string;
  readonly wiki: string;
}

describe('a subscription', () => {
  test('tells of each change that alters access, and of what it gains and loses', async () => {
    const since = await settledChange(controller);
    const subscription = await subscribe({ since });
    const [ada, wiki] = [await person('staff'), await service('docs')];
    await policy('Dial', ['#nobody'], ['#docs']);
    const readers = await policy('Dial', ['#staff'], ['#docs']);
    // It grants what is granted already.
    const again = await policy('Dial', [`@${ada}`], ['#docs']);
    await drop('ServicePolicy', again);
    await drop('Service', wiki);
    const grant = {
      identityId: ada,
      serviceId: wiki,
      type: 'Dial',
      identityName: expect.stringMatching(/^person/),
      serviceName: expect.stringMatching(/^service/),
      paths: [{ policyId: readers }],
    };
    const gained = await subscription.event();
    expect(gained).toMatchObject({
      gained: [grant],
      gainedCount: 1,
      lost: [],
      lostCount: 0,
      change: {
        id: gained.id,
        type: 'ServicePolicy',
        entityId: readers,
        entityName: expect.stringMatching(/^policy/),
        operation: 'create',
        actorId: 'nobody',
        fields: expect.arrayContaining([{ name: 'semantic' }]),
      },
    });
    expect(await subscription.event()).toMatchObject({
      gained: [],
      gainedCount: 0,
      lost: [grant],
      lostCount: 1,
      change: {
        type: 'Service',
        entityId: wiki,
        entityName: expect.stringMatching(/^service/),
        operation: 'delete',
      },
    });
    await subscription.stop();
  });

  test('without `since` tells of what comes from then on', async () => {
    const [ada, wiki] = [await person(), await service()];
    await policy('Dial', [`@${ada}`], [`@${wiki}`]);
    await settledChange(controller);
    const subscription = await subscribe({ identityId: ada });
    await policy('Bind', [`@${ada}`], [`@${wiki}`]);
    expect(await subscription.event()).toMatchObject({
      gained: [{ identityId: ada, serviceId: wiki, type: 'Bind' }],
      lostCount: 0,
    });
    await subscription.stop();
  });

  test.each([
    ['an identity', ({ ada }: Ends) => ({ identityId: ada }), ['Dial', 'Bind']],
    ['a service', ({ wiki }: Ends) => ({ serviceId: wiki }), ['Dial', 'Bind']],
    [
      'both and a type',
      ({ ada, wiki }: Ends) => ({ identityId: ada, serviceId: wiki, type: 'Bind' }),
      ['Bind'],
    ],
  ])('is narrowed to %s', async (_, asked, types) => {
    const [ada, wiki] = [await person('narrow'), await service('narrow')];
    const since = await settledChange(controller);
    const [bob, mail] = [await person('others'), await service('others')];
    await policy('Dial', [`@${bob}`], [`@${mail}`]);
    const dial = await policy('Dial', [`@${ada}`], [`@${wiki}`]);
    const bind = await policy('Bind', [`@${ada}`], [`@${wiki}`]);
    const subscription = await subscribe({ ...asked({ ada, wiki }), since });
    for (const type of types) {
      const grant = { identityId: ada, serviceId: wiki, type };
      expect(await subscription.event()).toMatchObject({
        gained: [grant],
        gainedCount: 1,
        change: { entityId: type === 'Dial' ? dial : bind },
      });
    }
    await drop('Identity', ada);
    // Its policies let go of it before it goes, one by one.
    const lost: Grant[] = [];
    while (lost.length < types.length) lost.push(...(await subscription.event()).lost);
    expect(lost.map(({ type }) => type).toSorted()).toStrictEqual(types.toSorted());
    await subscription.stop();
  });

  test('lists the first 500 pairs and counts them all', async () => {
    const since = await settledChange(controller);
    const people = await Promise.all(Array.from({ length: 23 }, () => person('many')));
    const services = await Promise.all(Array.from({ length: 22 }, () => service('many')));
    await policy('Dial', ['#many'], ['#many']);
    const subscription = await subscribe({ type: 'Dial', since });
    const { gained, gainedCount } = await subscription.event();
    expect([gained.length, gainedCount]).toStrictEqual([500, 23 * 22]);
    await subscription.stop();
    await Promise.all(people.map((id) => drop('Identity', id)));
    await Promise.all(services.map((id) => drop('Service', id)));
  });

  test('is refused where the log does not go back to, and to who may not read it all', async () => {
    const first = await settledChange(controller);
    await person();
    const last = await settledChange(controller);
    await eventually(() => {
      expect(controller.parts.stream.position >= last).toBe(true);
    });
    await pruneUpTo(controller, last);
    await expect(subscribe({ since: first })).rejects.toMatchObject({ code: 'HISTORY_NOT_KEPT' });
    await expect(subscribe({ since: 'x' })).rejects.toMatchObject({ code: 'COULD_NOT_VALIDATE' });
    await expect(subscribe({ type: 'Both' })).rejects.toMatchObject({ code: 'COULD_NOT_VALIDATE' });
    const reader = await controller.create('Identity', {
      name: 'reader of changes',
      type: 'Default',
      isAdmin: false,
      permissions: ['change.read', 'identity.read'],
    });
    await expect(subscribe({}, reader)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('takes a later state that lies earlier in the log as the one that counts', async () => {
    const [ada, wiki] = [await person(), await service('first')];
    await policy('Dial', [`@${ada}`], ['#second']);
    await policy('Bind', [`@${ada}`], ['#third']);
    const since = await settledChange(controller);
    await updateAgainstOrder(controller, wiki, 'second', 'third');
    await policy('Dial', [`@${ada}`], [`@${wiki}`]);
    const all = await subscribe({ identityId: ada, since });
    const gained = { gained: [{ serviceId: wiki, type: 'Bind' }], lostCount: 0 };
    const early = await all.event();
    expect(early).toMatchObject(gained);
    // From between the two, the later one is no news either.
    const rest = await subscribe({ identityId: ada, since: early.id });
    const granted = { gained: [{ serviceId: wiki, type: 'Dial' }], lostCount: 0 };
    expect(await all.event()).toMatchObject(granted);
    expect(await rest.event()).toMatchObject(granted);
    await all.stop();
    await rest.stop();
  });

  test('that ends lets go of what it held', async () => {
    const { stream, model } = controller.parts;
    const before = stream.followers;
    const { watchers: watching } = model.policies as unknown as { watchers: Set<unknown> };
    const watchers = (): number => watching.size;
    const held = watchers();
    const subscription = await subscribe({});
    expect([stream.followers, watchers()]).toStrictEqual([before + 1, held + 1]);
    const waiting = subscription.next();
    await subscription.stop();
    await waiting;
    await eventually(() => {
      expect([stream.followers, watchers()]).toStrictEqual([before, held]);
    });
  });
});

describe('the events from a point on', () => {
  const history: Moment[] = [];

  const add = (pairs: readonly Pair[], { gained, lost }: Event): Pair[] => {
    const keys = ({ identityId, serviceId, type }: Grant): Pair => [identityId, serviceId, type];
    expect(without(lost.map(keys), pairs)).toStrictEqual([]);
    expect(without(gained.map(keys), pairs)).toHaveLength(gained.length);
    return [...without(pairs, lost.map(keys)), ...gained.map(keys)];
  };
  const sorted = (pairs: readonly Pair[] = []): string =>
    pairs
      .map((pair) => pair.join(' '))
      .sort()
      .join('\n');

  /** The moment after which pairs differed for the last time; where they never did, '-' comes before the '.' to begin with. */
  const beforeLastDifference = (moments: readonly Moment[]): string => {
    const last = moments.findLast(
      ({ pairs }, i) => i + 1 < moments.length && sorted(pairs) !== sorted(moments[i + 1]?.pairs),
    );
    return last?.id ?? '-';
  };

  test('add up to what there is at each later one', async () => {
    const writer = new Writer(controller);
    history.push(await momentOf(controller));
    await fc.assert(
      fc.asyncProperty(randomWrites(8), fc.nat(), async (writes, number) => {
        for (const write of writes) {
          await writer.make(write);
          history.push(await momentOf(controller));
        }
        const begin = Math.max(0, history.length - 1 - (number % 30));
        const subscription = await subscribe({ since: history[begin]?.id });
        const until = beforeLastDifference(history.slice(begin));
        let pairs = history[begin]?.pairs ?? [];
        let moments = history.slice(begin + 1);
        const isWhole = (last: string): boolean =>
          last > until && sorted(pairs) === sorted(history.at(-1)?.pairs);
        for (let last = '.'; !isWhole(last);) {
          const event = await subscription.event();
          expect(event.id > last).toBe(true);
          last = event.id;
          // All moments before it saw what had come before it.
          for (const { pairs: known } of moments.filter(({ id }) => id < last)) {
            expect(sorted(pairs)).toBe(sorted(known));
          }
          moments = moments.filter(({ id }) => id >= last);
          pairs = add(pairs, event);
        }
        await subscription.stop();
      }),
      costlyRuns(4),
    );
    expect(history.some(({ pairs }) => pairs.length > 5)).toBe(true);
  });

  test('are not read for a request that is over', async () => {
    const { analyst } = controller.ctx().modules;
    const scope = new RequestScope();
    scope.clientLeft();
    const reading = analyst.past(analyst.present(), history[0]?.id ?? '', scope);
    await expect(reading).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  test('are the same when little is held at a time', async () => {
    const { modules } = controller.ctx();
    const analyst = modules.analyst;
    const since = history[0]?.id ?? '';
    const until = beforeLastDifference(history);
    const changes = await controller.parts.stream.follow({ since, wants: () => true });
    const model = await analyst.past(analyst.present(), since);
    const follower = new AccessFollower(analyst, changes, model, {
      query: {},
      most: 500,
      mostHeld: -Infinity,
    });
    let pairs = history[0]?.pairs ?? [];
    const isWhole = (): boolean => sorted(pairs) === sorted(history.at(-1)?.pairs);
    for (let place = '.'; place <= until || !isWhole();) {
      const { value } = await follower.next();
      if (!value) break;
      place = value.change.cursor;
      const shown = { gained: value.gained.pairs, lost: value.lost.pairs } as unknown as Event;
      pairs = add(pairs, shown);
    }
    follower.end();
    expect(sorted(pairs)).toBe(sorted(history.at(-1)?.pairs));
  });
});
