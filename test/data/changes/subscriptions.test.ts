import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loggedIn, newPerson } from '../../trust/auth/client.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { idsOf, SocketClient, StreamClient, type Collected, type Event } from './subscribing.js';

/** Following changes over the network, at two controllers. */

let first: TestController & { dataDir: string };
let second: TestController & { dataDir: string };

beforeAll(async () => {
  first = await startController();
  second = await startController({ with: first });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

let count = 0;
const newService = (on: TestController = first): Promise<string> =>
  on.create('services', { name: `service ${String(++count)}`, encryptionRequired: true });

const originOf = ({ port }: TestController): string => `https://127.0.0.1:${String(port)}`;

const has = (collected: { readonly events: readonly Event[] }, number: number): Promise<unknown> =>
  eventually(() => {
    expect(collected.events.length).toBeGreaterThanOrEqual(number);
  });

/** A subscription begins when the server says so; what is written then comes for sure. */
async function begun(collected: { readonly events: readonly Event[] }): Promise<number> {
  await eventually(async () => {
    await newService();
    expect(collected.events.length).toBeGreaterThan(0);
  });
  await eventually(() => {
    expect(idsOf(collected.events).length).toBe(collected.events.length);
  });
  return collected.events.length;
}

const types = ['Service'];

async function login(
  permissions: readonly string[],
): Promise<{ identityId: string; token: string; id: string }> {
  const person = await newPerson(first, { permissions });
  const { id, token } = await loggedIn(first, person);
  return { id, token, identityId: person.id };
}

describe.each([
  ['by header', { headers: true }],
  ['by connection_init', { headers: false }],
])('a WebSocket whose session comes %s', (_, { headers }) => {
  test('gets what any controller writes, and resumes at another without loss', async () => {
    const how = (on: TestController) =>
      headers ? { headers: { 'zt-session': on.token } } : { payload: { 'zt-session': on.token } };
    const socket = new SocketClient(first.port, how(first));
    const collected = socket.follow({ types });
    const before = await begun(collected);
    const written: string[] = [];
    for (const on of [first, second, first]) written.push(await newService(on));
    await eventually(() => {
      expect(idsOf(collected.events).slice(-3)).toStrictEqual(written);
    });
    const known = collected.events.at(before - 1)?.data?.changes;
    expect(known?.id).toMatch(/^[0-9a-f]{36}$/);
    collected.stop();
    const again = new SocketClient(second.port, how(second));
    const resumed = again.follow({ types, since: String(known?.id) });
    const later = await newService();
    const wanted = [...idsOf(collected.events).slice(before), later];
    await eventually(() => {
      expect(idsOf(resumed.events)).toStrictEqual(wanted);
    });
    expect(resumed.events.at(-1)?.data?.changes).toMatchObject({
      type: 'Service',
      operation: 'create',
      actor: { name: expect.any(String) },
      fields: expect.arrayContaining([{ name: 'name', after: `service ${String(count)}` }]),
    });
    await socket.client.dispose();
    await again.client.dispose();
  });
});

describe('an event stream', () => {
  test.each(['GET', 'POST'] as const)('by %s gives events of one line each', async (method) => {
    const stream = (
      await StreamClient.open(originOf(second), first.token, { types }, { method })
    ).read();
    expect(stream.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    const service = await newService();
    await eventually(() => {
      expect(idsOf(stream.events)).toContain(service);
    });
    expect(new Set(stream.names)).toStrictEqual(new Set(['next']));
    stream.close();
  });

  test.each([
    ['without a session', undefined, {}, undefined, 401, 'UNAUTHORIZED'],
    ['with a made-up session', 'made-up', {}, undefined, 401, 'UNAUTHORIZED'],
    [
      'from a place that is not kept',
      'own',
      { since: '0'.repeat(36) },
      undefined,
      410,
      'HISTORY_NOT_KEPT',
    ],
    ['from no place at all', 'own', { since: 'x' }, undefined, 400, 'COULD_NOT_VALIDATE'],
    [
      'of a type that there is not',
      'own',
      { types: ['Nonsense'] },
      undefined,
      400,
      'COULD_NOT_VALIDATE',
    ],
    ['of a query', 'own', {}, '{ version { version } }', 400, 'COULD_NOT_VALIDATE'],
    ['of nonsense', 'own', {}, 'subscription { nonsense }', 400, 'COULD_NOT_VALIDATE'],
    ['of what is no document', 'own', {}, '}', 400, 'COULD_NOT_VALIDATE'],
    [
      'of too much',
      'own',
      {},
      `subscription { changes { ${Array.from({ length: 101 }, (_, i) => `a${String(i)}: id`).join(' ')} } }`,
      400,
      'QUERY_TOO_COMPLEX',
    ],
  ])('%s is refused', async (_, token, asked, query, status, code) => {
    const stream = await StreamClient.open(
      originOf(first),
      token === 'own' ? first.token : token,
      asked,
      query === undefined ? {} : { query },
    );
    const body = JSON.parse(await stream.text()) as Event;
    expect([stream.response.statusCode, body.errors?.[0]?.extensions.code]).toStrictEqual([
      status,
      code,
    ]);
  });

  test('shows only types that the caller may read', async () => {
    const { token } = await login(['change.read', 'config-type.read']);
    const stream = (await StreamClient.open(originOf(first), token)).read();
    await newService();
    const configType = await first.create('config-types', { name: `type ${String(++count)}` });
    await has(stream, 1);
    expect(idsOf(stream.events)).toStrictEqual([configType]);
    stream.close();
    const powerless = await login(['service.read']);
    const refused = await StreamClient.open(originOf(first), powerless.token);
    expect(refused.response.statusCode).toBe(401);
    refused.close();
  });
});

describe('the same over a WebSocket', () => {
  test('is refused with errors, and strangers are let in nowhere', async () => {
    const socket = new SocketClient(first.port, { headers: { 'zt-session': first.token } });
    const refused = socket.follow({ since: '0'.repeat(36) });
    await eventually(() => {
      expect(refused.ended).toMatchObject([
        { extensions: { code: 'HISTORY_NOT_KEPT', status: 410 } },
      ]);
    });
    const query = socket.follow({}, '{ version { version } }');
    await eventually(() => {
      expect(query.ended).toMatchObject([{ extensions: { code: 'COULD_NOT_VALIDATE' } }]);
    });
    await socket.client.dispose();
    const stranger = new SocketClient(first.port, {});
    stranger.follow();
    await eventually(() => {
      expect(stranger.closes).toStrictEqual([4403]);
    });
  });

  test('plain requests take no subscription', async () => {
    const answer = await first.graphql('subscription { changes { id } }');
    expect(answer.errors?.[0]?.extensions.status).toBe(400);
  });
});

describe('a subscription ends', () => {
  const ended = (collected: Collected): Promise<unknown> =>
    eventually(() => {
      expect(collected.ended).toBeDefined();
      expect(collected.events.at(-1)?.errors?.[0]?.extensions).toMatchObject({
        code: 'UNAUTHORIZED',
        status: 401,
      });
    });

  test('with its API session, which may be ended at another controller', async () => {
    const { token, id } = await login(['change.read', 'service.read']);
    const socket = new SocketClient(first.port, { payload: { 'zt-session': token } });
    const collected = socket.follow({ types });
    await begun(collected);
    await second.rest('DELETE', `/api-sessions/${id}`);
    await ended(collected);
    await socket.client.dispose();
  });

  test('when the permission is lost, but not for other changes of its identity', async () => {
    const { token, identityId } = await login(['change.read', 'service.read']);
    const socket = new SocketClient(first.port, { headers: { authorization: `Bearer ${token}` } });
    const collected = socket.follow({ types });
    await begun(collected);
    await first.rest('PATCH', `/identities/${identityId}`, { tags: { some: 'tag' } });
    const service = await newService();
    await eventually(() => {
      expect(idsOf(collected.events)).toContain(service);
    });
    await second.rest('PATCH', `/identities/${identityId}`, { permissions: ['service.read'] });
    await ended(collected);
    await socket.client.dispose();
  });

  test('with its controller: code 1001, the end of the stream, and nothing is lost', async () => {
    const third = await startController({ with: first });
    const socket = new SocketClient(third.port, { payload: { 'zt-session': first.token } });
    const collected = socket.follow({ types });
    const stream = (await StreamClient.open(originOf(third), first.token, { types })).read();
    await begun(collected);
    await has(stream, 1);
    const begin = Date.now();
    await third.stop();
    expect(Date.now() - begin).toBeLessThan(8_000);
    expect(socket.closes).toStrictEqual([1001]);
    await eventually(() => {
      expect([stream.isEnded, stream.names.at(-1)]).toStrictEqual([true, 'complete']);
    });
    const missed = await newService();
    const since = String(collected.events.at(-1)?.data?.changes.id);
    const resumed = (
      await StreamClient.open(originOf(second), first.token, { types, since })
    ).read();
    await eventually(() => {
      expect(idsOf(resumed.events).at(-1)).toBe(missed);
    });
    resumed.close();
  });
});
