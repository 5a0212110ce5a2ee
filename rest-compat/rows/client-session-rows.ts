import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { may, SESSION } from '../../src/kernel/declare/permissions.js';
import { isObject, type JsonObject } from '../../src/base/row.js';
import { asItIs, byId, objectOf, STRING, TIME } from './hand-shapes.js';
import {
  listArguments,
  listHead,
  listParameters,
  listVariables,
  nestedPage,
} from '../engine/list-parameters.js';
import type { RestRow, Schema } from '../engine/rest-row.js';
import { entitySchema } from '../engine/openapi-schema.js';
import { entityView, restSelection, type EntityNode } from '../engine/view.js';

/** Sessions for services as their clients see them, and what clients ask beside them. */
export const clientSessionRows = (catalog: Catalog): RestRow[] => [
  ...readRows(catalog),
  ...writeRows(catalog),
  serviceUpdatesRow,
  routePathRow,
];

const SHARED = { on: ['client'] as const, tag: 'sessions', permission: SESSION };

/** Clients are not told of policies. */
const withoutPolicies = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([name]) => name !== 'servicePolicies'));

function clientView(catalog: Catalog): (node: EntityNode) => JsonObject {
  const view = entityView(catalog.resources.Session, catalog);
  return (node) => withoutPolicies(view(node));
}

function clientSchema(catalog: Catalog): Schema {
  const schema = entitySchema(catalog.resources.Session, catalog);
  return {
    ...schema,
    title: 'ClientSession',
    required: schema.required.filter((name) => name !== 'servicePolicies'),
    properties: withoutPolicies(schema.properties),
  };
}

function readRows(catalog: Catalog): RestRow[] {
  const session = catalog.resources.Session;
  const fields = restSelection(session, catalog);
  const shape = { view: clientView(catalog), schema: clientSchema(catalog) };
  return [
    {
      ...SHARED,
      method: 'GET',
      path: '/sessions',
      operationId: 'listSessions',
      summary: 'The sessions of the caller.',
      document: `query (${listHead(session)}) { result: currentIdentity { page: sessions(${listArguments(session)}) { nodes { ${fields} } pagination { limit offset totalCount } } } }`,
      variables: (request) => listVariables(session, request),
      parameters: listParameters(session),
      status: 200,
      errors: [400, 401],
      answer: {
        kind: 'list',
        resource: session,
        page: nestedPage,
        ...shape,
      },
    },
    {
      ...SHARED,
      method: 'GET',
      path: '/sessions/{id}',
      operationId: 'detailSession',
      summary: 'One session of the caller.',
      document: `query ($id: ID!) { result: currentSession(id: $id) { ${fields} } }`,
      variables: byId,
      status: 200,
      errors: [401, 404],
      answer: { kind: 'data', ...shape },
    },
  ];
}

function writeRows(catalog: Catalog): RestRow[] {
  const fields = restSelection(catalog.resources.Session, catalog);
  return [
    {
      ...SHARED,
      method: 'POST',
      path: '/sessions',
      operationId: 'createSession',
      summary: 'Opens a session for a service, or gives the one that there is.',
      document: `mutation ($input: OpenSessionInput!) { result: openSession(input: $input) { ${fields} } }`,
      variables: ({ body }) => ({ input: requestOf(body) }),
      body: { kind: 'json', required: true, schema: REQUEST },
      status: 201,
      errors: [400, 401, 404, 409],
      answer: { kind: 'data', view: clientView(catalog), schema: clientSchema(catalog) },
    },
    {
      ...SHARED,
      method: 'DELETE',
      path: '/sessions/{id}',
      operationId: 'deleteSession',
      summary: 'Ends a session of the caller.',
      document: 'mutation ($id: ID!) { result: deleteCurrentSession(id: $id) }',
      variables: byId,
      status: 200,
      errors: [401, 404],
      answer: { kind: 'empty' },
    },
  ];
}

const REQUEST = objectOf(
  {
    serviceId: STRING,
    type: { type: 'string', enum: ['Dial', 'Bind'] },
    tags: { type: 'object', nullable: true },
  },
  ['serviceId'],
);

interface SessionRequest {
  readonly serviceId?: string;
  readonly type?: string;
  readonly tags?: JsonObject;
}

/** What is of another type than it should be is left out, so that it counts as missing. */
function requestOf(body: unknown): SessionRequest {
  if (!isObject(body)) return {};
  const { serviceId, type, tags } = body;
  return {
    ...(typeof serviceId === 'string' ? { serviceId } : {}),
    ...(typeof type === 'string' ? { type } : {}),
    ...(isObject(tags) ? { tags } : {}),
  };
}

const serviceUpdatesRow: RestRow = {
  on: ['client'],
  method: 'GET',
  path: '/current-api-session/service-updates',
  operationId: 'listServiceUpdates',
  tag: 'services',
  summary: 'When the services of the caller last changed.',
  permission: SESSION,
  document: 'query { result: currentServiceUpdates { lastChangeAt } }',
  variables: () => ({}),
  status: 200,
  errors: [401],
  answer: { kind: 'data', view: asItIs, schema: objectOf({ lastChangeAt: TIME }) },
};

const routePathRow: RestRow = {
  on: ['management'],
  method: 'GET',
  path: '/sessions/{id}/route-path',
  operationId: 'detailSessionRoutePath',
  tag: 'sessions',
  summary: 'The routers that carry a session, in their order.',
  permission: may('ops', 'read'),
  document: 'query ($id: ID!) { result: session(id: $id) { routePath } }',
  variables: byId,
  status: 200,
  errors: [401, 404],
  answer: {
    kind: 'data',
    view: ({ routePath }: { routePath: string[] }) => ({ routePath }),
    schema: objectOf({ routePath: { type: 'array', items: STRING } }),
  },
};
