import type { JsonSchema } from '../../../base/json-schema.js';
import { closedObject, port, text } from './fragments.js';
import { healthCheckDefinitions, healthCheckMembers } from './health-checks.js';

/** The oldest intercept config: one host name and one port. */
export const tunnelerClientV1: JsonSchema = {
  $id: 'http://edge.openziti.org/schemas/ziti-tunneler-client.v1.config.json',
  ...closedObject({ hostname: text, port }, ['hostname', 'port']),
};

/** The oldest hosting config: one destination. */
export const tunnelerServerV1: JsonSchema = {
  $id: 'http://edge.openziti.org/schemas/ziti-tunneler-server.v1.config.json',
  ...closedObject(
    {
      protocol: { type: ['string', 'null'], enum: ['tcp', 'udp'] },
      hostname: text,
      port,
      ...healthCheckMembers,
    },
    ['hostname', 'port'],
  ),
  definitions: healthCheckDefinitions,
};
