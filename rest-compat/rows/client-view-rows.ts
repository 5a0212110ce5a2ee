import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { SESSION } from '../../src/kernel/declare/permissions.js';
import type { JsonObject } from '../../src/base/row.js';
import {
  addressesByProtocol,
  type ProtocolAddress,
} from '../../src/resources/routers/protocol-address.js';
import { withClientAddresses } from '../../src/resources/controllers/client-controllers.js';
import { STRING } from './hand-shapes.js';
import {
  listArguments,
  listHead,
  listParameters,
  listVariables,
} from '../engine/list-parameters.js';
import type { Connection, RestRequest, RestRow } from '../engine/rest-row.js';
import { entitySchema } from '../engine/openapi-schema.js';
import { entityView, restSelection, type EntityNode } from '../engine/view.js';
import { merged } from '../../src/base/merged.js';

/** The rows of the client interface for routers and controllers. */
export const clientViewRows = (catalog: Catalog): RestRow[] => [
  ownRoutersRow(catalog),
  serviceRoutersRow(catalog),
  controllersRow(catalog),
];

const SHARED = { on: ['client'] as const, method: 'GET' as const, permission: SESSION };

const PAGINATION = 'pagination { limit offset totalCount }';

/** Sets the limit of a request without one: clients expect whole lists here. */
const withLimit =
  (variables: RestRow['variables'], limit: number): RestRow['variables'] =>
  (request) =>
    request.query.has('limit') ? variables(request) : merged(variables(request), { limit });

function ownRoutersRow(catalog: Catalog): RestRow {
  const resource = catalog.resources.ClientEdgeRouter;
  return {
    ...SHARED,
    path: '/current-identity/edge-routers',
    operationId: 'getCurrentIdentityEdgeRouters',
    tag: 'current-identity',
    summary: 'The enrolled edge routers that the caller may use; for administrators all.',
    document: `query (${listHead(resource)}) { result: clientEdgeRouters(${listArguments(resource)}) { nodes { ${restSelection(resource, catalog)} } ${PAGINATION} } }`,
    variables: withLimit((request) => listVariables(resource, request), -1),
    parameters: listParameters(resource),
    status: 200,
    errors: [400, 401],
    answer: {
      kind: 'list',
      resource,
      page: (result: Connection) => result,
      view: entityView(resource, catalog),
      schema: entitySchema(resource, catalog),
    },
  };
}

const COMMON = [
  'name',
  'hostname',
  'isOnline',
  'supportedProtocols',
  'syncStatus',
  'cost',
  'noTraversal',
  'disabled',
  'appData',
];

const COMMON_FIELDS = COMMON.map((name) =>
  name === 'supportedProtocols' ? `${name} { protocol address }` : name,
).join(' ');

interface ServiceRouter extends JsonObject {
  readonly isOnline: boolean;
  readonly supportedProtocols: readonly ProtocolAddress[];
}

interface ServiceRouters {
  readonly routers: { readonly nodes: readonly ServiceRouter[] };
}

const routerView = (router: ServiceRouter): JsonObject => ({
  ...router,
  supportedProtocols: addressesByProtocol(router.supportedProtocols),
});

function serviceRoutersRow(catalog: Catalog): RestRow {
  const resource = catalog.resources.ClientEdgeRouter;
  const { properties } = entitySchema(resource, catalog);
  const variables = withLimit((request) => listVariables(resource, request), -1);
  return {
    ...SHARED,
    path: '/services/{id}/edge-routers',
    operationId: 'listServiceEdgeRouters',
    tag: 'services',
    summary: 'The edge routers over which the caller reaches a service, those online first.',
    document: `query ($id: ID!, $sessionToken: String, ${listHead(resource)}) {
      result: currentService(id: $id, sessionToken: $sessionToken) { routers: clientEdgeRouters(${listArguments(resource)}) { nodes { ${COMMON_FIELDS} } } } }`,
    variables: (request) => ({
      id: request.path.id,
      sessionToken: sessionTokenOf(request),
      ...variables(request),
    }),
    parameters: [
      {
        name: 'session-token',
        in: 'header',
        description: 'Token of a live session of the own login; 401 for any other.',
        schema: STRING,
      },
      ...listParameters(resource),
    ],
    status: 200,
    errors: [400, 401, 404],
    answer: {
      kind: 'data',
      // The sort is stable, so online routers keep their order.
      view: ({ routers: { nodes } }: ServiceRouters) => ({
        edgeRouters: [...nodes]
          .sort((a, b) => Number(b.isOnline) - Number(a.isOnline))
          .map(routerView),
      }),
      schema: {
        type: 'object',
        required: ['edgeRouters'],
        properties: {
          edgeRouters: {
            type: 'array',
            items: {
              type: 'object',
              required: COMMON,
              properties: Object.fromEntries(COMMON.map((name) => [name, properties[name]])),
            },
          },
        },
      },
    },
  };
}

/** The session token of a request; an empty one counts as not sent. */
function sessionTokenOf({ headers }: RestRequest): string | undefined {
  const token = headers['session-token'];
  return typeof token === 'string' && token !== '' ? token : undefined;
}

function controllersRow(catalog: Catalog): RestRow {
  const resource = catalog.resources.Controller;
  const view = entityView(resource, catalog);
  return {
    ...SHARED,
    path: '/controllers',
    operationId: 'listControllers',
    tag: 'information',
    summary: 'The running controllers that the caller may use.',
    document: `query (${listHead(resource)}) { result: currentApiSession { clientControllers(${listArguments(resource)}) { nodes { ${restSelection(resource, catalog)} } ${PAGINATION} } } }`,
    variables: (request) => listVariables(resource, request),
    parameters: listParameters(resource),
    status: 200,
    errors: [400, 401],
    answer: {
      kind: 'list',
      resource,
      page: ({ clientControllers }: { readonly clientControllers: Connection }) =>
        clientControllers,
      view: (controller: ControllerNode) => view(withClientAddresses(controller)),
      schema: entitySchema(resource, catalog),
    },
  };
}

type ControllerNode = EntityNode & { readonly apiAddresses?: JsonObject };
