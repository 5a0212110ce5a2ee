import type { JsonSchema } from '../../../base/json-schema.js';
import {
  closedObject,
  define,
  dialOptions,
  filledSet,
  listenOptions,
  tunnelDefinitions,
} from './fragments.js';
import { healthCheckDefinitions } from './health-checks.js';

/** The network interfaces of the hosting device that a service joins with others, as a bridge. */
export const l2HostV1: JsonSchema = {
  $id: 'https://ziti-edge.netfoundry.io/schemas/l2.host.v1.schema.json',
  ...closedObject({
    listenOptions,
    bridgeIfs: { allOf: [define('inhabitedSet'), { items: { type: 'string' } }] },
  }),
  definitions: { ...healthCheckDefinitions, ...tunnelDefinitions },
};

/** The frames that a client intercepts, by their EtherType; it drops others. */
export const l2InterceptV1: JsonSchema = {
  $id: 'https://ziti-edge.netfoundry.io/schemas/l2.intercept.v1.schema.json',
  ...closedObject({ dialOptions, ethTypes: filledSet('ethType') }, ['ethTypes']),
  definitions: {
    ...tunnelDefinitions,
    ethType: { type: 'string', pattern: '^0[xX][0-9a-fA-F]{4}$' },
  },
};
