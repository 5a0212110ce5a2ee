import { builtinConfigTypes } from '../../data/config-types/index.js';
import { isStored } from '../../kernel/declare/attribute.js';
import { defaultOf } from '../../kernel/write/check-input.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { NewRowOf, ValuesOf } from '../../kernel/declare/rows.js';
import type { JsonObject } from '../../base/row.js';
import type { Entry } from './fault.js';

/*
 * Entities of documents that are not simply created:
 * - the system policy of a router is created with the router, under this network's id of it;
 * - built-in config types are those of this program;
 * - the identity of a tunneler-enabled router is created with the router, and then updated;
 * - the default admin of another network becomes an ordinary administrator without a way to log in
 *   until it gets one; a document can not change the rights of this network's default admin.
 */

const SYSTEM_POLICY = /^edge-router-.+-system$/;

const isBuiltInType = (name: string): boolean =>
  builtinConfigTypes.some((type) => type.name === name);

/** Whether the controller manages the entity itself. */
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

/** Whether a row belongs to the controller itself and is left out of exports. */
export const isOwn = (
  resource: Resource,
  { isSystem, name }: { readonly isSystem: boolean; readonly name: string },
): boolean => isSystem || (resource.name === 'ConfigType' && isBuiltInType(name));

export const isRouterIdentity = ({ section, data }: Entry): boolean =>
  section.name === 'identities' && data.typeId === 'Router';

/** Gives the identity that is created with a tunneler-enabled router. */
export function identityOfRouter(
  identities: Resource<'Identity'>,
  id: string,
  name: string,
): NewRowOf<'Identity'> {
  const defaults = [...identities.attributes.values()]
    .filter(isStored)
    .map((a) => [a.name, defaultOf(a)] as const);
  return {
    // The declared defaults of attributes.
    ...(Object.fromEntries(defaults) as ValuesOf<'Identity'>),
    isAdmin: false,
    authPolicyId: 'default',
    id,
    name,
    typeId: 'Router',
  };
}

const POWERS = ['isAdmin', 'authPolicyId', 'permissions'];

/** Whether a document can not change the attribute of this network's default admin. */
export const isPower = (attribute: string): boolean => POWERS.includes(attribute);

export const withoutPowers = (stored: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(stored).filter(([name]) => !isPower(name)));
