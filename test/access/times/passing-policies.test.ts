import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  newPerson,
  openNetwork,
  openSession,
  type Person,
} from '../../network/control/traffic-network.js';
import { startControllerProcess, type ControllerProcess } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
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
