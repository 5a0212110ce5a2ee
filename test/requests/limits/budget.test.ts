import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';

/* What the documents of one caller may cost in a minute. */

const BUDGET = 6_000;
const A_SECOND = BUDGET / 60;
/** 1 + 500 * 5 */
const COST = 2_501;
const COSTLY = '{ services(first: 500) { nodes { id name createdAt updatedAt } } }';

interface GraphAnswer {
  readonly errors?: { readonly extensions: Record<string, unknown> }[];
  readonly extensions: {
    readonly cost: number;
    readonly budget?: { readonly remaining: number; readonly perMinute: number };
  };
}

let controller: TestController;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_GRAPHQL_BUDGET: String(BUDGET) } });
});
afterAll(() => controller.stop());

/** The points that have come back at most since `begin`. */
const returnedSince = (begin: number): number => ((performance.now() - begin) / 1000) * A_SECOND;

const ask = (query: string, token?: string) =>
  controller.send<GraphAnswer>('POST', '/graphql', {
    body: JSON.stringify({ query }),
    headers: { 'content-type': 'application/json', ...(token ? { 'zt-session': token } : {}) },
  });

test('is told with every answer, and refused when it is spent, by identity', async () => {
  const begin = performance.now();
  const first = await ask(COSTLY, controller.token);
  expect(first.body.extensions).toStrictEqual({
    cost: COST,
    budget: { remaining: expect.any(Number), perMinute: BUDGET },
  });
  const remaining = Number(first.body.extensions.budget?.remaining);
  expect(remaining).toBeGreaterThanOrEqual(BUDGET - COST);
  expect(remaining).toBeLessThanOrEqual(BUDGET - COST + returnedSince(begin));
  let refused = first;
  for (let i = 0; i < 10 && refused.status === 200; i += 1) {
    refused = await ask(COSTLY, controller.token);
  }
  expect(refused.status).toBe(429);
  const after = Number(refused.headers['retry-after']);
  // 100 points come back in a second, and 1,503 are missing.
  expect(after).toBeGreaterThan(10);
  expect(after).toBeLessThanOrEqual(16);
  expect(refused.body.errors?.[0]?.extensions).toMatchObject({
    code: 'SERVER_TOO_MANY_REQUESTS',
    status: 429,
    retryAfter: after,
  });
  // Another session of the same identity has no other budget.
  expect((await ask(COSTLY, await controller.login())).status).toBe(429);
  // What costs little still passes, and the REST door is another matter.
  expect((await ask('{ version { version } }', controller.token)).status).toBe(200);
  expect((await controller.rest('GET', '/services')).status).toBe(200);
});

test('is spent by filters on the REST interface', async () => {
  const headers = { 'zt-session': controller.token };
  const spent = async (): Promise<number> => {
    const { body } = await ask('{ version { version } }', controller.token);
    return BUDGET - Number(body.extensions.budget?.remaining);
  };
  const begin = performance.now();
  const filter = encodeURIComponent(Array(100).fill('name = "x"').join(' or '));
  let status = 200;
  for (let i = 0; i < 5 && status === 200; i += 1) {
    ({ status } = await controller.rest('GET', `/services?filter=${filter}`, undefined, headers));
  }
  expect(status).toBe(429);
  expect((await spent()) + returnedSince(begin)).toBeGreaterThan(BUDGET / 2);
});

test('is that of the address for who has no session', async () => {
  const query = '{ version { version } }';
  const { body } = await ask(query);
  expect(body.extensions.budget).toStrictEqual({ remaining: BUDGET - 2, perMinute: BUDGET });
});
