import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { SESSION } from '../../src/kernel/declare/permissions.js';
import type { Resource } from '../../src/kernel/declare/resource.js';
import { BOTH, CLIENT } from '../../src/kernel/graph/rest-operation.js';
import { entityBody, type BodyChanges } from '../engine/entity-body.js';
import {
  listArguments,
  listHead,
  listParameters,
  listVariables,
  nestedPage,
} from '../engine/list-parameters.js';
import type { RestRow } from '../engine/rest-row.js';
import { listSelection } from '../engine/view.js';
import { listErrors } from './catalog-rows.js';

/** A list of entities that belong to the caller. */
interface OwnList extends Pick<RestRow, 'on' | 'path' | 'operationId' | 'tag' | 'summary'> {
  readonly resource: Resource;
  /** The field of the graph, with its arguments, and the relation below it. */
  readonly of: readonly [parent: string, relation: string];
  readonly body?: BodyChanges;
}

/** The client interface does not show policies. */
const CLIENT_SESSION: BodyChanges = { title: 'ClientSession', without: ['servicePolicies'] };

export const ownListRows = (catalog: Catalog): RestRow[] =>
  ownLists(catalog).map((list) => ownListRow(catalog, list));

const ownLists = ({ resources }: Catalog): OwnList[] => [
  {
    on: CLIENT,
    path: '/services',
    operationId: 'listServices',
    tag: 'services',
    summary: 'The services that the caller may dial or bind.',
    resource: resources.Service,
    of: ['currentIdentity', 'services'],
  },
  {
    on: CLIENT,
    path: '/services/{id}/terminators',
    operationId: 'listServiceTerminators',
    tag: 'services',
    summary: 'Where a service that the caller may dial or bind can be reached.',
    resource: resources.ClientTerminator,
    of: ['currentService(id: $id)', 'clientTerminators'],
  },
  {
    on: CLIENT,
    path: '/sessions',
    operationId: 'listSessions',
    tag: 'sessions',
    summary: 'The sessions of the caller.',
    resource: resources.Session,
    of: ['currentIdentity', 'sessions'],
    body: CLIENT_SESSION,
  },
  {
    on: CLIENT,
    path: '/current-api-session/certificates',
    operationId: 'listCurrentApiSessionCertificates',
    tag: 'certificates',
    summary: 'The certificates of the own API session.',
    resource: resources.ApiSessionCertificate,
    of: ['currentApiSession', 'certificates'],
  },
  {
    on: BOTH,
    path: '/current-identity/authenticators',
    operationId: 'listCurrentIdentityAuthenticators',
    tag: 'authenticators',
    summary: 'How the caller can log in.',
    resource: resources.Authenticator,
    of: ['currentIdentity', 'authenticatorsConnection'],
  },
];

function ownListRow(
  catalog: Catalog,
  { resource, of: [parent, relation], body, ...row }: OwnList,
): RestRow {
  const isBelowOne = row.path.includes('{id}');
  const head = `${isBelowOne ? '$id: ID!, ' : ''}${listHead(resource)}`;
  const page = `${relation}(${listArguments(resource)}) ${listSelection(resource, catalog)}`;
  return {
    ...row,
    method: 'GET',
    permission: SESSION,
    document: `query (${head}) { result: ${parent} { page: ${page} } }`,
    variables: (request) => {
      const variables = listVariables(resource, request);
      return isBelowOne ? { id: request.path.id, ...variables } : variables;
    },
    parameters: listParameters(resource),
    status: 200,
    errors: [...new Set([...listErrors(resource), ...(isBelowOne ? [404] : [])])],
    answer: { kind: 'list', resource, page: nestedPage, ...entityBody(resource, catalog, body) },
  };
}
