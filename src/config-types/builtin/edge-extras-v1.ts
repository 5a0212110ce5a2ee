import type { JsonSchema } from '../../base/json-schema.js';
import { closedObject, define, listOf, text } from './fragments.js';
import { healthCheckDefinitions } from './health-checks.js';

/** Network interfaces of the hosting device that a service is bound to. */
export const interfacesV1: JsonSchema = {
  $id: 'https://netfoundry.io/schemas/interfaces.v1.config.json',
  ...closedObject({ interfaces: listOf(text) }, ['interfaces']),
  definitions: healthCheckDefinitions,
};

/** A port of a router on which a service is reachable without a tunneler. */
export const proxyV1: JsonSchema = {
  $id: 'https://netfoundry.io/schemas/proxy.v1.config.json',
  ...closedObject(
    {
      port: { type: 'number', minimum: 1, maximum: 65535 },
      protocols: { ...listOf(define('protocol')), minItems: 1 },
      binding: text,
    },
    ['port', 'protocols'],
  ),
  definitions: { protocol: { type: 'string', enum: ['tcp', 'udp'] } },
};
