import type { JsonSchema } from '../../../base/json-schema.js';
import { interfacesV1, proxyV1 } from './edge-extras-v1.js';
import { hostV1, hostV2 } from './host.js';
import { interceptV1 } from './intercept-v1.js';
import { l2HostV1, l2InterceptV1 } from './l2-v1.js';
import { routerLinkV1 } from './router-link-v1.js';
import { tunnelerClientV1, tunnelerServerV1 } from './tunneler-v1.js';

/** The kinds of entities that can have configs of a type. */
export const configTypeTargets = ['service', 'router', 'other'] as const;
export type ConfigTypeTarget = (typeof configTypeTargets)[number];

export interface BuiltinConfigType {
  readonly id: string;
  readonly name: string;
  readonly target: ConfigTypeTarget;
  readonly schema: JsonSchema;
}

const builtin = (
  id: string,
  schema: JsonSchema,
  name = id,
  target: ConfigTypeTarget = 'service',
): BuiltinConfigType => ({ id, name, target, schema });

/** The types of a new network. Ids and names are published: clients refer to both. */
export const builtinConfigTypes: readonly BuiltinConfigType[] = [
  builtin('f2dd2df0-9c04-4b84-a91e-71437ac229f1', tunnelerClientV1, 'ziti-tunneler-client.v1'),
  builtin('cea49285-6c07-42cf-9f52-09a9b115c783', tunnelerServerV1, 'ziti-tunneler-server.v1'),
  builtin('g7cIWbcGg', interceptV1, 'intercept.v1'),
  builtin('NH5p4FpGR', hostV1, 'host.v1'),
  builtin('host.v2', hostV2),
  builtin('interfaces.v1', interfacesV1),
  builtin('proxy.v1', proxyV1),
  builtin('l2.host.v1', l2HostV1),
  builtin('l2.intercept.v1', l2InterceptV1),
  builtin('router.link.v1', routerLinkV1, 'router.link.v1', 'router'),
];
