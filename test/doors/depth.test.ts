import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import {
  startControllerProcess,
  type Answer,
  type Envelope,
  type ControllerProcess,
} from '../support/controller.js';
import { inTurn } from './in-turn.js';
import { graphPlaces, jsonWith, restPlaces } from './places.js';

/** Values that are nested deeper than any stack: refused at every door, and no harm to the process. */

let controller: ControllerProcess;

beforeAll(async () => {
  controller = await startControllerProcess({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());

const LEVELS = 10_000;
const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
const FORMS = [lists(LEVELS), objects(LEVELS)];

const JSON_TYPE = { 'content-type': 'application/json' };
const withSession = (): Record<string, string> => ({
  ...JSON_TYPE,
  'zt-session': controller.token,
});

/** Of somebody without a session. */
const challenge = (body: string): Promise<Answer<Envelope>> =>
  controller.send('POST', '/edge/client/v1/enroll/challenge', { body, headers: JSON_TYPE });

async function stillServes(): Promise<void> {
  expect((await controller.rest('GET', '/version')).status).toBe(200);
  expect([controller.child.exitCode, controller.child.signalCode]).toStrictEqual([null, null]);
}

/** What is not refused for what it says is at fault. */
function unrefused(name: string, { status }: Answer): string[] {
  return status >= 400 && status < 500 ? [] : [`${name}: ${String(status)}`];
}

describe('REST bodies', () => {
  const places = restPlaces();

  test('are found', () => {
    expect(places.length).toBeGreaterThan(400);
  });

  test('are refused wherever the deep value stands', async () => {
    const faults: string[] = [];
    await inTurn(places, async ({ method, url, path }) => {
      for (const form of path.length === 0 ? FORMS : FORMS.slice(0, 1)) {
        const body = jsonWith(path, form);
        const headers = { ...withSession(), 'content-length': String(body.length) };
        const answer = await controller.send(method, url, { body, headers });
        faults.push(...unrefused(`${method} ${url} ${path.join('.')}`, answer));
      }
    });
    expect(faults).toStrictEqual([]);
    await stillServes();
  });

  test('of strangers are refused with the depth that is allowed', async () => {
    const body = jsonWith(['keyId'], lists(5_000)).replace('{', '{"nonce":"x",');
    const answer = await challenge(body);
    expect([answer.status, answer.body.error.code]).toStrictEqual([400, 'COULD_NOT_PARSE_BODY']);
    expect(answer.body.error.cause?.message).toContain('deeper than 64 levels');
  });

  test.each([
    [64, 400, 'COULD_NOT_VALIDATE'],
    [65, 400, 'COULD_NOT_PARSE_BODY'],
  ])('of %i levels are answered with %i %s', async (levels, status, code) => {
    const body = jsonWith(['nonce'], lists(levels - 1));
    const answer = await challenge(body);
    expect([answer.status, answer.body.error.code]).toStrictEqual([status, code]);
  });

  test('may hold as many brackets in texts as they like', async () => {
    const brackets = `${'['.repeat(70)}\\"\\\\${'{'.repeat(70)}`;
    const answer = await challenge(`{"nonce":"${randomUUID()}","keyId":"${brackets}"}`);
    expect([answer.status, answer.body.error.cause?.field]).toStrictEqual([400, 'keyId']);
  });
});

interface Refused {
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

const codeOf = ({ body }: Answer<Refused>): unknown => body.errors?.[0]?.extensions.code;

describe('variables', () => {
  const places = graphPlaces();

  test('are found', () => {
    expect(places.length).toBeGreaterThan(400);
  });

  test('are refused in the body of every operation', async () => {
    const faults: string[] = [];
    await inTurn(places, async ({ kind, field, document, path }) => {
      const url = kind === 'subscription' ? '/graphql/stream' : '/graphql';
      const variables = jsonWith(path, lists(LEVELS));
      const body = `{"query":${JSON.stringify(document)},"variables":${variables}}`;
      const answer = await controller.send<Refused>('POST', url, { body, headers: withSession() });
      faults.push(...unrefused(`${field} ${path.join('.')}`, answer));
      if (codeOf(answer) !== 'COULD_NOT_PARSE_BODY') faults.push(`${field}: ${answer.text}`);
    });
    expect(faults).toStrictEqual([]);
    await stillServes();
  });

  const DOCUMENT = 'query ($v: JSON) { a: __typename }';

  test.each([
    ['/graphql', 'variables', DOCUMENT],
    ['/graphql', 'extensions', DOCUMENT],
    ['/graphql/stream', 'variables', 'subscription { changes { id } }'],
  ])('are refused in the address of %s as %s', async (url, name, query) => {
    const search = new URLSearchParams({ query, [name]: `{"v":${lists(3_000)}}` });
    const answer = await controller.send<Refused>('GET', `${url}?${String(search)}`, {
      headers: { ...withSession(), 'apollo-require-preflight': '1' },
    });
    expect([answer.status, codeOf(answer)]).toStrictEqual([400, 'COULD_NOT_PARSE_BODY']);
    await stillServes();
  });

  test('are refused behind more parameters than others read', async () => {
    const search = new URLSearchParams({ query: DOCUMENT, variables: `{"v":${lists(3000)}}` });
    const answer = await controller.send<Refused>(
      'GET',
      `/graphql?${'&'.repeat(1200)}${'a&'.repeat(1200)}${String(search)}`,
      { headers: { ...withSession(), 'apollo-require-preflight': '1' } },
    );
    expect([answer.status, codeOf(answer)]).toStrictEqual([400, 'COULD_NOT_PARSE_BODY']);
  });

  test.each(['query', 'operationName', 'variables', 'extensions', 'anything'])(
    'are refused as %s of a body',
    async (name) => {
      for (const url of ['/graphql', '/graphql/stream', '/graphql/import']) {
        for (const form of FORMS) {
          const body = jsonWith([name], form);
          const answer = await controller.send('POST', url, { body, headers: withSession() });
          expect([url, answer.status]).toStrictEqual([url, 400]);
        }
      }
      await stillServes();
    },
  );

  test('are refused in another encoding, and compressed', async () => {
    const body = Buffer.from(`{"query":"{ __typename }","variables":${lists(LEVELS)}}`, 'utf16le');
    const headers = { ...withSession(), 'content-type': 'application/json; charset=utf-16le' };
    expect((await controller.send('POST', '/graphql', { body, headers })).status).toBe(400);
    const packed = gzipSync(`{"query":"{ __typename }","variables":${lists(LEVELS)}}`);
    const answer = await controller.send<Refused>('POST', '/graphql', {
      body: packed,
      headers: { ...withSession(), 'content-encoding': 'gzip' },
    });
    expect([answer.status, codeOf(answer)]).toStrictEqual([400, 'COULD_NOT_PARSE_BODY']);
  });
});

describe('documents', () => {
  const nest = (open: string, close: string, inner = ''): string =>
    open.repeat(LEVELS) + inner + close.repeat(LEVELS);

  test.each([
    ['selections', nest('{ a ', '}')],
    ['inline fragments', `{ ${nest('... { ', '}', 'a')} }`],
    ['lists', `{ identities(where: ${nest('[', ']')}) { totalCount } }`],
    ['objects', `{ identities(where: ${nest('{ not: ', '}', '{}')}) { totalCount } }`],
    ['types', `query ($v: ${nest('[', ']', 'Int')}) { __typename }`],
    ['default values', `query ($v: JSON = ${nest('[', ']')}) { __typename }`],
    ['arguments of directives', `{ __typename @include(if: ${nest('[', ']')}) }`],
    ['what is never closed', `{ a(b: ${'['.repeat(1900)} "`],
    ['500 lists', `{ identities(where: ${'['.repeat(500)}${']'.repeat(500)}) { totalCount } }`],
    ['66 lists', `{ identities(where: ${'['.repeat(66)}${']'.repeat(66)}) { totalCount } }`],
  ])('with deep %s are refused at every door', async (_, query) => {
    for (const url of ['/graphql', '/graphql/stream', '/graphql/import']) {
      const body = JSON.stringify({ query });
      const answer = await controller.send<Refused>('POST', url, { body, headers: withSession() });
      expect([url, answer.status]).toStrictEqual([url, 400]);
      expect(codeOf(answer)).toBe('QUERY_TOO_COMPLEX');
    }
    await stillServes();
  });
});

describe('WebSocket messages', () => {
  async function opened(): Promise<WebSocket> {
    const socket = new WebSocket(
      `wss://127.0.0.1:${String(controller.port)}/graphql`,
      'graphql-transport-ws',
      { rejectUnauthorized: false, headers: withSession() },
    );
    await once(socket, 'open');
    return socket;
  }

  const subscribe = (payload: string): string =>
    `{"id":"1","type":"subscribe","payload":${payload}}`;
  const DEEP = lists(LEVELS);

  test.each([
    ['nothing but lists', DEEP],
    ['nothing but objects', objects(LEVELS)],
    ['credentials', `{"type":"connection_init","payload":{"zt-session":${DEEP}}}`],
    ['the payload', subscribe(DEEP)],
    ['variables', subscribe(`{"query":"subscription { changes { id } }","variables":${DEEP}}`)],
    ['extensions', subscribe(`{"query":"subscription { changes { id } }","extensions":${DEEP}}`)],
    ['the answer to a ping', `{"type":"ping","payload":${objects(LEVELS)}}`],
  ])('with deep values as %s end their socket alone', async (_, message) => {
    const [socket, bystander] = [await opened(), await opened()];
    bystander.send('{"type":"connection_init"}');
    await once(bystander, 'message');
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message');
    socket.send(message);
    const [code] = (await once(socket, 'close')) as [number];
    expect(code).toBe(4400);
    expect(bystander.readyState).toBe(WebSocket.OPEN);
    bystander.terminate();
    await stillServes();
  });

  test('with deep documents refuse these alone', async () => {
    const socket = await opened();
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message');
    const query = `subscription { changes(types: ${'['.repeat(900)}${']'.repeat(900)}) { id } }`;
    socket.send(subscribe(JSON.stringify({ query })));
    const [data] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(data.toString())).toMatchObject({
      id: '1',
      type: 'error',
      payload: [{ extensions: { code: 'QUERY_TOO_COMPLEX' } }],
    });
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
  });
});

describe('values that are stored', () => {
  const MAX_LEVELS = 56;
  const data = (levels: number): string => `{"a":${lists(levels - 1)}}`;
  const config = async (levels: number): Promise<string> => {
    const configTypeId = await controller.create('config-types', { name: `of ${String(levels)}` });
    const head = `"name":"deep ${String(levels)}","configTypeId":"${configTypeId}"`;
    return `{${head},"data":${data(levels)}}`;
  };

  test.each([
    [MAX_LEVELS, 201, undefined],
    [MAX_LEVELS + 1, 400, 'data'],
  ])('of %i levels are answered with %i by REST', async (levels, status, field) => {
    const body = await config(levels);
    const answer = await controller.send<Envelope>('POST', '/edge/management/v1/configs', {
      body,
      headers: withSession(),
    });
    expect([answer.status, (answer.body as Partial<Envelope>).error?.cause?.field]).toStrictEqual([
      status,
      field,
    ]);
  });

  test('fit into every door, and into the document of an import', async () => {
    const query =
      'mutation ($id: ID!, $data: JSON!) { updateConfig(id: $id, input: { data: $data }) { data } }';
    const id = await controller.create('configs', JSON.parse(await config(MAX_LEVELS - 1)));
    const changed = await controller.graphql(query, { id, data: JSON.parse(data(MAX_LEVELS)) });
    expect(changed.errors).toBeUndefined();
    const { data: exported } = await controller.graphql('{ exportNetwork(types: ["configs"]) }');
    const answer = await controller.send<{ data: { importNetwork: { faultCount: number } } }>(
      'POST',
      '/graphql/import',
      {
        body: JSON.stringify({
          query:
            'mutation ($d: JSON!) { importNetwork(document: $d, dryRun: true) { faultCount } }',
          variables: { d: (exported as { exportNetwork: unknown }).exportNetwork },
        }),
        headers: withSession(),
      },
    );
    expect(answer.body.data.importNetwork.faultCount).toBe(0);
  });
});
