import { builtinConfigTypes } from '../config-types/index.js';
import { isStored } from '../kernel/declare/attribute.js';
import { defaultOf } from '../kernel/write/check-input.js';
import type { Resource } from '../kernel/declare/resource.js';
import type { NewRowOf, ValuesOf } from '../kernel/declare/rows.js';
import type { JsonObject } from '../base/row.js';
import type { Entry } from './fault.js';

/*
 * What documents carry that is not simply created:
 * - the system policy of a router comes with the router, under this network's id of it;
 * - built-in config types are those of this program;
 * - the identity of a tunneler-enabled router comes with the router, and is then changed;
 * - the default admin of another network is an ordinary administrator here, without a way to log in
 *   until given one; a document can not take the powers of this network's default admin.
 */

const SYSTEM_POLICY = /^edge-router-.+-system$/;

const isBuiltInType = (name: string): boolean =>
  builtinConfigTypes.some((type) => type.name === name);

/** Whether the entity is left to the controller itself. */
export function isLeftAlone({ section, name, data }: Entry): boolean {
  if (section.name === 'configTypes') return isBuiltInType(name);
  if (section.name !== 'edgeRouterPolicies') return false;
  return data.isSystem === true || (SYSTEM_POLICY.test(name) && isOfOneRouter(data));
}

function isOfOneRouter({ edgeRouterRoles, identityRoles }: Entry['data']): boolean {
  if (!Array.isArray(edgeRouterRoles) || !Array.isArray(identityRoles)) return false;
  const [router, ...routers] = edgeRouterRoles as unknown[];
  const [identity, ...identities] = identityRoles as unknown[];
  return routers.length + identities.length === 0 && router === identity;
}

/** What is in the database of an export but belongs to the controller itself. */
export const isOwn = (
  resource: Resource,
  { isSystem, name }: { readonly isSystem: boolean; readonly name: string },
): boolean => isSystem || (resource.name === 'ConfigType' && isBuiltInType(name));

export const isRouterIdentity = ({ section, data }: Entry): boolean =>
  section.name === 'identities' && data.typeId === 'Router';

/** The identity that comes with a tunneler-enabled router. */
export function identityOfRouter(
  identities: Resource<'Identity'>,
  id: string,
  name: string,
): NewRowOf<'Identity'> {
  const defaults = [...identities.attributes.values()]
    .filter(isStored)
    .map((a) => [a.name, defaultOf(a)] as const);
  return {
    // What attributes declare as their defaults.
    ...(Object.fromEntries(defaults) as ValuesOf<'Identity'>),
    isAdmin: false,
    authPolicyId: 'default',
    id,
    name,
    typeId: 'Router',
  };
}

const POWERS = ['isAdmin', 'authPolicyId', 'permissions'];

/** What a document may say of this network's default admin, by attribute. */
export const withoutPowers = (stored: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(stored).filter(([name]) => !POWERS.includes(name)));
