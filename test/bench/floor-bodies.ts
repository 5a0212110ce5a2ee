/** The documented bodies of a few resources, written out: what a handler made for one path would do. */

type Row = Record<string, unknown>;

const link = (path: string): { href: string } => ({ href: `./${path}` });

function links(self: string, names: readonly string[]): Record<string, { href: string }> {
  const all: Record<string, { href: string }> = { self: link(self) };
  for (const name of names) all[name] = link(`${self}/${name}`);
  return all;
}

const reference = (collection: string, id: unknown, name: unknown): object => ({
  _links: { self: link(`${collection}/${String(id)}`) },
  entity: collection,
  id,
  name,
});

const IDENTITY_LINKS = [
  'edge-router-policies',
  'edge-routers',
  'service-policies',
  'services',
  'posture-data',
  'failed-service-requests',
  'authenticators',
  'enrollments',
  'service-configs',
];

export function identityBody(row: Row): Row {
  const { typeName, authPolicyName, ...attributes } = row;
  const disabled =
    row.disabledAt !== null &&
    (row.disabledUntil === null || (row.disabledUntil as Date).getTime() > Date.now());
  return {
    _links: {
      ...links(`identities/${String(row.id)}`, IDENTITY_LINKS),
      'auth-policies': link(`auth-policies/${String(row.authPolicyId)}`),
    },
    ...attributes,
    disabled,
    hasEdgeRouterConnection: false,
    edgeRouterConnectionStatus: 'offline',
    type: reference('identity-types', row.typeId, typeName),
    authPolicy: reference('auth-policies', row.authPolicyId, authPolicyName),
  };
}

const SERVICE_LINKS = [
  'service-edge-router-policies',
  'service-policies',
  'terminators',
  'configs',
];

/** As its clients see it: with configs and posture. */
export const clientServiceBody = (row: Row): Row => ({
  _links: links(`services/${String(row.id)}`, SERVICE_LINKS),
  ...row,
});

export const serviceBody = (row: Row): Row => ({
  ...clientServiceBody(row),
  config: {},
  postureQueries: (row.permissions as string[]).map((policyType) => ({
    policyId: `dummy ${policyType.toLowerCase()} policy: no posture checks defined`,
    policyType,
    isPassing: true,
    postureQueries: [],
  })),
});

export const servicePolicyBody = (row: Row): Row => ({
  _links: links(`service-policies/${String(row.id)}`, ['services', 'identities', 'posture-checks']),
  ...row,
});

export function sessionBody({ serviceName, ...row }: Row): Row {
  return {
    _links: links(`sessions/${String(row.id)}`, []),
    tags: {},
    ...row,
    apiSession: reference('api-sessions', row.apiSessionId, ''),
    service: reference('services', row.serviceId, serviceName),
  };
}
