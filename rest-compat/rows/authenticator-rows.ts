import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { ADMIN, SESSION } from '../../src/kernel/declare/permissions.js';
import { isObject, type JsonObject } from '../../src/base/row.js';
import { isBoolean, isText, isTime, needed } from '../engine/body-members.js';
import { asItIs, BOTH, byId, objectOf, STRING, TIME, type Written } from './hand-shapes.js';
import {
  listArguments,
  listHead,
  listParameters,
  listVariables,
  nestedPage,
} from '../engine/list-parameters.js';
import type { RestRow } from '../engine/rest-row.js';
import { entitySchema } from '../engine/openapi-schema.js';
import { entityView, restSelection } from '../engine/view.js';

/** The own authenticators, and what admins do to those of others besides changing them. */
export const authenticatorRows = (catalog: Catalog): RestRow[] => [
  ...ownAuthenticatorRows(catalog),
  ...extensionRows(),
  ...authenticatorActionRows(),
];

const OWN_INPUT = objectOf(
  { username: STRING, password: STRING, currentPassword: STRING, tags: { type: 'object' } },
  ['currentPassword'],
);

interface OwnInput {
  readonly currentPassword: string;
  username?: string;
  password?: string;
  tags?: JsonObject;
}

/** A whole body needs the new username and password as well. */
function ownInput(body: unknown, isWhole: boolean): OwnInput {
  const input: OwnInput = { currentPassword: needed(body, 'currentPassword', 'string', isText) };
  for (const name of ['username', 'password'] as const) {
    const isSent = isObject(body) && (body[name] ?? null) !== null;
    if (isWhole || isSent) input[name] = needed(body, name, 'string', isText);
  }
  if (isObject(body) && (body.tags ?? null) !== null) {
    input.tags = needed(body, 'tags', 'object', isObject);
  }
  return input;
}

function ownAuthenticatorRows(catalog: Catalog): RestRow[] {
  const resource = catalog.resources.Authenticator;
  const fields = restSelection(resource, catalog);
  const view = entityView(resource, catalog);
  const schema = entitySchema(resource, catalog);
  const path = '/current-identity/authenticators';
  const shared = { on: BOTH, tag: 'authenticators', permission: SESSION, status: 200 as const };
  const write = (
    method: 'PUT' | 'PATCH',
    verb: 'replace' | 'update',
    operationId: string,
  ): RestRow => ({
    ...shared,
    method,
    path: `${path}/{id}`,
    operationId,
    summary: 'Changes the own username or password.',
    document: `mutation ($id: ID!, $input: OwnAuthenticatorInput!) { result: ${verb}CurrentAuthenticator(id: $id, input: $input) { id } }`,
    variables: (request) => ({
      ...byId(request),
      input: ownInput(request.body, verb === 'replace'),
    }),
    body: { kind: 'json', required: true, schema: OWN_INPUT },
    errors: [400, 401, 404, 409],
    answer: { kind: 'empty' },
  });
  return [
    {
      ...shared,
      method: 'GET',
      path,
      operationId: 'listCurrentIdentityAuthenticators',
      summary: 'How the caller can log in.',
      document: `query (${listHead(resource)}) { result: currentIdentity { page: authenticatorsConnection(${listArguments(resource)}) { nodes { ${fields} } pagination { limit offset totalCount } } } }`,
      variables: (request) => listVariables(resource, request),
      parameters: listParameters(resource),
      errors: [400, 401],
      answer: {
        kind: 'list',
        resource,
        page: nestedPage,
        view,
        schema,
      },
    },
    {
      ...shared,
      method: 'GET',
      path: `${path}/{id}`,
      operationId: 'detailCurrentIdentityAuthenticator',
      summary: 'One of the own authenticators.',
      document: `query ($id: ID!) { result: currentAuthenticator(id: $id) { ${fields} } }`,
      variables: byId,
      errors: [401, 404],
      answer: { kind: 'data', view, schema },
    },
    write('PUT', 'replace', 'updateCurrentIdentityAuthenticator'),
    write('PATCH', 'update', 'patchCurrentIdentityAuthenticator'),
  ];
}

function extensionRows(): RestRow[] {
  const shared = {
    on: BOTH,
    method: 'POST' as const,
    tag: 'authenticators',
    permission: SESSION,
    status: 200 as const,
    errors: [400, 401, 404, 409],
  };
  return [
    {
      ...shared,
      path: '/current-identity/authenticators/{id}/extend',
      operationId: 'extendCurrentIdentityAuthenticator',
      summary: 'Issues a new certificate in place of the one of this connection.',
      document:
        'mutation ($id: ID!, $csr: String!) { result: extendCurrentAuthenticator(id: $id, csr: $csr) { ca clientCert } }',
      variables: (request) => ({
        ...byId(request),
        csr: needed(request.body, 'clientCertCsr', 'string', isText),
      }),
      body: { kind: 'json', required: true, schema: objectOf({ clientCertCsr: STRING }) },
      answer: {
        kind: 'data',
        view: asItIs,
        schema: objectOf({ ca: STRING, clientCert: STRING }),
      },
    },
    {
      ...shared,
      path: '/current-identity/authenticators/{id}/extend-verify',
      operationId: 'extendVerifyCurrentIdentityAuthenticator',
      summary: 'Confirms the new certificate.',
      document:
        'mutation ($id: ID!, $certificate: String!) { result: confirmCurrentAuthenticator(id: $id, certificate: $certificate) }',
      variables: (request) => ({
        ...byId(request),
        certificate: needed(request.body, 'clientCert', 'string', isText),
      }),
      body: { kind: 'json', required: true, schema: objectOf({ clientCert: STRING }) },
      answer: { kind: 'empty' },
    },
  ];
}

function authenticatorActionRows(): RestRow[] {
  const shared = {
    on: ['management'] as const,
    method: 'POST' as const,
    tag: 'authenticators',
    permission: ADMIN,
  };
  return [
    {
      ...shared,
      path: '/authenticators/{id}/re-enroll',
      operationId: 'reEnrollAuthenticator',
      summary: 'Takes an authenticator back to enrollment.',
      document:
        'mutation ($id: ID!, $expiresAt: DateTime!) { result: reEnrollAuthenticator(id: $id, expiresAt: $expiresAt) { id } }',
      variables: (request) => ({
        ...byId(request),
        expiresAt: needed(request.body, 'expiresAt', 'date-time', isTime),
      }),
      body: { kind: 'json', required: true, schema: objectOf({ expiresAt: TIME }) },
      status: 201,
      errors: [400, 401, 404, 409],
      answer: {
        kind: 'created',
        collection: 'enrollments',
        id: ({ id }: Written) => id,
      },
    },
    {
      ...shared,
      path: '/authenticators/{id}/request-extend',
      operationId: 'requestExtendAuthenticator',
      summary: 'Asks the client of a certificate authenticator to extend its certificate.',
      forbids: true,
      document:
        'mutation ($id: ID!, $rollKeys: Boolean) { result: requestExtendAuthenticator(id: $id, rollKeys: $rollKeys) { id } }',
      variables: (request) => ({
        ...byId(request),
        ...(isObject(request.body) && (request.body.rollKeys ?? null) !== null
          ? { rollKeys: needed(request.body, 'rollKeys', 'boolean', isBoolean) }
          : {}),
      }),
      body: {
        kind: 'json',
        required: false,
        schema: objectOf({ rollKeys: { type: 'boolean' } }, []),
      },
      status: 200,
      errors: [400, 401, 403, 404, 409],
      answer: { kind: 'empty' },
    },
  ];
}
