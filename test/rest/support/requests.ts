import { randomUUID } from 'node:crypto';
import type { Catalog } from '../../../src/kernel/declare/catalog.js';
import type { Resource } from '../../../src/kernel/declare/resource.js';
import type { RestRow } from '../../../rest-compat/index.js';
import type { SampleNetwork } from './network.js';
import { OWN_REQUESTS } from './own-requests.js';

/** What a row is asked so that it succeeds. */
export interface SampleRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Absent: no body. */
  readonly body?: unknown;
  /** Default: of the default admin. */
  readonly token?: string;
}

const ADDRESSES = { redirectUris: ['https://console.example.com/auth/callback'] };

type Part = Partial<SampleRequest>;

/** Rows that need more than their path and their resource tell, by method and path. */
const SPECIAL: Readonly<
  Record<string, (network: SampleNetwork, row: RestRow) => Part | Promise<Part>>
> = {
  ...OWN_REQUESTS,
  'POST /authenticate': () => ({
    query: { method: 'password' },
    body: { username: 'admin', password: 'correct horse' },
  }),
  'POST /identities/{id}/disable': async (network) => ({
    path: { id: await network.create('Identity') },
    body: { durationMinutes: 5 },
  }),
  'PUT /identities/{id}/trace': () => ({ body: { enabled: true, duration: '1s' } }),
  'POST /identities/{id}/service-configs': (network) => ({ body: [serviceConfig(network)] }),
  'DELETE /identities/{id}/service-configs': (network) => ({ body: [serviceConfig(network)] }),
  'POST /controller-settings': async (network) => ({
    body: { controllerId: await network.create('Controller'), oidc: ADDRESSES },
  }),
  'PUT /controller-settings/{id}/effective': () => ({ body: { oidc: ADDRESSES } }),
  'PATCH /controller-settings/{id}/effective': () => ({ body: { oidc: ADDRESSES } }),
  'POST /revocations': () => ({ body: { id: randomUUID(), type: 'JTI' } }),
  'POST /enrollments/{id}/refresh': () => ({
    body: { expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
  }),
  'POST /routers': (network, row) => {
    if (!row.on.includes('fabric')) return {};
    const id = network.unique();
    return { body: { id, name: id, cost: 7, noTraversal: false, disabled: false } };
  },
  'GET /routers/{id}/terminators': (network) => ({ path: { id: network.idOf('EdgeRouter') } }),
  'PUT /routers/{id}': changedRouter,
  'PATCH /routers/{id}': changedRouter,
  'DELETE /current-api-session': async (network) => ({ token: (await network.login()).token }),
};

/** Changes of a router on the fabric interface. */
function changedRouter(network: SampleNetwork, row: RestRow): Part {
  if (!row.on.includes('fabric')) return {};
  const fingerprint = '0123456789abcdef0123456789abcdef01234567';
  return { body: { name: network.unique(), fingerprint, cost: 7, noTraversal: false } };
}

const serviceConfig = (network: SampleNetwork) => ({
  serviceId: network.idOf('Service'),
  configId: network.idOf('Config'),
});

export async function requestFor(row: RestRow, network: SampleNetwork): Promise<SampleRequest> {
  const special = (await SPECIAL[keyOf(row)]?.(network, row)) ?? {};
  const path = special.path ?? (await pathParameters(row, network));
  const { body: declared } = row;
  const body =
    declared?.kind === 'input'
      ? { body: await network.input(declared.resource, declared.verb) }
      : {};
  const pages = row.parameters?.some(({ name }) => name === 'limit');
  return { query: pages ? { limit: '500' } : {}, ...body, ...special, path };
}

export const keyOf = (row: Pick<RestRow, 'method' | 'path'>): string => `${row.method} ${row.path}`;

const PARAMETER = /\{(\w+)\}/g;

export const parametersOf = ({ path }: Pick<RestRow, 'path'>): string[] =>
  [...path.matchAll(PARAMETER)].map(([, name]) => name ?? '');

/** `{id}` is of the collection, `{serviceId}` of the resource it names. */
async function pathParameters(
  row: RestRow,
  network: SampleNetwork,
): Promise<Record<string, string>> {
  const parameters: Record<string, string> = {};
  for (const name of parametersOf(row)) {
    const resource =
      name === 'id'
        ? resourceOfCollection(row.path.split('/')[1] ?? '', network.catalog)
        : network.catalog.get(name.charAt(0).toUpperCase() + name.slice(1, -'Id'.length));
    if (!resource) parameters[name] = 'edge-client';
    else if (row.method === 'DELETE') parameters[name] = await network.create(resource.name);
    else parameters[name] = network.idOf(resource.name);
  }
  return parameters;
}

/** Undefined: not of the catalog, as the specs are. */
function resourceOfCollection(collection: string, catalog: Catalog): Resource | undefined {
  // What both collections of routers create and change.
  if (collection === 'routers') return catalog.resources.TransitRouter;
  return [...catalog.all()].find((resource) => resource.options.path === collection);
}

/** The path with its parameters, and the query. */
export function urlOf(row: RestRow, request: SampleRequest): string {
  const path = row.path.replaceAll(PARAMETER, (_, name: string) =>
    encodeURIComponent(request.path[name] ?? ''),
  );
  const query = new URLSearchParams(request.query).toString();
  return query === '' ? path : `${path}?${query}`;
}
