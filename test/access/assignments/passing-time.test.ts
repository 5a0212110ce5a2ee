import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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

/** Role assignments that begin and end by themselves, at two controllers of one network. */

let first: ControllerProcess & { dataDir: string };
let second: ControllerProcess;
let service: string;
let person: Person;

beforeAll(async () => {
  first = await startControllerProcess();
  second = await startControllerProcess({ with: first });
  await openNetwork(first);
  await enrollRouter(first, { roleAttributes: ['open'] });
  service = await first.create('services', { name: 'board', encryptionRequired: false });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

const inMillis = (millis: number): string => new Date(Date.now() + millis).toISOString();

const assign = async (input: object): Promise<string> => {
  person = await newPerson(first, 'desk');
  return first.create('role-assignments', {
    identityId: person.identityId,
    roleAttribute: 'dialers',
    ...input,
  });
};

const stateOf = async (on: ControllerProcess, id: string): Promise<string> =>
  ((await on.rest('GET', `/role-assignments/${id}`)).body.data as { state: string }).state;

const effectiveAt = async (on: ControllerProcess): Promise<unknown> => {
  const { body } = await on.rest('GET', `/identities/${person.identityId}`);
  const { roleAttributes, effectiveRoleAttributes } = body.data as Record<string, unknown>;
  expect(roleAttributes).toStrictEqual(['desk']);
  return effectiveRoleAttributes;
};

const bothSee = async (effective: readonly string[]): Promise<void> => {
  for (const on of [first, second]) {
    await eventually(async () => {
      expect(await effectiveAt(on)).toStrictEqual(effective);
    });
  }
};

/** The assigned attributes of the identity after each of its changes. */
const history = async (): Promise<unknown[]> =>
  (
    await runSql(
      first,
      `select after -> 'assignedRoleAttributes' as assigned from change
        where entity_id = $1 and operation = 'update' order by revision`,
      [person.identityId],
    )
  ).map(({ assigned }) => assigned);

describe('a role assignment', () => {
  test('begins and ends once, although two controllers watch the time', async () => {
    const id = await assign({ activeFrom: inMillis(1_000), activeUntil: inMillis(2_000) });
    await eventually(async () => {
      expect(await stateOf(second, id)).toBe('ENDED');
    });
    await bothSee(['desk']);
    expect(await history()).toStrictEqual([['dialers'], []]);
  });

  test('ends the sessions that rest on it, at every controller', async () => {
    const id = await assign({});
    const session = await openSession(first, person, service, 'Dial');
    await bothSee(['desk', 'dialers']);
    await second.rest('PATCH', `/role-assignments/${id}`, { activeUntil: inMillis(1_000) });
    for (const on of [first, second]) {
      await eventually(async () => {
        expect((await on.rest('GET', `/sessions/${session.id}`)).status).toBe(404);
      });
    }
    await expect(openSession(first, person, service, 'Dial')).rejects.toThrow('NOT_FOUND');
  });

  test('begins or ends while no controller runs, and counts from the next start on', async () => {
    await assign({ activeFrom: inMillis(3_600_000) });
    await first.create('role-assignments', {
      identityId: person.identityId,
      roleAttribute: 'night',
      activeUntil: inMillis(3_600_000),
    });
    await bothSee(['desk', 'night']);
    await second.stop();
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    await runSql(
      first,
      `update role_assignment set active_from = active_from - interval '2 hours',
        active_until = active_until - interval '2 hours' where identity_id = $1`,
      [person.identityId],
    );
    second = await startControllerProcess({ with: first });
    await eventually(async () => {
      expect(await effectiveAt(second)).toStrictEqual(['desk', 'dialers']);
    });
  });
});
