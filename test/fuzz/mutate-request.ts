import { gzipSync } from 'node:zlib';
import { damagedCredential, jwtText } from './credentials.js';
import { filterText } from './filters.js';
import {
  RAW,
  textOf,
  wellFormed,
  type Body,
  type Field,
  type FuzzRequest,
} from './fuzz-request.js';
import { mutateText } from './mutate-text.js';
import { mutateValue } from './mutate-value.js';
import { oddText, type LeftOut } from './odd-values.js';
import type { Random } from './random.js';
import { someId } from './values.js';

type Mutation = (request: FuzzRequest, random: Random, leftOut: LeftOut) => Partial<FuzzRequest>;

const hasBody = ({ body }: FuzzRequest): boolean => body.kind !== 'none';

const withHeader = ({ headers }: FuzzRequest, name: string, value: string): Field[] => [
  ...headers.filter(([other]) => other !== name),
  [name, value],
];

const MEDIA_TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'application/json;;;',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/x-pem-file',
  'application/pkcs10',
  'application/graphql',
  '*/*',
  '',
  'JSON',
];

const HEADERS: readonly ((random: Random, leftOut: LeftOut) => Field)[] = [
  (random) => [
    'accept',
    random.pick([
      'text/html',
      '*/*;q=0',
      'application/jsonl',
      'text/csv',
      ',,,',
      'a/b;'.repeat(400),
    ]),
  ],
  (random) => ['accept-encoding', random.pick(['gzip', 'br, *;q=0', 'x', ''])],
  (random, leftOut) => ['if-match', RAW + oddText(random, leftOut)],
  (random, leftOut) => ['authorization', `Bearer ${damagedCredential(random, leftOut)}`],
  (random) => ['authorization', `Bearer ${jwtText(random)}`],
  (random) => ['authorization', random.pick(['Basic YTpi', 'Bearer', 'Bearer ', ' '])],
  (random) => ['zt-session', random.pick(['', 'x', 'a'.repeat(3_000), 'null'])],
  (random) => ['session-token', random.pick(['x', jwtText(random)])],
  (random, leftOut) => ['origin', oddText(random, leftOut)],
  (random) => ['expect', random.pick(['100-continue', 'x'])],
  (random) => ['connection', random.pick(['close', 'upgrade', 'keep-alive, x'])],
  (random) => ['range', random.pick(['bytes=0-1', 'bytes=-', 'x'])],
  (random) => ['x-request-id', random.pick(['x', 'a'.repeat(2_000)])],
  (random) => [
    'traceparent',
    random.pick(['00-0-0-0', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`]),
  ],
  (random) => ['cookie', 'a=b; '.repeat(random.pick([1, 500]))],
  (random) => ['x-forwarded-for', random.pick(['127.0.0.1', '::1, x'])],
  (random) => ['apollo-require-preflight', random.pick(['', 'x'])],
  (random) => ['content-encoding', random.pick(['gzip', 'br', 'deflate', 'identity', 'x'])],
  (random) => ['overgraph-override-reason', random.pick(['because', 'x'.repeat(2_000)])],
  (random, leftOut) => ['mfa-validation-code', oddText(random, leftOut)],
];

/** Changes to a request beyond its values, by name. */
const MUTATIONS: Readonly<Record<string, readonly [weight: number, mutation: Mutation]>> = {
  value: [
    30,
    ({ body, query }, random, leftOut) =>
      body.kind === 'json'
        ? { body: { kind: 'json', value: mutateValue(body.value, random, leftOut) } }
        : { query: mutatedQuery(query, random, leftOut) },
  ],
  query: [14, ({ query }, random, leftOut) => ({ query: mutatedQuery(query, random, leftOut) })],
  path: [7, ({ path }, random, leftOut) => ({ path: mutatedPath(path, random, leftOut) })],
  header: [
    8,
    (request, random, leftOut) => {
      const [name, value] = random.pick(HEADERS)(random, leftOut);
      return { headers: withHeader(request, name, value) };
    },
  ],
  headers: [
    1,
    ({ headers }, random) => ({
      headers: [
        ...headers,
        ...random.list(1, random.pick([3, 150]), (i): Field => [`x-${String(i)}`, 'a']),
      ],
    }),
  ],
  method: [
    2,
    (_, random) => ({
      method: random.pick(['HEAD', 'OPTIONS', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']),
    }),
  ],
  credential: [5, ({ body }, random, leftOut) => ({ body: withCredential(body, random, leftOut) })],
  'media-type': [
    4,
    (request, random) => ({
      headers: withHeader(request, 'content-type', random.pick(MEDIA_TYPES)),
    }),
  ],
  text: [
    8,
    (request, random, leftOut) =>
      hasBody(request)
        ? { body: { kind: 'text', text: mutateText(textOf(request.body), random, leftOut) } }
        : {},
  ],
  bytes: [3, (request, random) => (hasBody(request) ? encoded(request, random) : {})],
  duplicate: [3, ({ body }, random) => ({ body: withDuplicate(body, random) })],
  chunks: [3, (request) => (hasBody(request) ? { framing: 'chunks' } : {})],
  cut: [1, (request) => (hasBody(request) ? { framing: 'cut' } : {})],
  'no-body': [1, () => ({ body: { kind: 'none' } })],
};

/** A request with one change to it, or a few. */
export function mutateRequest(request: FuzzRequest, random: Random, leftOut: LeftOut): FuzzRequest {
  const possible = Object.entries(MUTATIONS).filter(([name]) => !leftOut.has(name));
  const choices = possible.map(([name, [weight]]) => [weight, name] as const);
  const count = random.weighted([
    [7, 1],
    [2, 2],
    [1, 3],
  ]);
  let mutated = request;
  for (let i = 0; i < count; i += 1) {
    const name = random.weighted(choices);
    const change = MUTATIONS[name]?.[1](mutated, random, leftOut) ?? {};
    mutated = { ...mutated, ...change, mutations: [...mutated.mutations, name] };
  }
  return mutated;
}

const QUERY_NAMES = [
  'limit',
  'offset',
  'filter',
  'sort',
  'roleFilter',
  'roleSemantic',
  'type',
  'at',
];

function mutatedQuery(query: readonly Field[], random: Random, leftOut: LeftOut): Field[] {
  const odd = (): string =>
    random.chance(20) ? `${RAW}%${oddText(random, leftOut)}` : oddText(random, leftOut);
  const changed = query.map(([name, value]): Field =>
    random.chance(60) ? [name, mutateText(value, random, leftOut)] : [name, value],
  );
  return random.made<Field[]>([
    [4, () => changed],
    [3, () => [...changed, [random.pick(QUERY_NAMES), odd()]]],
    [3, () => [...changed, ['filter', mutateText(filterText(random), random, leftOut)]]],
    [2, () => [...changed, ...changed]],
    [1, () => [...changed, [odd(), odd()]]],
    [1, () => [...changed, ['filter', nestedFilter(random, leftOut)]]],
  ]);
}

/** Deep or wide, up to what a request line takes. */
function nestedFilter(random: Random, leftOut: LeftOut): string {
  const count = random.pick(leftOut.has('nesting') ? [3, 30] : [3, 30, 63, 64, 65, 800]);
  return random.made([
    [1, () => `${'('.repeat(count)}true${')'.repeat(count)}`],
    [1, () => `${'not '.repeat(count)}true`],
    [
      1,
      () => Array.from({ length: count }, () => 'name = "a"').join(random.pick([' or ', ' and '])),
    ],
    [1, () => `name in [${Array.from({ length: count }, () => '"a"').join(',')}]`],
    [1, () => `${'isEmpty(from services where '.repeat(Math.min(count, 80))}true`],
    [1, () => `tags${'.a'.repeat(count)} = 1`],
  ]);
}

function mutatedPath(path: string, random: Random, leftOut: LeftOut): string {
  const parts = path.split('/');
  const at = random.between(1, Math.max(1, parts.length - 1));
  const odd = encodeURIComponent(wellFormed(oddText(random, leftOut))).slice(0, 8_000);
  return random.made([
    [6, () => [...parts.slice(0, -1), odd].join('/')],
    [3, () => parts.map((part, i) => (i === at ? odd : part)).join('/')],
    [2, () => `${path}/${odd}`],
    [2, () => `${path}/${someId(random, 'identities')}`],
    [1, () => path.replaceAll('/', '//')],
    [1, () => `${path}/../${parts.at(-1) ?? ''}`],
    [
      1,
      () => path.replace(/^\/edge\/\w+\/v1/, random.pick(['', '/edge/v1', '/fabric/v1', '/edge'])),
    ],
    [1, () => mutateText(path, random, leftOut).replace(/^(?!\/)/, '/')],
    [
      1,
      () => random.pick(['*', 'https://localhost/version', '/graphiql', '/docs', '/assets/..%2f']),
    ],
  ]);
}

const CREDENTIAL_MEMBERS = /pem|cert|csr|token|jwt/i;

/** A body whose certificates and requests are damaged; any other becomes a damaged one. */
function withCredential(body: Body, random: Random, leftOut: LeftOut): Body {
  const damaged = damagedCredential(random, leftOut);
  if (body.kind !== 'json') return body.kind === 'none' ? body : { kind: 'text', text: damaged };
  const replaced = (name: string, value: unknown): unknown =>
    typeof value === 'string' && CREDENTIAL_MEMBERS.test(name) ? damaged : value;
  const text = JSON.stringify(body.value, replaced) as string | undefined;
  return { kind: 'json', value: text === undefined ? null : (JSON.parse(text) as unknown) };
}

/** The same members twice, with other values. */
function withDuplicate(body: Body, random: Random): Body {
  const text = textOf(body);
  if (body.kind !== 'json' || !text.startsWith('{"')) return body;
  const again = random.pick(['null', '1', '"a"', '[]', '{}']);
  const [, name = ''] = /^\{("[^"]*"):/.exec(text) ?? [];
  return { kind: 'text', text: `{${name}:${again},${text.slice(1)}` };
}

/** Small on the way, and larger than any body may be. */
const BOMB: Body = { kind: 'bytes', latin1: gzipSync(' '.repeat(4_000_000)).toString('latin1') };

/** In another encoding than is said, or one that is said but seldom used. */
function encoded(request: FuzzRequest, random: Random): Partial<FuzzRequest> {
  const text = textOf(request.body);
  const zipped = (): Body => ({ kind: 'bytes', latin1: gzipSync(text).toString('latin1') });
  return random.made<Partial<FuzzRequest>>([
    [2, () => ({ body: { kind: 'bytes', latin1: text } })],
    [1, () => ({ body: { kind: 'bytes', latin1: `\xff\xfe${text}` } })],
    [1, () => ({ body: { kind: 'bytes', latin1: `\xef\xbb\xbf${text}` } })],
    [
      1,
      () => ({ body: { kind: 'bytes', latin1: Buffer.from(text, 'utf16le').toString('latin1') } }),
    ],
    [2, () => ({ body: zipped(), headers: withHeader(request, 'content-encoding', 'gzip') })],
    [1, () => ({ body: zipped() })],
    [1, () => ({ body: BOMB, headers: withHeader(request, 'content-encoding', 'gzip') })],
    [1, () => ({ headers: withHeader(request, 'content-encoding', 'gzip') })],
    [1, () => ({ body: { kind: 'bytes', latin1: text.replace(/[a-z]/, '\xc3\x28') } })],
  ]);
}
