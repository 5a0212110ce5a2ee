import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { SESSION } from '../../src/kernel/declare/permissions.js';
import {
  listArguments,
  listHead,
  listParameters,
  listVariables,
} from '../engine/list-parameters.js';
import type { Connection, RestRow } from '../engine/rest-row.js';
import { entitySchema } from '../engine/openapi-schema.js';
import { entityView, restSelection } from '../engine/view.js';

/**
 * Clients that learn of several controllers insist on OIDC, so the client interface names one at
 * the most until that is served.
 */
export function controllersRow(catalog: Catalog): RestRow {
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
