import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RouterConnection } from '../../../src/network/presence/index.js';
import { TwoControllers } from './two-controllers.js';

/* What knowing of routers and clients costs in SQL statements. */

let network: TwoControllers;
let connection: RouterConnection;
let person: string;

beforeAll(async () => {
  network = await TwoControllers.start(false);
  connection = await network.first.parts.presence.connect(await network.router());
  person = await network.person();
  await connection.clients([{ identityId: person, isConnected: true }], true);
  await network.second.parts.presence.refresh();
});
afterAll(() => network.stop());

async function costOf(work: () => Promise<unknown>): Promise<number> {
  const databases = [network.first.parts.database, network.second.parts.database];
  const count = (): number => databases.reduce((sum, { statements }) => sum + statements, 0);
  const before = count();
  await work();
  return count() - before;
}

describe('statements', () => {
  test('one, to learn that nothing changed', async () => {
    await expect(costOf(() => network.second.parts.presence.refresh())).resolves.toBe(1);
  });

  test('one more for a page of identities with their connections', async () => {
    const page = (fields: string) =>
      costOf(() => network.second.read(`{ identities { nodes { id ${fields} } } }`));
    const both = 'hasEdgeRouterConnection edgeRouterConnectionStatus';
    expect([await page(''), await page(both), await page('name')]).toEqual([1, 2, 1]);
  });

  test('none more for a page of routers', async () => {
    const page =
      '{ edgeRouters { nodes { isOnline hostname supportedProtocols { address } syncStatus } } }';
    await expect(costOf(() => network.second.read(page))).resolves.toBe(1);
  });

  test('two for a heartbeat, however many tokens it has', async () => {
    const { token } = await network.second.openSession(person);
    const strangers = Array.from({ length: 9_999 }, (_, i) => `stranger ${String(i)}`);
    const beat = () => connection.heartbeat([...strangers, token]);
    await expect(costOf(beat)).resolves.toBe(2);
  });

  test('two to renew all connections, beside the reading', async () => {
    await expect(costOf(() => network.first.parts.presence.renew())).resolves.toBe(5);
  });

  test('two to forget what was lost long ago', async () => {
    await expect(costOf(() => network.first.parts.presence.deleteExpired())).resolves.toBe(2);
  });
});
