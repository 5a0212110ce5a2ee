import { identityBody, serviceBody, servicePolicyBody } from './floor-bodies.js';
import * as floor from './floor-statements.js';

type Row = Record<string, unknown>;

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  /** Of the session that asks, where not all requests are of the same one. */
  readonly token?: string;
  /** An access token, in its place. */
  readonly bearer?: string;
}

/** One read, asked of the controller and of the floor. */
export interface Read {
  readonly name: string;
  /** Least share of the floor's throughput. */
  readonly target: number;
  /** Most statements that it may send. */
  readonly statements: number;
  /** SQL for the keys that requests take in turn; without it there is one request. */
  readonly keys?: string;
  readonly request: (key: string) => HttpRequest;
  readonly floor: string;
  readonly answer: (rows: Row[]) => unknown;
}

const BASE = '/edge/management/v1';
const REST_TARGET = 0.4;
const NESTED_TARGET = 0.25;
const LIST_STATEMENTS = 3;

const SOME_IDENTITIES = 'select id as key from identity order by md5(id) limit 50';
const NARROW_POLICIES = `select id as key from service_policy where semantic = 'AnyOf' and identity_roles::text like '%#team%' order by id limit 10`;

const get = (path: string): HttpRequest => ({ method: 'GET', path: `${BASE}${path}` });

const graph = (query: string): HttpRequest => ({
  method: 'POST',
  path: '/graphql',
  body: JSON.stringify({ query }),
});

/** The envelope of a list; the total is the floor's own where the list is filtered. */
export const list =
  (body: (row: Row) => Row, limit = 25) =>
  (rows: Row[]): unknown => {
    const [first] = rows;
    const totalCount = first?.total ?? 0;
    for (const row of rows) delete row.total;
    return {
      data: rows.map(body),
      meta: {
        apiEnrollmentVersion: '0.0.1',
        apiVersion: '0.0.1',
        pagination: { limit, offset: 0, totalCount },
      },
    };
  };

export const rest = (
  read: Pick<Read, 'name' | 'request' | 'floor' | 'answer'> & Partial<Read>,
): Read => ({
  target: REST_TARGET,
  statements: LIST_STATEMENTS,
  ...read,
});

export const READS: readonly Read[] = [
  rest({
    name: 'REST identities, default order',
    request: () => get('/identities?limit=25'),
    floor: floor.IDENTITY_PAGE,
    answer: list(identityBody),
  }),
  rest({
    name: 'REST identities, name contains',
    keys: `select lpad(n::text, 3, '0') as key from generate_series(100, 149) n`,
    request: (key) =>
      get(`/identities?limit=25&filter=${encodeURIComponent(`name contains "${key}"`)}`),
    floor: floor.IDENTITY_FILTERED,
    answer: list(identityBody),
  }),
  rest({
    name: 'REST identities, by role attribute',
    keys: `select 'team-' || n as key from generate_series(0, 49) n`,
    request: (key) =>
      get(`/identities?limit=25&filter=${encodeURIComponent(`anyOf(roleAttributes) = "${key}"`)}`),
    floor: floor.IDENTITY_BY_ATTRIBUTE,
    answer: list(identityBody),
  }),
  rest({
    name: 'REST identity detail',
    keys: SOME_IDENTITIES,
    request: (key) => get(`/identities/${key}`),
    floor: floor.IDENTITY_DETAIL,
    answer: ([row]) => ({
      data: row && identityBody(row),
      meta: { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' },
    }),
  }),
  rest({
    name: 'REST service policies',
    request: () => get('/service-policies?limit=25'),
    floor: floor.SERVICE_POLICY_PAGE,
    answer: list(servicePolicyBody),
  }),
  rest({
    name: 'REST identities of a service policy',
    keys: NARROW_POLICIES,
    request: (key) => get(`/service-policies/${key}/identities?limit=25`),
    floor: floor.POLICY_IDENTITIES,
    answer: list(identityBody),
  }),
  rest({
    name: 'REST services of an identity',
    keys: SOME_IDENTITIES,
    request: (key) => get(`/identities/${key}/services?limit=25`),
    floor: floor.IDENTITY_SERVICES,
    answer: list(serviceBody),
  }),
  {
    name: 'GraphQL 25 policies x 10 identities x 10 services',
    target: NESTED_TARGET,
    statements: LIST_STATEMENTS,
    request: () =>
      graph(
        '{ servicePolicies(first: 25) { nodes { id name semantic identities(first: 10) { nodes { id name } } services(first: 10) { nodes { id name } } } } }',
      ),
    floor: floor.NESTED_PAGE,
    answer: (rows) => ({
      data: {
        servicePolicies: {
          nodes: rows.map(({ identities, services, ...row }) => ({
            ...row,
            identities: { nodes: identities },
            services: { nodes: services },
          })),
        },
      },
    }),
  },
  {
    name: 'GraphQL 25 identities, flat',
    target: NESTED_TARGET,
    statements: LIST_STATEMENTS,
    request: () =>
      graph(
        '{ identities(first: 25) { nodes { id name createdAt roleAttributes isAdmin type { id name } } } }',
      ),
    floor: floor.FLAT_PAGE,
    answer: (nodes) => ({ data: { identities: { nodes } } }),
  },
];

/** What the floor runs, and what it makes of the rows. */
export type Floor = Pick<Read, 'floor' | 'answer'>;

/** What the controller reads for a token that it has not seen before. */
export const SESSION_BY_TOKEN: Floor = {
  floor: floor.SESSION_BY_TOKEN,
  answer: ([data]) => ({ data }),
};
