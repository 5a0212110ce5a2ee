import { request as httpsRequest } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type Answer, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { LockedTables } from './locked-tables.js';

/* A request has its time; what it asks of the database ends with it. */

/** A busy machine takes a second for a login. */
const LIMIT_MILLIS = 3_000;

let controller: TestController;
let tables: LockedTables;
let database: LockedTables['database'];

beforeAll(async () => {
  controller = await startController({
    env: { OVERGRAPH_REQUEST_TIMEOUT: `${String(LIMIT_MILLIS)}ms` },
  });
  tables = await LockedTables.open(controller.databaseUrl);
  ({ database } = tables);
});
afterAll(async () => {
  await tables.close();
  await controller.stop();
});

const timed = async <T>(work: () => Promise<T>): Promise<{ value: T; tookMs: number }> => {
  const begin = performance.now();
  return { value: await work(), tookMs: performance.now() - begin };
};

const newService = (name: string): Promise<string> =>
  controller.create('services', { name, encryptionRequired: true });

const nameOf = async (id: string): Promise<unknown> => {
  const { rows } = await database.query<{ name: string }>(
    'select name from service where id = $1',
    [id],
  );
  return rows[0]?.name;
};

function expectTimeout(answer: Answer): void {
  expect(answer.status).toBe(503);
  expect(answer.headers['retry-after']).toBe('1');
  expect(answer.body).toMatchObject({
    error: {
      code: 'TIMEOUT',
      message: 'The requested operation took too much time to reply',
      requestId: expect.stringMatching(/./),
    },
  });
}

describe('a read that takes too long', () => {
  test('is answered with 503 TIMEOUT, and its statement is cancelled', async () => {
    await tables.whileLocked('service', async () => {
      const { value, tookMs } = await timed(() => controller.rest('GET', '/services'));
      expectTimeout(value);
      expect(tookMs).toBeGreaterThan(LIMIT_MILLIS - 50);
      expect(tookMs).toBeLessThan(2 * LIMIT_MILLIS);
      await eventually(async () => {
        expect(await tables.waiting()).toBe(0);
      });
    });
    expect((await controller.rest('GET', '/services')).status).toBe(200);
  });

  test('is an error of the graph, with the hint when to come back', async () => {
    await tables.whileLocked('service', async () => {
      const answer = await controller.send<object>('POST', '/graphql', {
        body: JSON.stringify({ query: '{ services { nodes { id } } }' }),
        headers: { 'content-type': 'application/json', 'zt-session': controller.token },
      });
      expect(answer.headers['retry-after']).toBe('1');
      expect(answer.body).toMatchObject({
        errors: [{ extensions: { code: 'TIMEOUT', status: 503, retryAfter: 1 } }],
      });
      await eventually(async () => {
        expect(await tables.waiting()).toBe(0);
      });
    });
  });

  test('is cancelled when its client goes away', async () => {
    await tables.whileLocked('service', async () => {
      const request = httpsRequest({
        host: '127.0.0.1',
        port: controller.port,
        path: '/edge/management/v1/services',
        headers: { 'zt-session': controller.token },
        rejectUnauthorized: false,
      });
      request.on('error', () => undefined);
      request.end();
      const begun = performance.now();
      await eventually(async () => {
        expect(await tables.waiting()).toBe(1);
      });
      request.destroy();
      await eventually(async () => {
        expect(await tables.waiting()).toBe(0);
      });
      expect(performance.now() - begun).toBeLessThan(LIMIT_MILLIS);
    });
  });
});

describe('a write that takes too long', () => {
  test('is rolled back before it is answered', async () => {
    const id = await newService('before');
    await database.query('begin');
    await database.query('select from service where id = $1 for update', [id]);
    const answer = await controller.rest('PATCH', `/services/${id}`, { name: 'after' });
    expectTimeout(answer);
    expect(await tables.waiting()).toBe(0);
    await database.query('rollback');
    expect(await nameOf(id)).toBe('before');
    expect((await controller.rest('PATCH', `/services/${id}`, { name: 'after' })).status).toBe(200);
    expect(await nameOf(id)).toBe('after');
  });

  test('tells its outcome when the commit was on its way', async () => {
    const id = await newService('slow');
    await database.query(
      `create function slow_commit() returns trigger language plpgsql as
        $$ begin perform pg_sleep(${String((1.5 * LIMIT_MILLIS) / 1000)}); return null; end $$`,
    );
    await database.query(
      `create constraint trigger slow_commit after update on service
        deferrable initially deferred for each row execute function slow_commit()`,
    );
    const { value, tookMs } = await timed(() =>
      controller.graphql(
        'mutation ($id: ID!) { updateService(id: $id, input: { name: "stored" }) { name } }',
        { id },
      ),
    );
    await database.query('drop function slow_commit() cascade');
    expect(tookMs).toBeGreaterThan(1.5 * LIMIT_MILLIS - 50);
    expect(value).toMatchObject({ data: { updateService: { name: 'stored' } } });
    expect(await nameOf(id)).toBe('stored');
  });
});

describe('an operation that takes its time', () => {
  test('is not cut off: an import waits for a lock', async () => {
    await database.query('begin');
    await database.query('lock table service in access exclusive mode');
    const importing = controller.graphql(
      `mutation { importNetwork(document: { services: [{ name: "imported", encryptionRequired: true }] }) {
        faultCount failure } }`,
    );
    await eventually(async () => {
      expect(await tables.waiting()).toBe(1);
    });
    await new Promise((resolve) => setTimeout(resolve, 1.5 * LIMIT_MILLIS));
    await database.query('rollback');
    expect(await importing).toMatchObject({
      data: { importNetwork: { faultCount: 0, failure: null } },
    });
  });
});
