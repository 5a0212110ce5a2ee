import type { JsonSchema } from '../../../base/json-schema.js';
import { closedObject, define, listOf, text } from './fragments.js';
import { healthCheckDefinitions } from './health-checks.js';

/** The network interfaces of the hosting device for a service. */
export const interfacesV1: JsonSchema = {
  $id: 'https://netfoundry.io/schemas/interfaces.v1.config.json',
  ...closedObject({ interfaces: listOf(text) }, ['interfaces']),
  definitions: healthCheckDefinitions,
};

/** A port of a router that gives access to a service without a tunneler. */
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
