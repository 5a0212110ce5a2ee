import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { LockedTables } from './locked-tables.js';
import { TlsClient } from './tls-client.js';

/* Requests that wait for the database take places; logins find one all the same. */

const PLACES = 4;

let controller: TestController;
let tables: LockedTables;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_CONCURRENCY: String(PLACES) } });
  tables = await LockedTables.open(controller.databaseUrl);
});
afterAll(async () => {
  await tables.close();
  await controller.stop();
});

const whileLocked = (work: () => Promise<void>): Promise<void> =>
  tables.whileLocked('service', work);

async function expectWaiting(count: number): Promise<void> {
  await eventually(async () => {
    expect(await tables.waiting()).toBe(count);
  });
}

const list = (count: number, path = '/services'): Promise<number[]> =>
  Promise.all(
    Array.from({ length: count }, async () => (await controller.rest('GET', path)).status),
  );

test('ordinary requests leave a place to logins', async () => {
  let listing: Promise<number[]> | undefined;
  await whileLocked(async () => {
    listing = list(3 * PLACES);
    await expectWaiting(3);
    expect(await controller.login()).toMatch(/./);
  });
  expect(await listing).toStrictEqual(Array(3 * PLACES).fill(200));
});

test.each(['/services?limit=-1', '/services?filter=limit%20none'])(
  '%s takes no place from ordinary requests, however often it is asked',
  async (path) => {
    let listing: Promise<number[]> | undefined;
    await whileLocked(async () => {
      listing = list(2 * PLACES, path);
      await expectWaiting(1);
      expect((await controller.rest('GET', '/identities')).status).toBe(200);
      await expectWaiting(1);
    });
    expect(await listing).toStrictEqual(Array(2 * PLACES).fill(200));
  },
);

test('a heavy document of the graph neither', async () => {
  const heavy = '{ services(first: 500) { nodes { identities(first: 100) { nodes { id } } } } }';
  let reading: Promise<unknown[]> | undefined;
  await whileLocked(async () => {
    reading = Promise.all(Array.from({ length: PLACES }, () => controller.graphql(heavy)));
    await expectWaiting(1);
    expect(await controller.graphql('{ identities { totalCount } }')).not.toHaveProperty('errors');
    await expectWaiting(1);
  });
  await reading;
});

test('who is slow to send a body takes no place', async () => {
  const clients = await Promise.all(
    Array.from({ length: 2 * PLACES }, () => TlsClient.connect(controller.port)),
  );
  for (const client of clients) {
    client.head(
      'POST /edge/management/v1/services HTTP/1.1',
      `zt-session: ${controller.token}`,
      'content-type: application/json',
      'content-length: 1000',
    );
  }
  expect(await list(PLACES)).toStrictEqual(Array(PLACES).fill(200));
  const id = await controller.create('services', { name: 'quick', encryptionRequired: true });
  expect(id).toMatch(/./);
  for (const client of clients) client.end();
});

describe('when too many wait', () => {
  test('the rest is refused with 503 UNAVAILABLE and the hint when to come back', async () => {
    const most = 3 + 16 * PLACES;
    let listing: Promise<{ status: number; code?: string; after?: unknown }[]> | undefined;
    await whileLocked(async () => {
      let refused = 0;
      listing = Promise.all(
        Array.from({ length: most + 10 }, async () => {
          const { status, body, headers } = await controller.rest('GET', '/services');
          if (status !== 503) return { status };
          refused += 1;
          return { status, code: body.error.code, after: headers['retry-after'] };
        }),
      );
      await eventually(() => {
        expect(refused).toBe(10);
      });
      expect(await controller.login()).toMatch(/./);
    });
    const answers = await listing;
    const refusals = (answers ?? []).filter(({ status }) => status === 503);
    expect(refusals).toStrictEqual(
      Array(10).fill({ status: 503, code: 'UNAVAILABLE', after: '1' }),
    );
  });
});
