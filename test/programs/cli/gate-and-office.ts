import type { NamedEntities } from '../../support/named-entities.js';

/** The router "gate", which the staff may use for all services. */
export async function makeGate({ make }: NamedEntities): Promise<void> {
  await make('edge-routers', 'gate', { roleAttributes: ['public'], isTunnelerEnabled: false });
  await make('edge-router-policies', 'gates', {
    semantic: 'AnyOf',
    identityRoles: ['#staff'],
    edgeRouterRoles: ['#public'],
  });
  await make('service-edge-router-policies', 'carry', {
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#public'],
  });
}

/** The posture check "office", of all with the attribute `at-work`. */
export async function makeOfficeCheck({ make }: NamedEntities): Promise<void> {
  await make('posture-checks', 'office', {
    typeId: 'DOMAIN',
    domains: ['office.example.com'],
    roleAttributes: ['at-work'],
  });
}
