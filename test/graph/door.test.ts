import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import pg from 'pg';
import { startController, type Answer, type TestController } from '../support/controller.js';

/** What the GraphQL door takes and refuses as HTTP. */

let controller: TestController;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());

interface Body {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly string[];
    readonly extensions: Readonly<Record<string, unknown>>;
  }[];
  readonly extensions?: { readonly cost?: number };
}

const JSON_TYPE = { 'content-type': 'application/json' };

const post = (body: unknown, headers: Record<string, string> = {}): Promise<Answer<Body>> =>
  controller.send('POST', '/graphql', {
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { ...JSON_TYPE, 'zt-session': controller.token, ...headers },
  });

const codes = ({ body }: Answer<Body>): unknown[] =>
  (body.errors ?? []).map((e) => e.extensions.code);

describe('limits', () => {
  const repeat = (count: number, part: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => part(i)).join(' ');

  test.each([
    ['3,000 repeated __typename', `{ ${repeat(3000, () => '__typename')} }`],
    ['1,999 tokens too many', `{ ${repeat(1999, () => '__typename')} }`],
    ['a deep document', `${'{ a '.repeat(17)}${'}'.repeat(17)}`],
    ['101 aliases', `{ ${repeat(101, (i) => `a${String(i)}: __typename`)} }`],
    [
      'a costly document',
      '{ identities(first: 500) { nodes { services(first: 500) { nodes { id } } } } }',
    ],
    [
      'unlimited lists in each other',
      '{ identities(filter: "limit none") { nodes { services(filter: "limit none") { nodes { id } } } } }',
    ],
  ])('%s is refused before it is validated', async (_, query) => {
    const answer = await post({ query });
    expect(answer.status).toBe(400);
    expect(codes(answer)).toStrictEqual(['QUERY_TOO_COMPLEX']);
    expect(answer.body.errors?.[0]?.extensions).toMatchObject({
      status: 400,
      requestId: expect.any(String),
      reason: expect.any(String),
    });
  });

  const COSTLY = '{identities(first:500){nodes{services(first:500){nodes{id}}}}}';

  test.each([
    ['in the address', {}, {}],
    ['in the address, with a body that says nothing', { body: '{}' }, { 'content-length': '2' }],
  ])('count for a document %s', async (_, options, headers) => {
    const answer = await controller.send<Body>(
      'GET',
      `/graphql?query=${encodeURIComponent(COSTLY)}`,
      {
        ...options,
        headers: { ...JSON_TYPE, ...headers, 'apollo-require-preflight': '1' },
      },
    );
    expect(codes(answer)).toStrictEqual(['QUERY_TOO_COMPLEX']);
  });

  test('count for variables in the address', async () => {
    const query = 'query($n:Int){identities(first:$n){nodes{services(first:$n){nodes{id}}}}}';
    const variables = JSON.stringify({ n: 500 });
    const answer = await controller.send<Body>(
      'GET',
      `/graphql?query=${encodeURIComponent(query)}&variables=${encodeURIComponent(variables)}`,
      { headers: { 'apollo-require-preflight': '1' } },
    );
    expect(codes(answer)).toStrictEqual(['QUERY_TOO_COMPLEX']);
  });

  test('a document known by its hash alone is not run', async () => {
    const answer = await post({
      extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } },
    });
    expect(codes(answer)).toStrictEqual(['PERSISTED_QUERY_NOT_SUPPORTED']);
  });

  test('a list of requests is refused', async () => {
    const answer = await post([{ query: '{ __typename }' }, { query: '{ __typename }' }]);
    expect(answer.status).toBe(400);
  });

  test('a body above 1 MiB is refused', async () => {
    const answer = await post({ query: `{ __typename } # ${'x'.repeat(1_100_000)}` });
    expect([answer.status, codes(answer)]).toStrictEqual([413, ['REQUEST_ENTITY_TOO_LARGE']]);
  });

  test('the cost is in the answer', async () => {
    const answer = await post({ query: '{ identities(first: 10) { nodes { id } totalCount } }' });
    expect(answer.body.extensions).toStrictEqual({ cost: 1 + 10 * 3 });
  });

  test('introspection fits, with and without a session', async () => {
    for (const token of [controller.token, '']) {
      const answer = await post({ query: getIntrospectionQuery() }, { 'zt-session': token });
      expect([answer.status, answer.body.errors]).toStrictEqual([200, undefined]);
    }
  });

  test('fragments in a circle are a fault of the document', async () => {
    const answer = await post({
      query: '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
    });
    expect([answer.status, codes(answer)]).toStrictEqual([
      400,
      expect.arrayContaining(['GRAPHQL_VALIDATION_FAILED']),
    ]);
  });
});

describe('cross-site requests', () => {
  const query = '{ version { version } }';
  const get = `/graphql?query=${encodeURIComponent(query)}`;
  const form = `query=${encodeURIComponent(query)}`;

  test.each([
    ['a plain GET', 'GET', get, {}, undefined],
    ['a form', 'POST', '/graphql', { 'content-type': 'application/x-www-form-urlencoded' }, form],
    [
      'a form with an address',
      'POST',
      get,
      { 'content-type': 'application/x-www-form-urlencoded' },
      form,
    ],
    ['plain text', 'POST', '/graphql', { 'content-type': 'text/plain' }, JSON.stringify({ query })],
    [
      'a multipart form',
      'POST',
      '/graphql',
      { 'content-type': 'multipart/form-data; boundary=x' },
      `--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n${JSON.stringify({ query })}\r\n--x--`,
    ],
    ['no content type', 'POST', '/graphql', {}, JSON.stringify({ query })],
  ])('%s is refused', async (_, method, path, headers, body) => {
    const answer = await controller.send<Body>(method, path, {
      ...(body === undefined ? {} : { body }),
      headers: { 'zt-session': controller.token, ...headers },
    });
    expect([400, 415]).toContain(answer.status);
    expect(answer.text).not.toContain('v1.');
    expect(answer.text).not.toContain('middleware');
  });

  test('a GET that a page can not send freely is answered', async () => {
    const answer = await controller.send<Body>('GET', get, {
      headers: { 'apollo-require-preflight': '1' },
    });
    expect(answer.body.data).toMatchObject({ version: { version: expect.any(String) } });
  });

  test('a mutation by GET is refused', async () => {
    const mutation = 'mutation { deleteCurrentApiSession }';
    const answer = await controller.send<Body>(
      'GET',
      `/graphql?query=${encodeURIComponent(mutation)}`,
      { headers: { 'apollo-require-preflight': '1', 'zt-session': controller.token } },
    );
    expect(answer.status).toBe(405);
  });
});

describe('errors', () => {
  test.each([
    ['a document that does not parse', { query: '{ identities(' }, 400, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', { query: '{ nonsense }' }, 400, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'a variable of the wrong type',
      { query: 'query ($n: Int) { identities(first: $n) { totalCount } }', variables: { n: 'x' } },
      400,
      'COULD_NOT_VALIDATE',
    ],
    [
      'a bad instant',
      {
        query: 'query ($w: IdentityWhere) { identities(where: $w) { totalCount } }',
        variables: { w: { createdAt: { eq: 'yesterday' } } },
      },
      400,
      'COULD_NOT_VALIDATE',
    ],
    [
      'an unknown operation name',
      { query: 'query A { __typename }', operationName: 'B' },
      400,
      'OPERATION_RESOLUTION_FAILURE',
    ],
    ['an unknown id', { query: '{ identity(id: "nobody") { id } }' }, 404, 'NOT_FOUND'],
    [
      'a bad filter',
      { query: '{ identities(filter: "name =") { totalCount } }' },
      400,
      'INVALID_FILTER',
    ],
  ])('%s has a code, a status and the id of the request', async (_, body, status, code) => {
    for (let round = 0; round < 3; round += 1) {
      const answer = await post(body);
      expect(answer.body.errors?.map((e) => e.extensions)).toStrictEqual([
        expect.objectContaining({ code, status, requestId: expect.stringMatching(/^[\w.-]{8,}$/) }),
      ]);
      expect(answer.text).not.toMatch(/stack|node_modules|\.js:|\.ts:|select /);
    }
  });

  test('a refused field is named with the reason', async () => {
    const answer = await post({
      query: 'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { id } }',
      variables: { input: { name: '', type: 'Default', isAdmin: false } },
    });
    expect(answer.body.errors).toStrictEqual([
      {
        message: expect.any(String),
        path: ['createIdentity'],
        extensions: {
          code: 'COULD_NOT_VALIDATE',
          status: 400,
          field: 'name',
          reason: expect.any(String),
          value: '',
          requestId: expect.any(String),
        },
      },
    ]);
  });

  test.each([
    ['text that is no JSON', '{"query":', 400],
    ['JSON that is no object', '"x"', 400],
    ['no query', '{}', 400],
  ])('%s is refused without a word of the inside', async (_, body, status) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toMatch(/stack|node_modules|at JSON|SyntaxError/);
  });

  test('what was not expected is UNHANDLED, without a word of the inside', async () => {
    const client = new pg.Client({ connectionString: controller.databaseUrl });
    await client.connect();
    await client.query('alter table terminator rename to elsewhere');
    try {
      for (let round = 0; round < 3; round += 1) {
        const answer = await post({
          query: '{ terminators { nodes { id } } version { version } }',
        });
        expect(answer.body.errors).toStrictEqual([
          {
            message: 'An unhandled error occurred',
            path: ['terminators'],
            extensions: { code: 'UNHANDLED', status: 500, requestId: expect.any(String) },
          },
        ]);
        expect(answer.text).not.toMatch(/relation|does not exist|select/);
      }
      const rest = await controller.rest('GET', '/terminators');
      expect([rest.status, rest.body.error.code]).toStrictEqual([500, 'UNHANDLED']);
      expect(rest.text).not.toMatch(/relation|does not exist|select/);
    } finally {
      await client.query('alter table elsewhere rename to terminator');
      await client.end();
    }
  });

  test('every request has an id of its own', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => {
        const { body } = await post({ query: '{ identity(id: "nobody") { id } }' });
        return body.errors?.[0]?.extensions.requestId;
      }),
    );
    expect(new Set(ids).size).toBe(3);
  });
});

describe('pages', () => {
  /** Addresses that a page loads or speaks to. */
  const addresses = (html: string): string[] =>
    [...html.matchAll(/(?:src|href|url:)\s*=?\s*["']([^"']+)["']/g)].map((m) => String(m[1]));

  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  test.each(['/graphiql', '/docs', '/graphql'])(
    '%s and all it loads come from here',
    async (path) => {
      const page = await controller.send('GET', path, { headers: { accept: BROWSER } });
      expect([page.status, page.headers['content-type']]).toStrictEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      expect(page.text).not.toMatch(/https?:|["'(]\/\//);
      const assets = addresses(page.text).filter((a) => a.startsWith('/assets/'));
      expect(assets.length).toBeGreaterThan(2);
      for (const asset of assets) {
        const { status, text } = await controller.send('GET', asset);
        expect([asset, status, text.length > 1000]).toStrictEqual([asset, 200, true]);
        if (asset.endsWith('.css')) expect(text).not.toMatch(/url\(["']?(https?:)?\/\//);
      }
    },
  );

  test('a query in the address is answered to browsers, too', async () => {
    const path = `/graphql?query=${encodeURIComponent('{ version { version } }')}`;
    const headers = { accept: BROWSER, 'apollo-require-preflight': 'true' };
    const { status, text } = await controller.send('GET', path, { headers });
    expect([status, text]).toStrictEqual([200, expect.stringContaining('{"data":{"version":{')]);
  });

  test('the page of the graph subscribes where the graph is', async () => {
    const { text } = await controller.send('GET', '/graphiql');
    expect(text).toContain("subscriptionUrl: 'wss://' + location.host + '/graphql'");
  });

  test.each<[unknown, object[]]>([
    [{ code: 4403, reason: 'Forbidden' }, [{ message: 'Forbidden' }]],
    [{ code: 1006, reason: '' }, [{ message: 'The connection was closed.' }]],
    [[{ message: 'refused', extensions: {} }], [{ message: 'refused', extensions: {} }]],
  ])('a subscription that ends by %j shows why', async (fault, errors) => {
    const { text } = await controller.send('GET', '/graphiql');
    const fetcher = fetcherOf(text, async function* () {
      yield await Promise.resolve({ data: 1 });
      // Sockets reject with the event of their end.
      throw fault as Error;
    });
    const shown = [];
    for await (const result of await fetcher({})) shown.push(result);
    expect(shown).toEqual([{ data: 1 }, { errors }]);
  });

  test('the API page shows documents that are served', async () => {
    const page = await controller.send('GET', '/docs');
    for (const address of addresses(page.text).filter((a) => a.endsWith('swagger.json'))) {
      const { status, body } = await controller.send<{ openapi?: string }>('GET', address);
      expect([address, status, typeof body]).toStrictEqual([address, 200, 'object']);
    }
  });

  test('nothing else of the packages is reachable', async () => {
    for (const path of ['/assets/', '/assets/graphiql/../../package.json', '/assets/nothing']) {
      expect((await controller.send('GET', path)).status).toBe(404);
    }
  });
});

type Fetcher = (params: object) => Promise<AsyncIterable<unknown>>;

/** What the script of the page gives to GraphiQL, over results as its library gives them. */
function fetcherOf(page: string, results: () => AsyncIterable<unknown>): Fetcher {
  const script = /<script>(.*)<\/script>/s.exec(page)?.[1] ?? '';
  const given: { fetcher?: Fetcher } = {};
  runInNewContext(script, {
    location: { host: 'localhost' },
    document: { getElementById: () => null },
    GraphiQL: { createFetcher: () => () => Promise.resolve(results()) },
    React: { createElement: (_: unknown, props: object) => Object.assign(given, props) },
    ReactDOM: { createRoot: () => ({ render: () => undefined }) },
  });
  return given.fetcher as Fetcher;
}
