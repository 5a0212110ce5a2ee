import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from '../../src/base/sql.js';
import { Bindings, type BindRequest } from '../../src/fabric/bindings.js';
import { InProcess } from '../support/in-process.js';

/* The statements for terminators that clients host. */

const ROUTER = 'router-1';
const TOKEN = 'token of the session';

let controller: InProcess;
let bindings: Bindings;
let serviceId: string;

beforeAll(async () => {
  controller = await InProcess.start();
  const { store } = controller.parts;
  const host = await controller.create('Identity', { name: 'h', type: 'Default', isAdmin: false });
  serviceId = await controller.create('Service', { name: 's', encryptionRequired: true });
  await store.query(
    sql`insert into router (id, created_at, updated_at, name, is_edge)
      values (${ROUTER}::text, now(), now(), 'r', true)`,
  );
  const { id: apiSessionId } = await controller.openSession(host);
  await store.query(
    sql`insert into session (id, created_at, updated_at, token, api_session_id, identity_id, service_id, type)
      values ('session', now(), now(), ${TOKEN}::text, ${apiSessionId}::text, ${host}::text, ${serviceId}::text, 'Bind')`,
  );
  bindings = new Bindings({
    store,
    index: { commonRouters: () => [ROUTER] },
    context: () => controller.ctx(undefined),
    now: () => new Date(),
  });
});
afterAll(() => controller.stop());

const request = (address: string): BindRequest => ({
  binding: 'edge',
  address,
  sessionToken: TOKEN,
  peerData: {},
  cost: 0,
  precedence: 'default',
  instanceId: 'instance',
  instanceSecret: new Uint8Array(),
});

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const before = controller.parts.database.statements;
  await work();
  return controller.parts.database.statements - before;
}

const stored = async (): Promise<string[]> =>
  (
    await controller.parts.store.query(sql<{ id: string }>`select id from terminator order by id`)
  ).map(({ id }) => id);

test('a terminator is created and removed with five statements each', async () => {
  const [create, remove] = [
    () => bindings.bind(ROUTER, request('t')),
    () => bindings.remove(ROUTER, ['t']),
  ];
  // The session with what is stored, and a transaction: begin, insert, change record, commit.
  expect(await statementsOf(create)).toBeLessThanOrEqual(5);
  expect(await stored()).toStrictEqual(['t']);
  // A transaction: begin, lock, delete, change record, commit.
  expect(await statementsOf(remove)).toBeLessThanOrEqual(5);
  expect(await stored()).toStrictEqual([]);
});

test('requests that come together share transactions', async () => {
  const names = Array.from({ length: 11 }, (_, i) => `together-${String(i).padStart(2, '0')}`);
  // The first one begins at once, and the others form a batch: each has its session and its insert,
  // each of the two transactions begin, change records and commit.
  const create = (): Promise<unknown> =>
    Promise.all(names.map((name) => bindings.bind(ROUTER, request(name))));
  expect(await statementsOf(create)).toBeLessThanOrEqual(11 * 2 + 2 * 3);
  expect(await stored()).toStrictEqual(names);
  // Each of the two transactions begins, locks, deletes, records and commits.
  const remove = (): Promise<unknown> =>
    Promise.all(names.map((name) => bindings.remove(ROUTER, [name])));
  expect(await statementsOf(remove)).toBeLessThanOrEqual(2 * 5);
  expect(await stored()).toStrictEqual([]);
});

test('a request that fails does not take others with it', async () => {
  await bindings.bind(ROUTER, request('taken'));
  const other = { ...request('taken'), binding: 'tunnel' } as const;
  const outcomes = await Promise.allSettled(
    [request('a'), request('b'), other, request('c')].map((each) => bindings.bind(ROUTER, each)),
  );
  expect(outcomes.map(({ status }) => status)).toStrictEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(await stored()).toStrictEqual(['a', 'b', 'c', 'taken']);
  await bindings.remove(ROUTER, ['a', 'b', 'c', 'taken']);
  expect(await stored()).toStrictEqual([]);
});

test('a terminator that is stored meanwhile is not stored twice', async () => {
  const outcomes = await Promise.allSettled(
    [1, 2, 3].map(() => bindings.bind(ROUTER, request('same'))),
  );
  expect(outcomes.map(({ status }) => status)).toContain('fulfilled');
  expect(await stored()).toStrictEqual(['same']);
});
