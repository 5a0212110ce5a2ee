import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import { Bindings, type BindRequest } from '../../../src/network/fabric/bindings.js';
import { PostureGuard } from '../../../src/network/fabric/posture-guard.js';
import type { Store } from '../../../src/kernel/request/store-port.js';
import { InProcess } from '../../support/in-process.js';
import { storeWith } from '../../support/store-with.js';

/* The statements for terminators that clients host. */

const ROUTER = 'router-1';
const TOKEN = 'token of the session';

let controller: InProcess;
let bindings: Bindings;
let serviceId: string;
let apiSessionToken: string;

beforeAll(async () => {
  controller = await InProcess.start();
  const { store } = controller.parts;
  const host = await controller.create('Identity', { name: 'h', type: 'Default', isAdmin: false });
  serviceId = await controller.create('Service', { name: 's', encryptionRequired: true });
  await store.query(
    sql`insert into router (id, created_at, updated_at, name, is_edge)
      values (${ROUTER}::text, now(), now(), 'r', true)`,
  );
  const { id: apiSessionId, token } = await controller.openSession(host);
  apiSessionToken = token;
  await store.query(
    sql`insert into session (id, created_at, updated_at, token, api_session_id, identity_id, service_id, type)
      values ('session', now(), now(), ${TOKEN}::text, ${apiSessionId}::text, ${host}::text, ${serviceId}::text, 'Bind')`,
  );
  bindings = bindingsOn(store);
});
afterAll(() => controller.stop());

const bindingsOn = (store: Store): Bindings =>
  new Bindings({
    store,
    index: { commonRouters: () => [ROUTER] },
    posture: new PostureGuard(store, { judgesPosture: () => false }, () => Promise.resolve([])),
    context: () => controller.ctx(undefined),
    now: () => new Date(),
  });

const request = (address: string): BindRequest => ({
  binding: 'edge',
  address,
  session: { token: TOKEN, client: { apiSession: { token: apiSessionToken }, fingerprints: [] } },
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

/** The stored terminators whose ids begin with a text. */
const stored = async (prefix: string): Promise<string[]> =>
  (
    await controller.parts.store.query(
      sql<{
        id: string;
      }>`select id from terminator where starts_with(id, ${prefix}::text) order by id`,
    )
  ).map(({ id }) => id);

test('a terminator is created and removed with five statements each', async () => {
  const [create, remove] = [
    () => bindings.bind(ROUTER, request('t')),
    () => bindings.remove(ROUTER, ['t']),
  ];
  // The session with what is stored, and a transaction: begin, insert, change record, commit.
  expect(await statementsOf(create)).toBeLessThanOrEqual(5);
  expect(await stored('t')).toStrictEqual(['t']);
  // A transaction: begin, lock, delete, change record, commit.
  expect(await statementsOf(remove)).toBeLessThanOrEqual(5);
  expect(await stored('t')).toStrictEqual([]);
});

/** Bindings whose first transaction begins when so many sessions have been read. */
function heldUntilRead(count: number): Bindings {
  const { store } = controller.parts;
  let isAllRead = (): void => undefined;
  const allRead = new Promise<void>((resolve) => {
    isAllRead = resolve;
  });
  let readCount = 0;
  return bindingsOn(
    storeWith(store, {
      query: async (statement) => {
        const rows = await store.query(statement);
        readCount += 1;
        if (readCount === count) isAllRead();
        return rows;
      },
      write: async (origin, work) => {
        await allRead;
        return store.write(origin, work);
      },
    }),
  );
}

test('requests that come together share transactions', async () => {
  const names = Array.from({ length: 11 }, (_, i) => `shared-${String(i).padStart(2, '0')}`);
  const held = heldUntilRead(names.length);
  // The first one has a transaction, and the others have one together. Each request has its session
  // and its insert, each transaction begin, change records and commit.
  const create = (): Promise<unknown> =>
    Promise.all(names.map((name) => held.bind(ROUTER, request(name))));
  expect(await statementsOf(create)).toBeLessThanOrEqual(11 * 2 + 2 * 3);
  expect(await stored('shared-')).toStrictEqual(names);
  // Each of the two transactions begins, locks, deletes, records and commits.
  const remove = (): Promise<unknown> =>
    Promise.all(names.map((name) => bindings.remove(ROUTER, [name])));
  expect(await statementsOf(remove)).toBeLessThanOrEqual(2 * 5);
  expect(await stored('shared-')).toStrictEqual([]);
});

test('a request that fails does not take others with it', async () => {
  await bindings.bind(ROUTER, request('alone-taken'));
  const taken = { ...request('alone-taken'), binding: 'tunnel' } as const;
  const requests = [request('alone-a'), request('alone-b'), taken, request('alone-c')];
  const held = heldUntilRead(requests.length);
  const outcomes = await Promise.allSettled(requests.map((each) => held.bind(ROUTER, each)));
  expect(outcomes.map(({ status }) => status)).toStrictEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(await stored('alone-')).toStrictEqual(['alone-a', 'alone-b', 'alone-c', 'alone-taken']);
});

test('a terminator that is stored meanwhile is not stored twice', async () => {
  const outcomes = await Promise.allSettled(
    [1, 2, 3].map(() => bindings.bind(ROUTER, request('same'))),
  );
  expect(outcomes.map(({ status }) => status)).toContain('fulfilled');
  expect(await stored('same')).toStrictEqual(['same']);
});
