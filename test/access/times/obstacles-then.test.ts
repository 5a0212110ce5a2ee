import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { InProcess } from '../../support/in-process.js';
import { dialling, type Dialling } from '../enforcement/dialling.js';

/** Answers about a time to come name the obstacle that an identity is disabled then. */

const HOUR = 3_600_000;
let now = new Date();
const inHours = (hours: number): string => new Date(now.getTime() + hours * HOUR).toISOString();

let controller: InProcess;
let ada: Dialling;

beforeAll(async () => {
  controller = await InProcess.start(undefined, { now: () => now });
  now = new Date();
});
afterAll(() => controller.stop());

const UPDATE = `mutation ($id: ID!, $input: UpdateIdentityInput!) {
  updateIdentity(id: $id, input: $input) { id } }`;
const DISABLE = `mutation ($id: ID!, $minutes: Int!) {
  disableIdentity(id: $id, durationMinutes: $minutes) { id } }`;

async function isNamedAt(at: string | null): Promise<boolean> {
  const { access } = await controller.read<{ access: { allowed: boolean; obstacles: string[] } }>(
    `query ($identity: ID!, $service: ID!, $at: String) {
      access(identityId: $identity, serviceId: $service, type: Dial, at: $at) { allowed obstacles } }`,
    { identity: ada.identity, service: ada.service, at },
  );
  expect(access.allowed).toBe(true);
  return access.obstacles.includes('IDENTITY_DISABLED');
}

/** Now, in an hour, and in three. */
const named = async (): Promise<boolean[]> => [
  await isNamedAt(null),
  await isNamedAt(inHours(1)),
  await isNamedAt(inHours(3)),
];

test.each<[string, Row, boolean[]]>([
  ['no times', {}, [false, false, false]],
  ['an end', { validUntil: 2 }, [false, false, true]],
  ['an end at that moment', { validUntil: 3 }, [false, false, true]],
  ['a beginning', { validFrom: 2 }, [true, true, false]],
  ['a beginning at that moment', { validFrom: 1 }, [true, false, false]],
  ['a beginning and an end', { validFrom: 0.5, validUntil: 2 }, [true, false, true]],
  ['an end in the past', { validUntil: -1 }, [true, true, true]],
])('an identity with %s', async (_, hours, expected) => {
  ada = await dialling(controller);
  const input = Object.fromEntries(
    Object.entries(hours).map(([name, value]) => [name, inHours(Number(value))]),
  );
  await controller.read(UPDATE, { id: ada.identity, input });
  expect(await named()).toEqual(expected);
});

test.each<[string, number, boolean[]]>([
  ['for two hours', 120, [true, true, false]],
  ['until it is enabled', 0, [true, true, true]],
])('an identity that is disabled %s', async (_, minutes, expected) => {
  ada = await dialling(controller);
  await controller.read(DISABLE, { id: ada.identity, minutes });
  expect(await named()).toEqual(expected);
});

test('an identity whose times begin while it is disabled', async () => {
  ada = await dialling(controller);
  await controller.read(UPDATE, { id: ada.identity, input: { validFrom: inHours(2) } });
  await controller.read(DISABLE, { id: ada.identity, minutes: 240 });
  expect(await named()).toEqual([true, true, true]);
});
