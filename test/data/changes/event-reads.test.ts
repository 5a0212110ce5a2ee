import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { ExecutionResult } from 'graphql';
import type { Subscriptions } from '../../../src/graph/index.js';
import { ADMIN, InProcess } from '../../support/in-process.js';
import { follow } from '../../support/following.js';
import { subscriptionsOf } from '../../support/subscriptions.js';

/** Subscriptions read the present state for each event, and keep nothing of it. */

let controller: InProcess;
let subscriptions: Subscriptions;
let endFeed: () => Promise<void>;
let adminId: string;
let events: Awaited<ReturnType<Subscriptions['start']>>;
const faults: unknown[] = [];

const DOCUMENT = `subscription { changes(types: ["Service"]) { entityName actor {
  access(first: 1) { totalCount } services { nodes { permissions(asIdentity: "zoe") } } } } }`;

beforeAll(async () => {
  controller = await InProcess.start();
  const onUnexpected = (fault: unknown): void => {
    faults.push(fault);
  };
  subscriptions = subscriptionsOf(controller, onUnexpected);
  endFeed = await follow(controller, onUnexpected);
  adminId = await controller.defaultAdminId();
});
beforeEach(async () => {
  const { token } = await controller.openSession(adminId);
  const request = {
    headers: { 'zt-session': token },
    rawHeaders: [],
    socket: { remoteAddress: '127.0.0.1' },
  };
  const query = { query: DOCUMENT, variables: {} };
  events = await subscriptions.start(request as never, query, () => undefined);
});
afterAll(async () => {
  subscriptions.stop();
  await endFeed();
  await controller.stop();
  expect(faults).toStrictEqual([]);
});

/** Creates a service and gives the event of that. */
async function eventOf(name: string): Promise<ExecutionResult | undefined> {
  const ctx = controller.ctx({ ...ADMIN, identityId: adminId });
  await controller.read(
    'mutation ($name: String!) { createService(input: { name: $name, encryptionRequired: true }) { id } }',
    { name },
    ctx,
  );
  return (await events.next()).value;
}

test('an event releases the network that it read', async () => {
  const { watchers } = controller.parts.model.policies as unknown as { watchers: Set<unknown> };
  const before = watchers.size;
  for (const name of ['one', 'two', 'three']) {
    expect(await eventOf(name)).toMatchObject({ data: { changes: { entityName: name } } });
    expect(watchers.size).toBe(before);
  }
  await events.return?.();
  expect(watchers.size).toBe(before);
});

test('an event reads anew what an earlier one looked for in vain', async () => {
  expect(await eventOf('early')).toMatchObject({
    errors: [{ extensions: { code: 'NOT_FOUND' } }],
  });
  await controller.create('Identity', { name: 'zoe', type: 'Default', isAdmin: false });
  const later = await eventOf('late');
  expect(later?.errors).toBeUndefined();
  expect(later).toMatchObject({ data: { changes: { actor: { services: { nodes: [] } } } } });
  await events.return?.();
});
