import { entityReference, type EntityReference } from '../../src/kernel/declare/rest.js';
import { countedResources } from '../../src/graph/index.js';
import { invalidField } from '../../src/base/errors.js';
import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { may, READER, SESSION, type Permission } from '../../src/kernel/declare/permissions.js';
import { isInteger, isText, isTime, needed } from '../engine/body-members.js';
import { byId, objectOf, STRING, TIME, type Written } from './hand-shapes.js';
import { roleAttributeRows } from './role-attribute-rows.js';
import {
  listArguments,
  listHead,
  listParameters,
  listVariables,
} from '../engine/list-parameters.js';
import type { Answer, Connection, Interface, RestRow, Schema } from '../engine/rest-row.js';
import { entitySchema, ref } from '../engine/openapi-schema.js';
import { entityView, restSelection } from '../engine/view.js';

/** Operations beyond create, read, replace, update and delete. */

const MANAGEMENT: readonly Interface[] = ['management'];
const INTEGER: Schema = { type: 'integer' };
const BOOLEAN: Schema = { type: 'boolean' };

const listOf = (items: Schema): Schema => ({ type: 'array', items });

export function operationRows(catalog: Catalog): RestRow[] {
  return [
    ...roleAttributeRows(),
    summaryRow(catalog),
    adviceRow,
    ...identityStateRows(),
    ...serviceConfigRows(),
    ...enrollmentRows(),
    controllersRow(catalog),
  ];
}

/** Names that clients know, where they are not the name of the list. */
const SUMMARY_NAMES: Readonly<Record<string, string>> = {
  certificateAuthorities: 'cas',
  edgeRouters: 'routers.edge',
};

/** Null: the caller may not read them. */
const summaryView = (counts: Readonly<Record<string, number | null>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counts)
      .filter((entry): entry is [string, number] => entry[1] !== null)
      .map(([list, count]) => [SUMMARY_NAMES[list] ?? list, count]),
  );

const summaryRow = (catalog: Catalog): RestRow => ({
  on: MANAGEMENT,
  method: 'GET',
  path: '/summary',
  operationId: 'listSummary',
  tag: 'information',
  summary: 'Collection -> how many entities it has, of those that the caller may read.',
  permission: READER,
  document: `query { result: summary { ${countedIn(catalog)} } }`,
  variables: () => ({}),
  status: 200,
  errors: [401],
  answer: {
    kind: 'data',
    view: summaryView,
    schema: { type: 'object', additionalProperties: INTEGER },
  },
});

const countedIn = (catalog: Catalog): string =>
  countedResources(catalog.all())
    .map(({ list }) => list)
    .join(' ');

interface Named {
  readonly id: string;
  readonly name: string;
}

const referenceTo = (collection: string, { id, name }: Named): EntityReference =>
  entityReference(collection, id, name);

const adviceRow: RestRow = {
  on: MANAGEMENT,
  method: 'GET',
  path: '/identities/{id}/policy-advice/{serviceId}',
  operationId: 'getIdentityPolicyAdvice',
  tag: 'identities',
  summary: 'What the policies say of an identity and a service.',
  permission: may('identity', 'read'),
  document: `query ($id: ID!, $serviceId: ID!) { result: policyAdvice(identityId: $id, serviceId: $serviceId) {
    identityId serviceId isBindAllowed isDialAllowed identityRouterCount serviceRouterCount
    identity { id name } service { id name } commonRouters { id name isOnline } } }`,
  variables: ({ path }) => ({ id: path.id, serviceId: path.serviceId }),
  status: 200,
  errors: [401, 404],
  answer: {
    kind: 'data',
    view: (advice: {
      identity: Named;
      service: Named;
      commonRouters: (Named & { isOnline: boolean })[];
    }) => ({
      ...advice,
      identity: referenceTo('identities', advice.identity),
      service: referenceTo('services', advice.service),
      commonRouters: advice.commonRouters.map((router) => ({
        ...referenceTo('edge-routers', router),
        isOnline: router.isOnline,
      })),
    }),
    schema: objectOf({
      identity: ref('EntityReference'),
      identityId: STRING,
      identityRouterCount: INTEGER,
      isBindAllowed: BOOLEAN,
      isDialAllowed: BOOLEAN,
      service: ref('EntityReference'),
      serviceId: STRING,
      serviceRouterCount: INTEGER,
      commonRouters: listOf({
        allOf: [ref('EntityReference'), objectOf({ isOnline: BOOLEAN })],
      }),
    }),
  },
};

const action = (
  path: string,
  operationId: string,
  tag: string,
  summary: string,
  permission: Permission,
): Pick<RestRow, 'on' | 'method' | 'path' | 'operationId' | 'tag' | 'summary' | 'permission'> => ({
  on: MANAGEMENT,
  method: 'POST',
  path,
  operationId,
  tag,
  summary,
  permission,
});

function identityStateRows(): RestRow[] {
  return [
    {
      ...action(
        '/identities/{id}/disable',
        'disableIdentity',
        'identities',
        'Bars an identity from logging in.',
        may('identity', 'update'),
      ),
      document:
        'mutation ($id: ID!, $durationMinutes: Int!) { result: disableIdentity(id: $id, durationMinutes: $durationMinutes) { id } }',
      variables: (request) => ({
        ...byId(request),
        durationMinutes: needed(request.body, 'durationMinutes', 'integer', isInteger),
      }),
      body: { kind: 'json', required: true, schema: objectOf({ durationMinutes: INTEGER }) },
      status: 200,
      errors: [400, 401, 404],
      answer: { kind: 'empty' },
    },
    {
      ...action(
        '/identities/{id}/enable',
        'enableIdentity',
        'identities',
        'Lets a disabled identity log in again.',
        may('identity', 'update'),
      ),
      document: 'mutation ($id: ID!) { result: enableIdentity(id: $id) { id } }',
      variables: byId,
      status: 200,
      errors: [401, 404],
      answer: { kind: 'empty' },
    },
  ];
}

const ASSIGNMENTS = listOf(objectOf({ configId: STRING, serviceId: STRING }));

interface Assignment {
  readonly configId: string;
  readonly serviceId: string;
}

function assignments(body: unknown): Assignment[] {
  if (!Array.isArray(body)) throw invalidField('body', 'the body must be a list', '');
  return body.map((item: unknown) => ({
    configId: needed(item, 'configId', 'string', isText),
    serviceId: needed(item, 'serviceId', 'string', isText),
  }));
}

const SERVICE_CONFIGS: Answer = {
  kind: 'data',
  view: (result: {
    serviceConfigs: { serviceId: string; service: Named; configId: string; config: Named }[];
  }) =>
    result.serviceConfigs.map(({ service, config, ...ids }) => ({
      ...ids,
      service: { ...referenceTo('services', service), urlName: 'services' },
      config: { ...referenceTo('configs', config), urlName: 'configs' },
    })),
  schema: listOf(
    objectOf({
      serviceId: STRING,
      service: ref('EntityReference'),
      configId: STRING,
      config: ref('EntityReference'),
    }),
  ),
};

function serviceConfigRows(): RestRow[] {
  const path = '/identities/{id}/service-configs';
  const shared = { on: MANAGEMENT, path, tag: 'identities', status: 200 as const };
  return [
    {
      ...shared,
      method: 'GET',
      operationId: 'listIdentitysServiceConfigs',
      summary: 'Configs that an identity gets instead of those of the services.',
      permission: may('service', 'read'),
      document:
        'query ($id: ID!) { result: identity(id: $id) { serviceConfigs { serviceId service { id name } configId config { id name } } } }',
      variables: byId,
      errors: [401, 404],
      answer: SERVICE_CONFIGS,
    },
    {
      ...shared,
      method: 'POST',
      operationId: 'associateIdentitysServiceConfigs',
      summary: 'Gives an identity configs of its own for services.',
      permission: may('identity', 'update'),
      document:
        'mutation ($id: ID!, $configs: [ServiceConfigInput!]!) { result: associateServiceConfigs(id: $id, configs: $configs) }',
      variables: (request) => ({ ...byId(request), configs: assignments(request.body) }),
      body: { kind: 'json', required: true, schema: ASSIGNMENTS },
      errors: [400, 401, 404],
      answer: { kind: 'empty' },
    },
    {
      ...shared,
      method: 'DELETE',
      operationId: 'disassociateIdentitysServiceConfigs',
      summary: 'Takes such configs away; without a body all of them.',
      permission: may('identity', 'update'),
      document:
        'mutation ($id: ID!, $configs: [ServiceConfigInput!]) { result: disassociateServiceConfigs(id: $id, configs: $configs) }',
      variables: (request) => ({
        ...byId(request),
        ...((request.body ?? null) === null ? {} : { configs: assignments(request.body) }),
      }),
      body: { kind: 'json', required: false, schema: ASSIGNMENTS },
      errors: [400, 401, 404],
      answer: { kind: 'empty' },
    },
  ];
}

function enrollmentRows(): RestRow[] {
  return [
    {
      ...action(
        '/enrollments/{id}/refresh',
        'refreshEnrollment',
        'enrollments',
        'Gives an enrollment a new end, token and JWT.',
        may('enrollment', 'update'),
      ),
      document:
        'mutation ($id: ID!, $expiresAt: DateTime!) { result: refreshEnrollment(id: $id, expiresAt: $expiresAt) { id } }',
      variables: (request) => ({
        ...byId(request),
        expiresAt: needed(request.body, 'expiresAt', 'date-time', isTime),
      }),
      body: {
        kind: 'json',
        required: true,
        schema: objectOf({ expiresAt: TIME }),
      },
      status: 200,
      errors: [400, 401, 404],
      answer: {
        kind: 'created',
        collection: 'enrollments',
        id: ({ id }: Written) => id,
      },
    },
    {
      ...action(
        '/edge-routers/{id}/re-enroll',
        'reEnrollEdgeRouter',
        'edge-routers',
        'Sends an edge router back to enrollment.',
        may('router', 'update'),
      ),
      document: 'mutation ($id: ID!) { result: reEnrollEdgeRouter(id: $id) { id } }',
      variables: byId,
      status: 200,
      errors: [401, 404],
      answer: { kind: 'empty' },
    },
  ];
}

/**
 * Clients that learn of several controllers insist on OIDC, so the client interface names one at
 * the most until that is served.
 */
function controllersRow(catalog: Catalog): RestRow {
  const resource = catalog.resources.Controller;
  return {
    on: ['client'],
    method: 'GET',
    path: '/controllers',
    operationId: 'listControllers',
    tag: 'information',
    summary: 'The controller to talk to.',
    permission: SESSION,
    document: `query (${listHead(resource)}) { result: controllers(${listArguments(resource)}) { nodes { ${restSelection(resource, catalog)} } pagination { limit offset totalCount } } }`,
    variables: (request) => ({ ...listVariables(resource, request), limit: 1 }),
    parameters: listParameters(resource),
    status: 200,
    errors: [400, 401],
    answer: {
      kind: 'list',
      resource,
      page: ({ nodes, pagination }: Connection) => ({
        nodes: nodes.slice(0, 1),
        pagination: { ...pagination, totalCount: Math.min(1, pagination.totalCount) },
      }),
      view: entityView(resource, catalog),
      schema: entitySchema(resource, catalog),
    },
  };
}
