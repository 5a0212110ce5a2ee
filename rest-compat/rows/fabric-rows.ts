import { isObject, type JsonObject } from '../../src/base/row.js';
import type { Catalog } from '../../src/kernel/declare/catalog.js';
import type { Resource } from '../../src/kernel/declare/resource.js';
import type { RestRequest, RestRow } from '../engine/rest-row.js';
import { relationRow, resourceRows } from './catalog-rows.js';
import { fabricView } from './fabric-view.js';

/**
 * The rows of the fabric interface for services and terminators, which it shows with fewer members.
 * Links and circuits are declared with their resources.
 */
export function fabricRows(catalog: Catalog): RestRow[] {
  const { services, terminators } = viewsOf(catalog);
  return [
    ...serviceRows(services, catalog),
    ...terminatorRows(terminators, catalog),
    terminatorsOf(services, terminators, catalog),
  ];
}

const same = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, name]));

const viewsOf = ({ resources: { Service, Terminator } }: Catalog) => ({
  services: fabricView(Service, {
    members: same('name', 'terminatorStrategy', 'maxIdleTimeMillis'),
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
