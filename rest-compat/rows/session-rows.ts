import { link } from '../../src/kernel/declare/rest.js';
import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { ADMIN, OPEN, PARTIAL, SESSION } from '../../src/kernel/declare/permissions.js';
import { isObject, type JsonObject } from '../../src/base/row.js';
import { isText } from '../engine/body-members.js';
import { listErrors, resourceRows } from './catalog-rows.js';
import {
  listArguments,
  listHead,
  listParameters,
  listVariables,
  nestedPage,
} from '../engine/list-parameters.js';
import type { Interface, RestRow, Schema } from '../engine/rest-row.js';
import { entitySchema, type EntitySchema } from '../engine/openapi-schema.js';
import { entityView, restSelection, type EntityNode } from '../engine/view.js';

const BOTH: readonly Interface[] = ['client', 'management'];
const CLIENT: readonly Interface[] = ['client'];

const STRING: Schema = { type: 'string' };
const STRINGS: Schema = { type: 'array', items: STRING };

const withMembers = (
  title: string,
  schema: EntitySchema,
  members: Record<string, Schema>,
): Schema => ({
  ...schema,
  title,
  required: [...schema.required, ...Object.keys(members)],
  properties: { ...schema.properties, ...members },
});

/** Login, the current session and the current identity. */
export function sessionRows(catalog: Catalog): RestRow[] {
  const session = catalog.resources.ApiSession;
  const fields = `${restSelection(session, catalog)} expirationSeconds expiresAt`;
  const viewed = entityView(session, catalog);
  const view = (node: CurrentSession): JsonObject => {
    const { expirationSeconds, expiresAt } = node;
    return { ...viewed(node), expirationSeconds, expiresAt };
  };
  const schema = withMembers('CurrentApiSession', entitySchema(session, catalog), {
    expirationSeconds: { type: 'integer' },
    expiresAt: { type: 'string', format: 'date-time' },
  });
  return [
    loginRow(fields, { kind: 'data', view, schema, headers: loginHeaders }),
    {
      ...current('GET', '/current-api-session', 'getCurrentAPISession', PARTIAL),
      summary: 'The API session of the caller.',
      document: `query { result: currentApiSession { ${fields} } }`,
      answer: { kind: 'data', view, schema },
    },
    {
      ...current('DELETE', '/current-api-session', 'deleteCurrentAPISession', PARTIAL),
      summary: 'Logs out.',
      document: 'mutation { result: deleteCurrentApiSession }',
      answer: { kind: 'empty' },
    },
    currentIdentityRow(catalog),
  ];
}

/** The session of the caller as documents ask for it. */
type CurrentSession = EntityNode & {
  readonly token: string;
  readonly expirationSeconds: number;
  /** RFC 3339. */
  readonly expiresAt: string;
  readonly isCertExtendRequested: boolean;
};

/** The last tells clients of certificates to extend theirs. */
const loginHeaders = (session: CurrentSession): Record<string, string> => ({
  'zt-session': session.token,
  'expiration-seconds': String(session.expirationSeconds),
  'expires-at': session.expiresAt,
  ...(session.isCertExtendRequested ? { 'ziti-authenticator-extend-requested': 'true' } : {}),
});

function loginRow(fields: string, answer: RestRow['answer']): RestRow {
  return {
    on: BOTH,
    method: 'POST',
    path: '/authenticate',
    operationId: 'authenticate',
    tag: 'authentication',
    summary: 'Logs in; the token of the answer goes into the header `zt-session`.',
    permission: OPEN,
    document: `mutation ($method: String!, $input: AuthenticateInput!) { result: authenticate(method: $method, input: $input) { ${fields} } }`,
    variables: ({ query, body }) => ({
      method: query.get('method')?.at(-1) ?? '',
      input: credentials(body),
    }),
    parameters: [
      {
        name: 'method',
        in: 'query',
        description: 'How to log in.',
        required: true,
        schema: { type: 'string', enum: ['password', 'cert', 'ext-jwt'] },
      },
    ],
    body: { kind: 'json', schema: CREDENTIALS, required: false },
    // Unsound credentials are wrong ones, and unsound facts about the client are left out.
    anyText: true,
    status: 200,
    errors: [400, 401],
    answer,
  };
}

/** What concerns the caller alone, and needs no more than a session. */
const current = (
  method: RestRow['method'],
  path: string,
  operationId: string,
  permission = SESSION,
): Omit<RestRow, 'summary' | 'document' | 'answer'> => ({
  on: BOTH,
  method,
  path,
  operationId,
  tag: 'authentication',
  permission,
  variables: () => ({}),
  status: 200,
  errors: [401],
});

function currentIdentityRow(catalog: Catalog): RestRow {
  const identity = catalog.resources.Identity;
  const view = entityView(identity, catalog);
  return {
    ...current('GET', '/current-identity', 'getCurrentIdentity'),
    summary: 'The identity of the caller.',
    document: `query { result: currentIdentity { ${restSelection(identity, catalog)} } }`,
    answer: {
      kind: 'data',
      view: (node: EntityNode) => ({
        ...view(node),
        _links: { self: link('current-identity'), mfa: link('current-identity/mfa') },
      }),
      schema: entitySchema(identity, catalog),
    },
  };
}

const CREDENTIALS: Schema = {
  type: 'object',
  nullable: true,
  properties: {
    username: { type: 'string', minLength: 4, maxLength: 100 },
    password: { type: 'string', minLength: 5, maxLength: 100 },
    configTypes: STRINGS,
    envInfo: { type: 'object' },
    sdkInfo: { type: 'object' },
  },
};

interface Credentials {
  username?: string;
  password?: string;
  envInfo?: JsonObject;
  sdkInfo?: JsonObject;
  configTypes?: readonly string[];
}

/** What is no text is left out, so that it counts as missing. */
function credentials(body: unknown): Credentials {
  if (!isObject(body)) return {};
  const input: Credentials = {};
  for (const name of ['username', 'password'] as const) {
    const value = body[name];
    if (isText(value)) input[name] = value;
  }
  for (const name of ['envInfo', 'sdkInfo'] as const) {
    const value = body[name];
    if (isObject(value)) input[name] = value;
  }
  const { configTypes } = body;
  if (Array.isArray(configTypes)) {
    input.configTypes = configTypes.filter(isText);
  }
  return input;
}

/** Services as the client interface shows them: what the caller may dial or bind, admin or not. */
export function clientServiceRows(catalog: Catalog): RestRow[] {
  const service = catalog.resources.Service;
  const show = entityView(service, catalog);
  const schema = entitySchema(service, catalog);
  const fields = restSelection(service, catalog);
  const writes = resourceRows(service, catalog, 'services').filter((row) =>
    ['PUT', 'PATCH', 'DELETE'].includes(row.method),
  );
  return [
    {
      on: CLIENT,
      method: 'GET',
      path: '/services',
      operationId: 'listServices',
      tag: 'services',
      summary: 'The services that the caller may dial or bind.',
      permission: SESSION,
      document: `query (${listHead(service)}) { result: currentIdentity { page: services(${listArguments(service)}) { nodes { ${restSelection(service, catalog, { isList: true })} } pagination { limit offset totalCount } } } }`,
      variables: (request) => listVariables(service, request),
      parameters: listParameters(service),
      status: 200,
      errors: listErrors(service),
      answer: {
        kind: 'list',
        resource: service,
        page: nestedPage,
        view: show,
        schema,
      },
    },
    {
      on: CLIENT,
      method: 'GET',
      path: '/services/{id}',
      operationId: 'detailService',
      tag: 'services',
      summary: 'One service that the caller may dial or bind.',
      permission: SESSION,
      document: `query ($id: ID!) { result: currentService(id: $id) { ${fields} revision } }`,
      variables: ({ path }) => ({ id: path.id }),
      status: 200,
      errors: [401, 404],
      answer: { kind: 'data', view: show, schema },
    },
    // Clients of services manage none of them, whatever else they may.
    ...writes.map((row) => ({ ...row, on: CLIENT, permission: ADMIN })),
  ];
}
