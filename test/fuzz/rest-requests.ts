import { jsonOf, type CallerKind, type Field, type FuzzRequest } from './fuzz-request.js';
import type { Random } from './random.js';
import type { RestOperation } from './rest-operations.js';
import { someId, valueFor, type Making } from './values.js';

/** Parts of a path that no entity is meant by. */
const FIXED_IDS: Readonly<Record<string, readonly string[]>> = {
  specs: ['edge-client', 'edge-management'],
  'identity-types': ['Default', 'Router'],
  'posture-check-types': ['OS', 'MFA'],
};

/** Where ids are of another kind than the first part of the path says. */
const ID_KINDS: Readonly<Record<string, string>> = {
  'current-identity': 'own-authenticators',
  'current-api-session': 'session-certificates',
  routers: 'transit-routers',
  authenticate: 'api-sessions',
};

/** How often an operation comes, beside 10 for most: less what hashes, writes files or looks at all. */
const WEIGHTS: Readonly<Record<string, number>> = {
  authenticate: 2,
  deleteCurrentAPISession: 1,
  enrollMfa: 1,
  createDatabaseSnapshot: 1,
  checkDataIntegrity: 1,
  fixDataIntegrity: 1,
  createAuthenticator: 2,
  updateAuthenticator: 2,
  patchAuthenticator: 2,
  updateCurrentIdentityAuthenticator: 2,
  patchCurrentIdentityAuthenticator: 2,
  enrollUpdb: 2,
  simulateChanges: 4,
  applyChanges: 4,
  revertChanges: 4,
  diffAccess: 3,
  listFindings: 4,
};

const DEFAULT_WEIGHT = 10;
const CREATE_WEIGHT = 8;
const DELETE_WEIGHT = 4;

export function weightOf({ operationId, method }: RestOperation): number {
  const known = WEIGHTS[operationId];
  if (known !== undefined) return known;
  if (method === 'DELETE') return DELETE_WEIGHT;
  return operationId.startsWith('create') ? CREATE_WEIGHT : DEFAULT_WEIGHT;
}

const BELOW_BASE = 4;
const partsOf = (path: string): string[] => path.split('/').slice(BELOW_BASE);

/** What the ids of an operation are of. */
const kindOf = (path: string): string => {
  const [first = ''] = partsOf(path);
  return ID_KINDS[first] ?? first;
};

/** A request that an operation is declared for. */
export function restRequest(
  operation: RestOperation,
  index: number,
  caller: CallerKind,
  random: Random,
): FuzzRequest {
  const making: Making = {
    random,
    unique: `fuzz-${String(index)}`,
    fields: operation.listed,
    idsOf: kindOf(operation.path),
  };
  const { method, door, operationId } = operation;
  const isCreate = method === 'POST' && /^\/edge\/\w+\/v1\/[\w-]+$/.test(operation.path);
  return {
    index,
    operation: `${door} ${operationId}`,
    caller,
    method,
    path: pathOf(operation, random),
    query: queryOf(operation, making),
    ...bodyOf(operation, making),
    framing: 'length',
    mutations: [],
    ...(isCreate ? { creates: kindOf(operation.path) } : {}),
  };
}

function pathOf({ path }: RestOperation, random: Random): string {
  const [first = ''] = partsOf(path);
  return path
    .replace('{id}', () => {
      const fixed = FIXED_IDS[first];
      return fixed ? random.pick(fixed) : someId(random, kindOf(path));
    })
    .replace('{serviceId}', () => someId(random, 'services'));
}

const REQUIRED = new Set(['method', 'token', 'identityId', 'serviceId', 'type', 'from']);
const METHODS: Readonly<Record<string, readonly string[]>> = {
  authenticate: ['password', 'cert', 'ext-jwt'],
  enroll: ['ott', 'ottca', 'ca', 'updb', 'erott', 'trott', 'token'],
};

function queryOf({ parameters, operationId }: RestOperation, making: Making): Field[] {
  const { random } = making;
  return parameters
    .filter((p) => p.in === 'query' && random.chance(REQUIRED.has(p.name) ? 95 : 18))
    .flatMap(({ name, shape }): Field[] => {
      const methods = name === 'method' ? METHODS[operationId] : undefined;
      const value = methods ? random.pick(methods) : valueFor(name, shape, '', making);
      return (Array.isArray(value) ? value : [value]).map((v) => [name, textOf(v)]);
    });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : jsonOf(value));

function bodyOf(
  { bodies, parameters }: RestOperation,
  making: Making,
): Pick<FuzzRequest, 'headers' | 'body'> {
  const { random } = making;
  const headers = parameters
    .filter((p) => p.in === 'header' && random.chance(15))
    .map(({ name, shape }): Field => [name, textOf(valueFor(name, shape, '', making))]);
  if (bodies.length === 0) return { headers, body: { kind: 'none' } };
  const { mediaType, shape } = random.pick(bodies);
  headers.push(['content-type', mediaType]);
  if (mediaType === 'application/json') {
    return { headers, body: { kind: 'json', value: valueFor('', shape, '', making) } };
  }
  return { headers, body: { kind: 'text', text: String(valueFor('csr', shape, '', making)) } };
}
