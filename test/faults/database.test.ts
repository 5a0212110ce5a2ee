import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import {
  EmbeddedController,
  isHealthy,
  refusesWrites,
  UNAVAILABLE,
  writes,
  writesAgain,
} from './embedded-controller.js';

/** What befalls the PostgreSQL of a controller. The controller goes on, and recovers by itself. */

let controller: EmbeddedController;
/** Names of services whose creation was acknowledged. */
const acknowledged: string[] = [];

beforeAll(async () => {
  controller = await EmbeddedController.start();
});
afterAll(() => controller.stop());
beforeEach(async () => {
  for (const write of Object.values(writes)) {
    const { name, status } = await write(controller.api);
    expect(status).toBeLessThan(300);
    acknowledged.push(name);
  }
});
afterEach(async () => {
  const rows = await controller.query(
    `select s.name from service s join change c on c.entity_id = s.id and c.operation = 'create'`,
  );
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(acknowledged));
  expect(controller.isRunning).toBe(true);
});

const list = () => controller.api.rest('GET', '/services?limit=1');

describe('PostgreSQL that is killed', () => {
  test('is started again; until then both doors say that they can not serve', async () => {
    const before = await controller.postmaster();
    process.kill(before, 'SIGKILL');
    // One request may still be under way on a connection that is open.
    await eventually(() => refusesWrites(controller.api));
    await writesAgain(controller.api);
    expect(await controller.postmaster()).not.toBe(before);
    expect((await list()).status).toBe(200);
  });

  test('loses single sessions without anybody being asked to come again', async () => {
    await controller.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'overgraph' and pid <> pg_backend_pid()`,
    );
    expect(await writesAgain(controller.api)).toBeLessThan(2_000);
  });
});

describe('PostgreSQL that stands still', () => {
  test('holds up requests, which are answered as it goes on', async () => {
    const goOn = await controller.freeze();
    const held = [list(), writes.rest(controller.api), writes.graph(controller.api)];
    let answered = 0;
    for (const one of held) void one.then(() => (answered += 1));
    try {
      // Requests that need no database are served meanwhile.
      for (let i = 0; i < 20; i += 1) {
        expect((await controller.api.rest('GET', '/version')).status).toBe(200);
      }
      expect(answered).toBe(0);
    } finally {
      goOn();
    }
    expect((await Promise.all(held)).map(({ status }) => status)).toStrictEqual([200, 201, 200]);
  });
});

describe('PostgreSQL that has no connection left', () => {
  test('makes nobody wait, and serves again once there are some', async () => {
    const client = await controller.connect();
    const taken = [client];
    try {
      // The controller competes for those that it loses, and one on its way to it is in no list yet.
      await eventually(async () => {
        await expect(
          (async () => {
            for (;;) taken.push(await controller.connect());
          })(),
        ).rejects.toMatchObject({ code: '53300' });
        const { rows } = await client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
             where backend_type = 'client backend' and application_name is distinct from 'beside'`,
        );
        expect(rows).toStrictEqual([]);
        await refusesWrites(controller.api);
      });
      const answer = await list();
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      // The log tells its readers what the answers do not tell clients.
      expect(JSON.stringify(answer.body)).not.toMatch(/clients|slots/);
      await eventually(() => {
        expect(controller.program.stdout).toMatch(
          /can not serve requests at the moment: [^"]*(too many clients|connection slots)/,
        );
      });
    } finally {
      for (const one of taken) await one.end();
    }
    await writesAgain(controller.api);
    await isHealthy(controller.api, true);
  });
});

describe('PostgreSQL that is read-only', () => {
  test('lets read, and write as soon as it may be written', async () => {
    await controller.query(
      'alter system set default_transaction_read_only = on',
      'select pg_reload_conf()',
    );
    await eventually(() => refusesWrites(controller.api));
    expect((await list()).status).toBe(200);
    const login = await controller.api.rest('POST', '/authenticate?method=password', {
      username: 'admin',
      password: 'correct horse',
    });
    expect({ ...UNAVAILABLE, code: login.body.error.code, status: login.status }).toStrictEqual(
      UNAVAILABLE,
    );
    await isHealthy(controller.api, false);
    await controller.query(
      'alter system reset default_transaction_read_only',
      'select pg_reload_conf()',
    );
    await writesAgain(controller.api);
  });
});
