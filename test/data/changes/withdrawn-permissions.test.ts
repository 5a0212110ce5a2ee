import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Subscriptions } from '../../../src/graph/index.js';
import type { Row } from '../../../src/base/row.js';
import { remove } from '../../../src/kernel/write/write.js';
import { authPolicy, unique } from '../../trust/auth/client.js';
import { follow } from '../../support/following.js';
import { InProcess } from '../../support/in-process.js';
import { admissionOf } from '../../support/unlimited.js';

/*
 * A subscription ends with the permission that it began with, however its document is written: the
 * operation that counts is the one that runs.
 */

let controller: InProcess;
let subscriptions: Subscriptions;
let endFeed: () => Promise<void>;
/** A check of a caller waits for it. */
let gate: Promise<void> = Promise.resolve();
const faults: unknown[] = [];

beforeAll(async () => {
  controller = await InProcess.start();
  const { contexts, executor, store } = controller.parts;
  subscriptions = new Subscriptions({
    schema: executor.schema,
    contexts: Object.assign(Object.create(contexts) as typeof contexts, {
      create: async (request: Parameters<typeof contexts.create>[0]) => {
        await gate;
        return contexts.create(request);
      },
    }),
    store,
    admission: admissionOf(controller),
    onUnexpected: (fault) => faults.push(fault),
  });
  endFeed = await follow(controller, (fault) => faults.push(fault));
});
afterAll(async () => {
  subscriptions.stop();
  await endFeed();
  await controller.stop();
  expect(faults).toStrictEqual([]);
});

interface Follower {
  readonly identityId: string;
  readonly sessionId: string;
  readonly authPolicyId: string;
  readonly token: string;
}

let follower: Follower;

beforeEach(async () => {
  const authPolicyId = await controller.create('AuthPolicy', authPolicy({}));
  const identityId = await controller.create('Identity', {
    name: unique('follower'),
    type: 'Default',
    isAdmin: false,
    authPolicyId,
    permissions: ['change.read', 'service.read'],
  });
  const { id: sessionId, token } = await controller.openSession(identityId);
  follower = { identityId, sessionId, authPolicyId, token };
});

const begin = (query: string, variables: Row = {}, operationName?: string, { token } = follower) =>
  subscriptions.start(
    { headers: { 'zt-session': token }, rawHeaders: [], socket: {} } as never,
    { query, variables, operationName },
    () => undefined,
  );

type Running = Awaited<ReturnType<typeof begin>>;

async function next(running: Running): Promise<Row> {
  const { value } = await running.next();
  return JSON.parse(JSON.stringify(value ?? null)) as Row;
}

const UNAUTHORIZED = { errors: [{ extensions: { code: 'UNAUTHORIZED', status: 401 } }] };

/** The next that comes is the end, although there is something to tell. */
async function expectEnd(running: Running): Promise<void> {
  await controller.create('Service', { name: unique('service'), encryptionRequired: true });
  await expect(next(running)).resolves.toMatchObject(UNAUTHORIZED);
  await expect(running.next()).resolves.toMatchObject({ done: true });
}

const update = (resource: string, id: string, input: Row): Promise<unknown> =>
  controller.read(
    `mutation ($id: ID!, $input: Update${resource}Input!) { update${resource}(id: $id, input: $input) { id } }`,
    { id, input },
  );

interface Shape {
  readonly shape: string;
  readonly query: string;
  readonly operationName?: string;
}

const SHAPES: readonly Shape[] = [
  { shape: 'a field', query: 'subscription { changes { id } }' },
  { shape: 'an alias', query: 'subscription { accessChanges: changes { id } }' },
  { shape: 'an inline fragment', query: 'subscription { ... { changes { id } } }' },
  {
    shape: 'an inline fragment with its type',
    query: 'subscription { ... on Subscription { changes { id } } }',
  },
  {
    shape: 'fragments in fragments',
    query: 'subscription { ... { ... on Subscription { ...{ changes { id } } } } }',
  },
  {
    shape: 'a named fragment',
    query: 'subscription { ...F } fragment F on Subscription { changes { id } }',
  },
  {
    shape: 'a named fragment in a named one',
    query:
      'fragment G on Subscription { changes { id } } subscription { ...F } fragment F on Subscription { ...G }',
  },
  { shape: 'an included field', query: 'subscription { changes @include(if: true) { id } }' },
  {
    shape: 'a fragment that is not skipped',
    query: 'subscription { ... @skip(if: false) { changes { id } } }',
  },
  {
    shape: 'a field after one that is skipped',
    query: 'subscription { accessChanges @skip(if: true) { changeId } changes { id } }',
  },
  {
    shape: 'one of several operations',
    query:
      'subscription A { accessChanges { changeId } } subscription B { ... { changes { id } } } query C { version { version } }',
    operationName: 'B',
  },
];

describe('a subscription by', () => {
  test.each(SHAPES)(
    '$shape ends when its permission is withdrawn',
    async ({ query, operationName }) => {
      const running = await begin(query, {}, operationName);
      await update('Identity', follower.identityId, { permissions: ['service.read', 'identity'] });
      await expectEnd(running);
    },
  );

  test('any document gives nothing while the permissions are checked again', async () => {
    const query = 'subscription { changes { id } }';
    const witnessId = await controller.create('Identity', {
      name: unique('witness'),
      type: 'Default',
      isAdmin: false,
      permissions: ['change.read', 'service.read'],
    });
    const witness = { ...follower, ...(await controller.openSession(witnessId)) };
    const running = await begin(query);
    const other = await begin(query, {}, undefined, witness);
    let open: () => void = () => undefined;
    gate = new Promise((resolve) => (open = resolve));
    await update('Identity', follower.identityId, { permissions: ['service.read', 'identity'] });
    await controller.create('Service', { name: unique('service'), encryptionRequired: true });
    // The creation has arrived, and so the change of the permissions before it.
    await next(other);
    const result = next(running);
    await other.return?.();
    open();
    await expect(result).resolves.toMatchObject(UNAUTHORIZED);
  });

  test.each(SHAPES)('$shape goes on after other changes', async ({ query, operationName }) => {
    const running = await begin(query, {}, operationName);
    await update('Identity', follower.identityId, { tags: { some: 'tag' } });
    await controller.create('Service', { name: unique('service'), encryptionRequired: true });
    const { data, errors } = await next(running);
    expect([errors, Object.keys(data as Row)]).toEqual([undefined, [expect.any(String)]]);
    await running.return?.();
  });
});

describe('a subscription in a fragment', () => {
  const WITHDRAWALS: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['its session is removed', () => drop('ApiSession', follower.sessionId)],
    ['its identity is removed', () => drop('Identity', follower.identityId)],
    [
      'its identity is disabled',
      () =>
        controller.read(
          'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 5) { id } }',
          { id: follower.identityId },
        ),
    ],
    [
      'its session becomes partial by its policy',
      () => update('AuthPolicy', follower.authPolicyId, { secondary: { requireTotp: true } }),
    ],
    [
      'its identity comes under a policy that asks for more',
      async () => {
        const strict = authPolicy({ secondary: { requireTotp: true } });
        const authPolicyId = await controller.create('AuthPolicy', strict);
        await update('Identity', follower.identityId, { authPolicyId });
      },
    ],
  ];
  const drop = (resource: string, id: string): Promise<void> =>
    remove(controller.ctx(), controller.catalog.get(resource), id);

  test.each(WITHDRAWALS)('ends when %s', async (_, withdraw) => {
    const running = await begin('subscription { ... { changes { id } } }');
    await withdraw();
    await expectEnd(running);
  });
});

describe('a document without a field to follow', () => {
  test.each([
    ['because it is skipped', 'subscription { changes @skip(if: true) { id } }', {}],
    ['because its fragment is', 'subscription { ... @include(if: false) { changes { id } } }', {}],
    [
      'which a variable decides',
      'subscription ($a: Boolean!) { changes @include(if: $a) { id } }',
      { a: true },
    ],
  ])('%s is refused', async (_, query, variables) => {
    const stranger = { ...follower, token: 'made-up' };
    for (const by of [follower, stranger]) {
      await expect(begin(query, variables, undefined, by)).rejects.toMatchObject({
        code: 'COULD_NOT_VALIDATE',
      });
    }
  });
});
