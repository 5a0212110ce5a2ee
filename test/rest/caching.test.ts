import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { StreamClient } from '../data/changes/subscribing.js';
import { startController, type TestController } from '../support/controller.js';
import { allRestRows } from '../support/graph.js';

const REST_ROWS = await allRestRows();

/*
 * What caches may keep. Answers of rows are judged one by one where all of them are walked; here are
 * the other doors, and what no row answers.
 */

let controller: TestController;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());

const REST = '/edge/client/v1';
const JSON_BODY = { 'content-type': 'application/json' };

async function cacheControl(
  method: string,
  path: string,
  options: Parameters<TestController['send']>[2] = {},
): Promise<readonly [number, unknown]> {
  const { status, headers } = await controller.send(method, path, options);
  return [status, headers['cache-control']];
}

const graphql = (query: string) => ({
  headers: { ...JSON_BODY, 'zt-session': controller.token },
  body: JSON.stringify({ query }),
});

describe('no cache keeps', () => {
  test.each<[string, number, string, string, () => Parameters<TestController['send']>[2]]>([
    ['a GraphQL answer', 200, 'POST', '/graphql', () => graphql('{ currentApiSession { token } }')],
    ['a GraphQL refusal', 400, 'POST', '/graphql', () => graphql('{ nonsense }')],
    ['what GraphQL refuses at its door', 400, 'POST', '/graphql', () => graphql(tooWide)],
    ['a body that is none', 400, 'POST', '/graphql', () => ({ headers: JSON_BODY, body: '{' })],
    ['a refused subscription', 400, 'POST', '/graphql/stream', () => graphql('{ nonsense }')],
    ['an unknown path', 404, 'GET', `${REST}/nothing`, () => ({})],
    ['another method', 405, 'PUT', `${REST}/version`, () => ({})],
    ['a stranger’s refusal', 401, 'GET', `${REST}/current-identity`, () => ({})],
    ['the refusal of a public answer', 404, 'GET', `${REST}/specs/nobody`, () => ({})],
    ['the health', 200, 'GET', '/health-checks', () => ({})],
    ['the answer to a HEAD', 401, 'HEAD', `${REST}/current-identity`, () => ({})],
  ])('%s (%d)', async (_, status, method, path, options) => {
    await expect(cacheControl(method, path, options())).resolves.toEqual([status, 'no-store']);
  });

  const tooWide = `{ ${Array.from({ length: 101 }, (_, i) => `a${String(i)}: version { version }`).join(' ')} }`;

  test('the events of a subscription', async () => {
    const origin = `https://127.0.0.1:${String(controller.port)}`;
    const stream = await StreamClient.open(origin, controller.token);
    expect(stream.response.headers['cache-control']).toBe('no-store, no-transform');
    stream.close();
  });
});

describe('caches may keep', () => {
  test.each(['/version', `${REST}/version`, '/.well-known/est/cacerts', `${REST}/network-jwts`])(
    '%s, and ask whether it is still so',
    async (path) => {
      const token = { headers: { 'zt-session': controller.token } };
      await expect(cacheControl('GET', path, token)).resolves.toEqual([200, 'no-cache']);
    },
  );

  test('files of the pages', async () => {
    const [status, header] = await cacheControl('GET', '/assets/graphiql/graphiql.min.css');
    expect([status, header]).toEqual([200, 'public, max-age=86400, immutable']);
  });

  test('only operations that need no permission are cached by all', () => {
    const cacheable = REST_ROWS.filter((row) => row.isPublic);
    expect(cacheable.length).toBeGreaterThan(5);
    for (const { method, permission } of cacheable) {
      expect([method, permission]).toEqual(['GET', { need: 'nothing' }]);
    }
  });
});
