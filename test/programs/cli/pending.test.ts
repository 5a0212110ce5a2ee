import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { startController } from '../../support/controller.js';
import { linesOf, overgraph, type Ended } from './overgraph.js';

/** Identities that wait for an approval, in the terminal: the built command against a built controller. */

let controller: Awaited<ReturnType<typeof startController>>;
let folder: string;

beforeAll(async () => {
  controller = await startController();
  folder = await mkdtemp(join(tmpdir(), 'overgraph-pending-'));
});
afterAll(async () => {
  await controller.stop();
  await rm(folder, { recursive: true, force: true });
});

const pending = (...args: readonly string[]): Promise<Ended> =>
  overgraph({ port: controller.port, dataDir: controller.dataDir, folder }, ['pending', ...args]);

const newIdentity = (name: string, roleAttributes: readonly string[] = []): Promise<string> =>
  controller.create('identities', {
    ...{ name, type: 'Default', isAdmin: false, isPending: true, roleAttributes },
  });

const isPending = async (id: string): Promise<unknown> =>
  ((await controller.rest('GET', `/identities/${id}`)).body.data as Row).isPending;

test('lists those that wait, and approves them by name or id', async () => {
  expect(await pending('list')).toMatchObject({
    ...{ code: 0, out: 'No identity waits for its approval.\n', err: '' },
  });
  const [laptop, phone] = [
    await newIdentity('a laptop', ['laptops', 'berlin']),
    await newIdentity('phone\u001b[31m'),
  ];
  const [head, ...lines] = linesOf(await pending('list'));
  expect(head).toMatch(/^identity +id +since +role attributes$/);
  expect(lines).toHaveLength(2);
  expect(lines.find((line) => line.includes(laptop))).toMatch(/^a laptop .* berlin, laptops$/);
  expect(lines.join()).not.toContain('\u001b');

  expect(await pending('approve', 'a laptop', phone)).toMatchObject({ code: 0, err: '' });
  expect([await isPending(laptop), await isPending(phone)]).toEqual([false, false]);
  expect((await pending('list')).out).toBe('No identity waits for its approval.\n');
});

test('says what the approved identity has', async () => {
  await newIdentity('desk phone', ['desk']);
  expect((await pending('approve', 'desk phone')).out).toBe(
    '"desk phone" is approved, with "desk".\n',
  );
  await newIdentity('bare');
  expect((await pending('approve', 'bare')).out).toBe(
    '"bare" is approved, with no role attributes.\n',
  );
});

test('stops at the first that it does not find', async () => {
  const [first, last] = [await newIdentity('first'), await newIdentity('last')];
  const { code, err } = await pending('approve', 'first', 'nobody', 'last');
  expect([code, err.includes('nobody')]).toEqual([2, true]);
  expect([await isPending(first), await isPending(last)]).toEqual([false, true]);
});

test('refuses an approval that an access rule forbids, unless a reason overrides it', async () => {
  const device = await newIdentity('a robot');
  const service = await controller.create('services', { name: 'vault', encryptionRequired: true });
  await controller.create('service-policies', {
    ...{ name: 'robots', type: 'Dial', semantic: 'AnyOf' },
    ...{ identityRoles: [`@${device}`], serviceRoles: [`@${service}`] },
  });
  await controller.create('access-rules', {
    ...{ name: 'no robots', kind: 'MUST_NEVER_REACH', type: 'Dial', semantic: 'AnyOf' },
    ...{ identityRoles: ['#all'], serviceRoles: [`@${service}`] },
  });
  const refused = await pending('approve', 'a robot');
  expect([refused.code, refused.err.includes('no robots')]).toEqual([2, true]);
  expect(await isPending(device)).toBe(true);
  expect((await pending('approve', 'a robot', '--override-reason', 'ticket 9')).code).toBe(0);
  expect(await isPending(device)).toBe(false);
});

test.each([[[]], [['list', 'a laptop']], [['approve']], [['refuse', 'a laptop']]])(
  'says how it is used: %j',
  async (args) => {
    const { code, err } = await pending(...args);
    expect([code, err.includes('pending takes list, or approve with identities')]).toEqual([
      2,
      true,
    ]);
  },
);
