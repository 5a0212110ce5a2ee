import { creation, type Change } from './demo-change.js';

/** The two sides of a service policy, as role lists. */
export interface Sides {
  readonly identities: readonly string[];
  readonly services: readonly string[];
  readonly checks?: readonly string[];
  /** Whether an entity needs all `#` roles of a list. */
  readonly isAllOf?: boolean;
}

const semanticOf = (isAllOf = false): 'AllOf' | 'AnyOf' => (isAllOf ? 'AllOf' : 'AnyOf');

function servicePolicy(type: 'Dial' | 'Bind', name: string, sides: Sides): Change {
  const { identities, services, checks = [], isAllOf } = sides;
  return creation('servicePolicy', name, {
    type,
    semantic: semanticOf(isAllOf),
    identityRoles: identities,
    serviceRoles: services,
    postureCheckRoles: checks,
  });
}

export const dialPolicy = (name: string, sides: Sides): Change =>
  servicePolicy('Dial', name, sides);
export const bindPolicy = (name: string, sides: Sides): Change =>
  servicePolicy('Bind', name, sides);

export const edgeRouterPolicy = (
  name: string,
  identityRoles: readonly string[],
  edgeRouterRoles: readonly string[],
): Change =>
  creation('edgeRouterPolicy', name, { semantic: 'AnyOf', identityRoles, edgeRouterRoles });

export const serviceEdgeRouterPolicy = (
  name: string,
  serviceRoles: readonly string[],
  edgeRouterRoles: readonly string[],
): Change =>
  creation('serviceEdgeRouterPolicy', name, { semantic: 'AnyOf', serviceRoles, edgeRouterRoles });
