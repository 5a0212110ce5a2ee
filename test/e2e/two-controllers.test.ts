import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newPerson, PASSWORD } from '../trust/auth/client.js';
import { startController, type TestController } from '../support/controller.js';
import { eventually } from '../support/eventually.js';

/** Two controllers of one network: what is done at one counts at the other. */

let first: TestController & { dataDir: string };
let second: TestController;

beforeAll(async () => {
  first = await startController();
  second = await startController({ with: first });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

const total = async (on: TestController, path: string): Promise<number> =>
  (await on.rest('GET', path)).body.meta.pagination.totalCount;

const CONTROLLERS = `{ overview { controllers {
  isOnline ctrlAddress version processCount feedSilenceMillis } } }`;

describe('two controllers', () => {
  test('are one instance for clients, which read the version again at another one', async () => {
    const instances = await Promise.all(
      [first, second].map(async (on) => (await on.rest('GET', '/version')).headers),
    );
    const [atFirst, atSecond] = instances.map((headers) => headers['ziti-instance-id']);
    expect(atFirst).toMatch(/^.{8,}$/);
    expect(atSecond).toBe(atFirst);
  });

  test('tell of each other what their heartbeats say', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    for (const on of [first, second]) {
      const { data } = await on.graphql(CONTROLLERS);
      const { controllers } = (data as { overview: { controllers: { ctrlAddress: string }[] } })
        .overview;
      const addresses = [first, second].map(({ port }) => `tls:localhost:${String(port)}`).sort();
      expect(controllers.map(({ ctrlAddress }) => ctrlAddress).sort()).toEqual(addresses);
      for (const controller of controllers) {
        expect(controller).toMatchObject({ isOnline: true, version, processCount: 1 });
        expect(controller).toHaveProperty('feedSilenceMillis', expect.any(Number));
      }
    }
  });

  test('know each other’s writes in totals, lists and details', async () => {
    for (const [writer, reader] of [
      [first, second],
      [second, first],
    ] as const) {
      const before = await total(reader, '/services');
      const id = await writer.create('services', {
        name: `service of ${String(writer.port)}`,
        encryptionRequired: true,
      });
      const seen = await eventually(async () => {
        expect(await total(reader, '/services')).toBe(before + 1);
      });
      expect(seen.tookMs).toBeLessThan(5000);
      const { status, body } = await reader.rest('GET', `/services/${id}`);
      expect([status, (body.data as { id: string }).id]).toStrictEqual([200, id]);
    }
  });

  test('compute the same access from each other’s policies', async () => {
    const identity = await first.create('identities', {
      name: 'ada',
      type: 'Default',
      isAdmin: false,
      roleAttributes: ['staff'],
    });
    const service = await second.create('services', { name: 'wiki', encryptionRequired: true });
    const policy = await second.create('service-policies', {
      name: 'staff dials',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#staff'],
      serviceRoles: [`@${service}`],
    });
    const services = `/identities/${identity}/services`;
    const permissions = `/services/${service}?asIdentity=${identity}`;
    for (const on of [first, second]) {
      await eventually(async () => {
        expect(await total(on, services)).toBe(1);
        const list = await on.rest(
          'GET',
          `/services?asIdentity=${identity}&filter=id%3D"${service}"`,
        );
        expect(list.body.data).toMatchObject([{ permissions: ['Dial'] }]);
        expect((await on.rest('GET', permissions)).status).toBe(200);
      });
    }
    await first.rest('DELETE', `/service-policies/${policy}`);
    for (const on of [first, second]) {
      await eventually(async () => {
        expect(await total(on, services)).toBe(0);
      });
    }
  });

  test('take each other’s sessions, until they end on either', async () => {
    const token = await first.login();
    const works = async (on: TestController): Promise<number> =>
      (await on.rest('GET', '/current-api-session', undefined, { 'zt-session': token })).status;
    expect([await works(first), await works(second)]).toStrictEqual([200, 200]);
    await second.rest('DELETE', '/current-api-session', undefined, { 'zt-session': token });
    expect(await works(second)).toBe(401);
    await eventually(async () => {
      expect(await works(first)).toBe(401);
    });
  });

  test('drop permissions of a running session when the identity changes elsewhere', async () => {
    const { id: identity, username } = await newPerson(first, { permissions: ['service'] });
    const token = await second.login(username, PASSWORD);
    const reads = async (): Promise<number> =>
      (await second.rest('GET', '/services', undefined, { 'zt-session': token })).status;
    expect(await reads()).toBe(200);
    await first.rest('PATCH', `/identities/${identity}`, { permissions: [] });
    await eventually(async () => {
      expect(await reads()).toBe(401);
    });
  });

  test('of two writes with one revision, one on each, one is refused', async () => {
    const id = await first.create('services', { name: 'contested', encryptionRequired: true });
    const answers = await Promise.all(
      [first, second].map((on, i) =>
        on.rest('PATCH', `/services/${id}`, { tags: { by: i } }, { 'if-match': '"1"' }),
      ),
    );
    expect(answers.map((a) => a.status).sort()).toStrictEqual([200, 412]);
  });

  test('refuse one name twice, wherever it comes from', async () => {
    const answers = await Promise.all(
      [first, second].map((on) =>
        on.rest('POST', '/services', { name: 'only once', encryptionRequired: true }),
      ),
    );
    expect(answers.map((a) => a.status).sort()).toStrictEqual([201, 400]);
  });
});
