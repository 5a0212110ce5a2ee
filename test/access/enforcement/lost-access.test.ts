import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { originOf } from '../../../src/kernel/write/write.js';
import { recordMfa } from '../../../src/trust/posture/index.js';

import { storeWith } from '../../support/store-with.js';
import { eventually } from '../../support/eventually.js';
import { follow } from '../../support/following.js';
import { InProcess } from '../../support/in-process.js';
import {
  dialling,
  domainIs,
  open,
  remove,
  request,
  sessionsOf,
  submit,
  update,
  type Dialling,
} from './dialling.js';

/** Two controllers on one database: sessions end with what they rest on, wherever that goes. */

const START = Date.parse('2026-03-01T08:00:00.000Z');
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let now = START;
let first: InProcess;
let second: InProcess;
let domainCheck: string;
const ends: (() => Promise<void>)[] = [];
const faults: unknown[] = [];

beforeAll(async () => {
  const options = { now: () => new Date(now) };
  first = await InProcess.start(undefined, options);
  second = await InProcess.start(first, options);
  for (const controller of [first, second]) {
    ends.push(await follow(controller, (fault) => faults.push(fault)));
  }
  domainCheck = await first.create('PostureCheck', {
    name: 'domain',
    typeId: 'DOMAIN',
    domains: ['example.com'],
  });
});
afterAll(async () => {
  for (const end of ends) await end();
  await second.stop();
  await first.stop();
  expect(faults).toStrictEqual([]);
});

const mfaCheck = (input: object): Promise<string> =>
  first.create('PostureCheck', { name: `mfa ${String((now += SECOND))}`, typeId: 'MFA', ...input });

const passMfa = ({ own, identity, apiSessionId }: Dialling): Promise<void> => {
  const ctx = own();
  return ctx.store.write(originOf(ctx), (tx) =>
    recordMfa(ctx.modules.posture, tx, { identityId: identity, apiSessionId }),
  );
};

/** What both controllers show, once the second has heard of it. */
const isGoneFrom = async (dialler: Dialling): Promise<void> => {
  expect(await sessionsOf(first, dialler)).toStrictEqual([]);
  await eventually(async () => {
    expect(await sessionsOf(second, dialler)).toStrictEqual([]);
  });
};

describe('a session ends at once', () => {
  const endings: readonly [string, (dialler: Dialling) => Promise<unknown>][] = [
    ['its policy is deleted', ({ policy }) => remove(first, 'ServicePolicy', policy)],
    [
      'its policy leaves the identity out',
      ({ policy }) => update(first, 'ServicePolicy', policy, { identityRoles: [] }),
    ],
    [
      'its policy leaves the service out',
      ({ policy }) => update(first, 'ServicePolicy', policy, { serviceRoles: [] }),
    ],
    [
      'its policy is for something else',
      ({ policy }) => update(first, 'ServicePolicy', policy, { type: 'Bind' }),
    ],
    [
      'its policy asks for posture that is not known',
      ({ policy }) =>
        update(first, 'ServicePolicy', policy, { postureCheckRoles: [`@${domainCheck}`] }),
    ],
    [
      'its identity loses the attribute',
      ({ identity }) => update(first, 'Identity', identity, { roleAttributes: [] }),
    ],
    ['its service is deleted', ({ service }) => remove(first, 'Service', service)],
    [
      'its identity is disabled',
      ({ identity }) =>
        first.read('mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 1) { id } }', {
          id: identity,
        }),
    ],
    [
      'its API session ends',
      ({ own, apiSessionId }) =>
        first.parts.sessions.end(own(), originOf(first.anonymous()), apiSessionId),
    ],
  ];

  test.each(endings)('when %s', async (_, step) => {
    const dialler = await dialling(first);
    const { id } = await open(first, dialler);
    await step(dialler);
    const { session } = await first
      .read<{ session: unknown }>('query ($id: ID!) { session(id: $id) { id } }', { id })
      .catch(() => ({ session: null }));
    expect(session).toBeNull();
  });

  test('when the device tells something worse, on the other controller too', async () => {
    const dialler = await dialling(first, { checks: [domainCheck] });
    await submit(first, dialler, domainIs('example.com'));
    await open(first, dialler);
    await submit(first, dialler, domainIs('elsewhere.com'));
    await isGoneFrom(dialler);
  });

  test('on a controller that opened it before it heard of the change', async () => {
    const dialler = await dialling(first);
    await eventually(() => open(second, dialler));
    await remove(first, 'ServicePolicy', dialler.policy);
    await isGoneFrom(dialler);
    await eventually(async () => {
      const { errors } = await request(second, dialler);
      expect(errors[0]?.code).toBe('NOT_FOUND');
    });
  });
});

test('a session does not come to be when access goes while it is opened', async () => {
  const dialler = await dialling(first);
  const ctx = dialler.own();
  const { store } = ctx;
  let isGone = false;
  const meanwhile = storeWith(store, {
    write: async (origin, work) => {
      if (!isGone) {
        isGone = true;
        await remove(first, 'ServicePolicy', dialler.policy);
      }
      return store.write(origin, work);
    },
  });
  const { errors } = await first.graph(
    'mutation ($id: ID!) { openSession(input: { serviceId: $id }) { id } }',
    { id: dialler.service },
    { ...ctx, store: meanwhile },
  );
  expect(errors.map((error) => error?.code)).toStrictEqual(['NOT_FOUND']);
  expect(await sessionsOf(first, dialler)).toStrictEqual([]);
});

describe('a session stays', () => {
  test('while another policy allows it', async () => {
    const dialler = await dialling(first);
    const { id } = await open(first, dialler);
    const roles = {
      identityRoles: [`@${dialler.identity}`],
      serviceRoles: [`@${dialler.service}`],
    };
    await first.create('ServicePolicy', {
      name: `other ${id}`,
      type: 'Dial',
      semantic: 'AnyOf',
      ...roles,
    });
    await remove(first, 'ServicePolicy', dialler.policy);
    expect(await sessionsOf(first, dialler)).toStrictEqual([id]);
  });

  test('when somebody else loses access', async () => {
    const [dialler, other] = [await dialling(first), await dialling(first)];
    const { id } = await open(first, dialler);
    await remove(first, 'ServicePolicy', other.policy);
    expect(await sessionsOf(first, dialler)).toStrictEqual([id]);
  });
});

describe('posture data', () => {
  test('count on every controller', async () => {
    const dialler = await dialling(first, { checks: [domainCheck] });
    await submit(first, dialler, domainIs('example.com'));
    await eventually(() => open(second, dialler));
  });

  test('of an API session go with it, those of the identity stay', async () => {
    const check = await mfaCheck({ timeoutSeconds: -1 });
    const dialler = await dialling(first, { checks: [domainCheck, check] });
    await submit(first, dialler, domainIs('example.com'));
    await passMfa(dialler);
    await open(first, dialler);
    await first.parts.sessions.end(
      dialler.own(),
      originOf(first.anonymous()),
      dialler.apiSessionId,
    );
    const { id } = await first.openSession(dialler.identity);
    const { identity } = await first.read<{ identity: { postureData: unknown } }>(
      `query ($id: ID!) { identity(id: $id) { postureData {
        domain { domain } apiSessions { mfa { apiSessionId passedMfa } } } } }`,
      { id: dialler.identity },
    );
    expect(identity.postureData).toStrictEqual({
      domain: { domain: 'example.com' },
      apiSessions: [{ mfa: { apiSessionId: id, passedMfa: false } }],
    });
  });
});

describe('time alone', () => {
  const lastChange = async ({ own }: Dialling): Promise<string> =>
    (
      await first.read<{ currentServiceUpdates: { lastChangeAt: string } }>(
        '{ currentServiceUpdates { lastChangeAt } }',
        {},
        own(),
      )
    ).currentServiceUpdates.lastChangeAt;

  test('ends a session when MFA is too old, once for all controllers', async () => {
    const check = await mfaCheck({ timeoutSeconds: 60 });
    const dialler = await dialling(first, { checks: [check] });
    await passMfa(dialler);
    await open(first, dialler);
    const before = await lastChange(dialler);

    now += MINUTE;
    for (const { parts } of [first, second]) await parts.watch.lookAtTime();
    expect(await sessionsOf(first, dialler)).toHaveLength(1);
    expect(await lastChange(dialler)).toBe(before);

    now += SECOND;
    await first.parts.watch.lookAtTime();
    await isGoneFrom(dialler);
    const after = await lastChange(dialler);
    expect(after).not.toBe(before);
    await second.parts.watch.lookAtTime();
    expect(await lastChange(dialler)).toBe(after);

    // Nothing but the factor itself brings it back.
    await update(first, 'PostureCheck', check, { typeId: 'MFA', timeoutSeconds: 3_600 });
    expect((await request(first, dialler)).errors[0]?.code).toBe('INVALID_POSTURE');
    await passMfa(dialler);
    await open(first, dialler);
  });

  test('ends a session five minutes after the device woke up', async () => {
    const check = await mfaCheck({ timeoutSeconds: -1, promptOnWake: true });
    const dialler = await dialling(first, { checks: [check] });
    await passMfa(dialler);
    await open(first, dialler);
    now += MINUTE;
    const { submitPosture } = await submit(first, dialler, {
      id: '0',
      typeId: 'ENDPOINT_STATE',
      woken: true,
    });
    expect(submitPosture.services).toMatchObject([
      { id: dialler.service, postureQueryType: 'MFA', timeout: -1, timeoutRemaining: 300 },
    ]);
    now += 5 * MINUTE - 1;
    await first.parts.watch.lookAtTime();
    expect(await sessionsOf(first, dialler)).toHaveLength(1);
    now += 1;
    await first.parts.watch.lookAtTime();
    await isGoneFrom(dialler);
  });

  test('is looked at for all sessions by two statements, however many identities they are of', async () => {
    for (let i = 0; i < 6; i += 1) {
      const dialler = await dialling(first, { checks: [domainCheck] });
      await submit(first, dialler, domainIs('example.com'));
      await open(first, dialler);
    }
    const third = await InProcess.start(first, { now: () => new Date(now) });
    try {
      const before = third.parts.database.statements;
      await third.parts.watch.enforceAll();
      expect(third.parts.database.statements - before).toBe(2);
    } finally {
      await third.stop();
    }
  });

  test('that passed while nobody watched counts as well', async () => {
    const check = await mfaCheck({ timeoutSeconds: 60 });
    const dialler = await dialling(first, { checks: [check] });
    await passMfa(dialler);
    await open(first, dialler);
    now += 10 * MINUTE;
    const third = await InProcess.start(first, { now: () => new Date(now) });
    try {
      await third.parts.watch.enforceAll();
      expect(await sessionsOf(third, dialler)).toStrictEqual([]);
    } finally {
      await third.stop();
    }
  });
});

describe('when services changed', () => {
  test('is known to a controller that starts later', async () => {
    const dialler = await dialling(first);
    now += MINUTE;
    await update(first, 'Service', dialler.service, { maxIdleTimeMillis: 1 });
    const READ = '{ currentServiceUpdates { lastChangeAt } }';
    const known = await first.read(READ, {}, dialler.own());
    expect(known).toStrictEqual({
      currentServiceUpdates: { lastChangeAt: new Date(now).toISOString() },
    });
    await first.parts.watch.saveFreshness('0'.repeat(36));
    now += MINUTE;
    const third = await InProcess.start(first, { now: () => new Date(now) });
    try {
      expect(await third.read(READ, {}, dialler.own())).toStrictEqual(known);
    } finally {
      await third.stop();
    }
  });
});
