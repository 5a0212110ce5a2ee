import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { forceAt } from '../../../src/access/times/force-at.js';
import {
  newPerson,
  openNetwork,
  openSession,
  type Person,
} from '../../network/control/traffic-network.js';
import { startControllerProcess, type ControllerProcess } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { costlyRuns } from '../../support/runs.js';
import { enrollRouter } from '../../support/test-router.js';
import { runSql } from '../../trust/auth/client.js';

/** Service policies that begin and end by themselves, at two controllers of one network. */

let first: ControllerProcess & { dataDir: string };
let second: ControllerProcess;
let service: string;
let person: Person;
let policy: string;

beforeAll(async () => {
  first = await startControllerProcess();
  second = await startControllerProcess({ with: first });
  await openNetwork(first);
  await enrollRouter(first, { roleAttributes: ['open'] });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

let count = 0;

beforeEach(async () => {
  count += 1;
  const name = `ledger ${String(count)}`;
  service = await first.create('services', { name, encryptionRequired: false });
  person = await newPerson(first, 'desk');
  policy = await first.create('service-policies', {
    ...{ name, type: 'Dial', semantic: 'AnyOf' },
    identityRoles: [`@${person.identityId}`],
    serviceRoles: [`@${service}`],
  });
});

const inMillis = (millis: number): string => new Date(Date.now() + millis).toISOString();

const setTimes = async (on: ControllerProcess, input: object): Promise<void> => {
  const { errors } = await on.graphql(
    'mutation ($id: ID!, $input: UpdateServicePolicyInput!) { updateServicePolicy(id: $id, input: $input) { id } }',
    { id: policy, input },
  );
  expect(errors).toBeUndefined();
};

const dialledAt = async (on: ControllerProcess): Promise<unknown> => {
  const { body } = await on.rest('GET', `/identities/${person.identityId}/services`);
  return (body.data as { id: string }[]).map(({ id }) => id);
};

const bothSee = async (services: readonly string[]): Promise<void> => {
  for (const on of [first, second]) {
    await eventually(async () => {
      expect(await dialledAt(on)).toStrictEqual(services);
    });
  }
};

const moves = async (): Promise<unknown[]> =>
  runSql(
    first,
    `select reason, after -> 'isInForce' as is_in_force from change
      where entity_id = $1 and reason is not null order by revision`,
    [policy],
  );

test('windows are as PostgreSQL knows the clocks of a zone', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('Europe/Zurich', 'America/New_York', 'Australia/Sydney', 'Asia/Kolkata'),
      fc.integer({ min: 0, max: 1_439 }),
      fc.integer({ min: 1, max: 1_439 }),
      fc.date({ min: new Date('2026-01-01'), max: new Date('2027-12-31'), noInvalidDate: true }),
      async (timeZone, from, length, now) => {
        const [begin, end] = [from, from + length].map((minutes) => textOf(minutes % 1_440));
        const weeklyWindows = [
          { days: ['WEDNESDAY' as const, 'SUNDAY' as const], from: begin ?? '', to: end ?? '' },
        ];
        const times = { validFrom: null, validUntil: null, weeklyWindows, timeZone };
        const { isInForce, nextChangeAt } = forceAt(times, now);
        const [row] = await runSql(
          first,
          `with shown as (
              select at, at at time zone $1::text as clock
              from generate_series(date_trunc('minute', $2::timestamptz),
                $2::timestamptz + interval '8 days', interval '1 minute') at),
            told as (
              select at, exists (select from generate_series(0, 1) back
                where extract(isodow from clock - back * interval '1 day') in (3, 7)
                  and clock >= date_trunc('day', clock) - back * interval '1 day' + $3::int * interval '1 minute'
                  and clock < date_trunc('day', clock) - back * interval '1 day' + $4::int * interval '1 minute') as is_open
              from shown)
            select (select is_open from told order by at limit 1) as first,
              array(select at from told where is_open <> (select is_open from told order by at limit 1)
                order by at limit 1) as changes`,
          [timeZone, now, from, from + length],
        );
        expect(isInForce).toBe(row?.first);
        expect(nextChangeAt).toStrictEqual((row?.changes as Date[])[0] ?? null);
      },
    ),
    costlyRuns(20),
  );
});

describe('a service policy', () => {
  test('begins and ends once, although two controllers watch the time', async () => {
    await setTimes(second, { validFrom: inMillis(1_500), validUntil: inMillis(3_000) });
    await bothSee([]);
    await eventually(async () => {
      expect(await moves()).toStrictEqual([
        { reason: 'service policies have begun', is_in_force: true },
        { reason: 'service policies have ended', is_in_force: false },
      ]);
    });
    await bothSee([]);
  });

  test('ends the sessions that rest on it, at every controller', async () => {
    const session = await openSession(first, person, service, 'Dial');
    await setTimes(second, { validUntil: inMillis(1_000) });
    for (const on of [first, second]) {
      await eventually(async () => {
        expect((await on.rest('GET', `/sessions/${session.id}`)).status).toBe(404);
      });
    }
    await expect(openSession(first, person, service, 'Dial')).rejects.toThrow('NOT_FOUND');
  });

  test('begins while no controller runs, and counts from the next start on', async () => {
    await setTimes(first, { validFrom: inMillis(3_600_000) });
    await bothSee([]);
    await second.stop();
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    await runSql(
      first,
      `update service_policy set valid_from = valid_from - interval '2 hours',
        next_change_at = next_change_at - interval '2 hours' where id = $1`,
      [policy],
    );
    second = await startControllerProcess({ with: first });
    await eventually(async () => {
      expect(await dialledAt(second)).toStrictEqual([service]);
    });
  });
});

const textOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
