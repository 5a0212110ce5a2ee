import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { startController, type TestController } from '../support/controller.js';
import { createDatabase, type TestDatabase } from '../support/database.js';

/** More than two slices of 500, so that the middle one begins and ends at a cursor. */
const HOSTS = 1_234;
const UNLIMITED = 2 ** 63;

let database: TestDatabase;
let dataDir: string;
let controller: TestController;
let policy: string;

beforeAll(async () => {
  database = await createDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'overgraph-unlimited-'));
  // The keys of nobody: the controller makes its own.
  await mkdir(join(dataDir, 'pki'));
  await fill(database.url);
  controller = await startController({ with: { databaseUrl: database.url, dataDir } });
  policy = await controller.create('service-policies', {
    name: 'even hosts',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#even'],
    serviceRoles: [],
  });
});
afterAll(async () => {
  await controller.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Names run against the ids, so that one order can not be taken for the other. */
async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Type and auth policy come with the first start.
  await client.query('set session_replication_role = replica');
  await client.query(
    `insert into identity (id, created_at, updated_at, name, type_id, auth_policy_id, role_attributes)
      select 'host' || lpad(n::text, 5, '0'), timestamptz '2026-01-01' + (n % 7) * interval '1 s', now(),
        'name' || lpad((${String(HOSTS)} - n)::text, 5, '0'), 'Default', 'default',
        array[case n % 2 when 0 then 'even' else 'odd' end]
      from generate_series(1, $1) n`,
    [HOSTS],
  );
  await client.end();
}

interface List {
  readonly data: readonly { readonly id: string; readonly name: string }[];
  readonly meta: { readonly pagination: { limit: number; offset: number; totalCount: number } };
}

async function list(path: string): Promise<List> {
  const answer = await controller.rest('GET', path);
  expect(answer.status).toBe(200);
  return answer.body;
}

const hosts = (wanted: (n: number) => boolean = () => true): string[] =>
  Array.from({ length: HOSTS }, (_, i) => i + 1)
    .filter(wanted)
    .map((n) => `host${String(n).padStart(5, '0')}`);

const even = hosts((n) => n % 2 === 0);
const onlyHosts = encodeURIComponent('id contains "host"');

const CASES: readonly (readonly [string, () => string, readonly string[], number])[] = [
  ['by the parameter', () => `/identities?limit=-1&filter=${onlyHosts}`, hosts(), HOSTS],
  [
    'by a clause of the filter',
    () => `/identities?filter=${encodeURIComponent('id contains "host" sort by name limit  NONE')}`,
    hosts().reverse(),
    HOSTS,
  ],
  [
    'in an order with many equal values',
    () => `/identities?limit=-1&sort=createdAt%20desc&filter=${onlyHosts}`,
    [6, 5, 4, 3, 2, 1, 0].flatMap((second) => hosts((n) => n % 7 === second)),
    HOSTS,
  ],
  [
    'from an offset',
    () => `/identities?limit=-1&offset=600&filter=${onlyHosts}`,
    hosts().slice(600),
    HOSTS,
  ],
  ['of a relation', () => `/service-policies/${policy}/identities?limit=-1`, even, even.length],
  ['with nothing in it', () => '/identities?filter=id%20%3D%20%22x%22%20limit%20none', [], 0],
];

describe('an unlimited list', () => {
  test.each(CASES)('%s holds every row once, in order', async (_, path, ids, totalCount) => {
    const { data, meta } = await list(path());
    expect(data.map(({ id }) => id)).toEqual(ids);
    expect(meta.pagination).toEqual({ limit: UNLIMITED, offset: expect.any(Number), totalCount });
  });

  test('shows the same rows as pages do', async () => {
    const page = await list(`/identities?limit=500&filter=${onlyHosts}`);
    const { data } = await list(`/identities?limit=-1&filter=${onlyHosts}`);
    expect(data.slice(0, 500)).toEqual(page.data);
  });

  test('refuses a bad filter like any other list', async () => {
    const answer = await controller.rest('GET', '/identities?limit=-1&filter=nonsense');
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe('INVALID_FILTER');
  });

  test('has no body for HEAD', async () => {
    const answer = await controller.rest('HEAD', '/identities?limit=-1');
    expect([answer.status, answer.text]).toEqual([200, '']);
  });

  test('gives its connection back when the client goes away', async () => {
    // More than there are connections to the database.
    await Promise.all(Array.from({ length: 20 }, () => breakOff('/identities?limit=-1')));
    const { data } = await list('/identities?limit=1');
    expect(data).toHaveLength(1);
  });

  // The graph answers in one piece: each row is completed before anybody else is served.
  test.each([
    ['by a clause', 'filter: "id contains \\"host\\" limit none"'],
    ['by the number', 'filter: "id contains \\"host\\"", limit: -1'],
  ])('is refused by the graph when rows and fields are too many, %s', async (_, size) => {
    const ask = (fields: string) =>
      controller.graphql(`{ identities(${size}) { totalCount nodes { id ${fields} } } }`);
    const short = await ask('name');
    const nodes = hosts().map((id) => ({ id }));
    expect(short).toMatchObject({ data: { identities: { totalCount: HOSTS, nodes } } });
    const large = await ask('name services(first: 20) { nodes { id name } }');
    expect(large).toMatchObject({
      data: { identities: null },
      errors: [
        {
          message: expect.stringMatching(/more than \d+ entries.*first and after/),
          extensions: { code: 'QUERY_TOO_COMPLEX', status: 400 },
          path: ['identities'],
        },
      ],
    });
    expect(await ask('services(first: 5) { totalCount }')).not.toHaveProperty('errors');
  });
});

/** Asks and hangs up at the first bytes of the answer. */
function breakOff(path: string): Promise<void> {
  const agent = new Agent({ rejectUnauthorized: false });
  return new Promise((resolve, reject) => {
    const request = get(
      {
        host: '127.0.0.1',
        port: controller.port,
        path: `/edge/management/v1${path}`,
        headers: { 'zt-session': controller.token },
        agent,
      },
      (response) => {
        response.on('error', () => undefined);
        response.once('data', () => {
          request.destroy();
          resolve();
        });
      },
    );
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET') reject(error);
    });
  });
}
