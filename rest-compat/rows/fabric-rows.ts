import { failure } from '../../src/base/errors.js';
import { isObject, type JsonObject } from '../../src/base/row.js';
import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { ADMIN } from '../../src/kernel/declare/permissions.js';
import type { Resource } from '../../src/kernel/declare/resource.js';
import type { Method, RestRequest, RestRow } from '../engine/rest-row.js';
import { relationRow, resourceRows } from './catalog-rows.js';
import { fabricView } from './fabric-view.js';

/**
 * The rows of the fabric interface for services, routers and terminators, which it shows with fewer
 * members, and for clusters. Links and circuits are declared with their resources.
 */
export function fabricRows(catalog: Catalog): RestRow[] {
  const { services, routers, terminators } = viewsOf(catalog);
  return [
    ...serviceRows(services, catalog),
    ...resourceRows(routers, catalog, 'routers'),
    ...terminatorRows(terminators, catalog),
    ...[services, routers].map((parent) => terminatorsOf(parent, terminators, catalog)),
    ...CLUSTER,
  ];
}

const same = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, name]));

const NULL_IF_EMPTY = { of: (list: readonly unknown[]) => (list.length === 0 ? null : list) };

const viewsOf = ({ resources: { Service, Router, Terminator } }: Catalog) => ({
  services: fabricView(Service, {
    members: same('name', 'terminatorStrategy', 'maxIdleTimeMillis'),
    links: ['terminators'],
  }),
  routers: fabricView(Router, {
    members: {
      ...same('name', 'fingerprint', 'cost', 'noTraversal', 'disabled', 'ctrlChanListeners'),
      ...same('listenerAddresses', 'versionInfo', 'interfaces'),
      connected: 'isOnline',
    },
    shapes: { interfaces: NULL_IF_EMPTY },
    links: ['terminators'],
  }),
  terminators: fabricView(Terminator, {
    members: {
      ...same('serviceId', 'routerId', 'binding', 'address', 'cost', 'precedence', 'dynamicCost'),
      ...same('hostId'),
      instanceId: 'identity',
      instanceSecret: 'identitySecret',
    },
    edges: { service: 'Service', router: 'Router' },
  }),
});

/** Services of this interface have no encryption of their own; clients must encrypt for these. */
const NEW_SERVICE = { encryptionRequired: true };
const SERVICE_DEFAULTS = { terminatorStrategy: '', maxIdleTimeMillis: 0, tags: {} };

/** The members that other interfaces show stay as they are, so that a replacement is a change. */
function serviceRows(services: Resource, catalog: Catalog): RestRow[] {
  const rows = resourceRows(services, catalog, 'services');
  const change = rows.find(({ method }) => method === 'PATCH');
  return rows.map((row) => {
    if (row.method === 'POST') return withInput(row, (body) => ({ ...body, ...NEW_SERVICE }));
    if (row.method !== 'PUT' || !change) return row;
    const { document, variables } = change;
    return withInput({ ...row, document, variables }, (body) => ({ ...SERVICE_DEFAULTS, ...body }));
  });
}

const terminatorRows = (terminators: Resource, catalog: Catalog): RestRow[] =>
  resourceRows(terminators, catalog, 'terminators').map((row) =>
    row.body ? withInput(row, instanceAsIdentity) : row,
  );

const instanceAsIdentity = ({ instanceId, instanceSecret, ...input }: JsonObject): JsonObject => ({
  ...input,
  ...(instanceId === undefined ? {} : { identity: instanceId }),
  ...(instanceSecret === undefined ? {} : { identitySecret: instanceSecret }),
});

/** Changes the input that a row makes of a body. */
const withInput = (row: RestRow, change: (body: JsonObject) => JsonObject): RestRow => ({
  ...row,
  variables: (request: RestRequest) => {
    const variables = row.variables(request);
    return isObject(variables.input) ? { ...variables, input: change(variables.input) } : variables;
  },
});

/** The list of the terminators of one entity. */
function terminatorsOf(parent: Resource, terminators: Resource, catalog: Catalog): RestRow {
  const relation = parent.relations.get('terminators');
  if (!relation) throw new Error(`${parent.name} has no terminators`);
  return relationRow(parent, relation, 'terminators', catalog, terminators);
}

/** A controller has no cluster: several controllers share a database. */
const outsideCluster = (
  method: Method,
  path: string,
  operationId: string,
  summary: string,
): RestRow => ({
  on: ['fabric'],
  permission: ADMIN,
  status: 200,
  answer: { kind: 'empty' },
  method,
  path,
  operationId,
  tag: 'cluster',
  summary: `${summary} Refused: controllers of this network share a database instead.`,
  document: 'query { result: __typename }',
  variables: () => {
    throw failure('SERVER_NOT_RUNNING_IN_HA_MODE');
  },
  errors: [400, 401],
});

const CLUSTER: readonly RestRow[] = [
  outsideCluster(
    'GET',
    '/cluster/list-members',
    'clusterListMembers',
    'The members of the cluster.',
  ),
  outsideCluster('POST', '/cluster/add-member', 'clusterMemberAdd', 'Adds a member.'),
  outsideCluster('POST', '/cluster/remove-member', 'clusterMemberRemove', 'Removes a member.'),
  outsideCluster(
    'POST',
    '/cluster/transfer-leadership',
    'clusterTransferLeadership',
    'Makes another member the leader.',
  ),
];
