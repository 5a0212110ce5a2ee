import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../../support/controller.js';
import { Provider } from '../provider.js';

/** A first synchronisation: users one by one, and members of groups in single requests. */

const USERS = 2_000;
const GROUPS = 100;
const MEMBERS = 500;
const AT_ONCE = 8;

let controller: TestController;
let provider: Provider;

beforeAll(async () => {
  controller = await startController({
    env: { OVERGRAPH_RATE_LIMIT: '0', OVERGRAPH_SESSION_RATE_LIMIT: '0' },
  });
  provider = await Provider.start(controller);
});
afterAll(() => controller.stop());

/** Runs work for each item, some at a time. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const run = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
}

const range = (length: number): number[] => Array.from({ length }, (_, i) => i);

test('2,000 users, and 100 groups of 500 members in single requests', async () => {
  const users: string[] = [];
  await forEach(range(USERS), async () => {
    users.push(await provider.user());
  });
  const groups: string[] = [];
  await forEach(range(GROUPS), async (i) => {
    groups.push(await provider.group(`group ${String(i)}`));
  });
  const memberships = range(MEMBERS).flatMap((j) =>
    groups.map((group, i) => ({ group, value: users[(i * 17 + j) % USERS] })),
  );
  await forEach(memberships, async ({ group, value }) => {
    const add = { op: 'Add', path: 'members', value: [{ value }] };
    const { status } = await provider.patch(`/Groups/${group}`, add);
    expect(status).toBe(204);
  });
  await forEach(groups, async (group) => {
    expect(await provider.membersOf(group)).toHaveLength(MEMBERS);
  });
}, 7_200_000);
