import type { JsonSchema } from '../../../base/json-schema.js';

/** Parts that several built-in schemas share; each stored schema contains its own copy. */

/** Makes an object schema that refuses unnamed members. */
export const closedObject = (
  properties: JsonSchema,
  required: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

/** References a member of the schema's own `definitions`. */
export const define = (name: string): JsonSchema => ({ $ref: `#/definitions/${name}` });

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/**
 * A list with at least one entry and none twice. The parts stand apart as in the published schemas:
 * consoles send an empty list for an optional member that is directly declared as an array.
 */
export const filledSet = (entry: string): JsonSchema => ({
  allOf: [define('inhabitedSet'), { items: define(entry) }],
});

export const integer = (minimum: number, maximum?: number): JsonSchema => ({
  type: 'integer',
  minimum,
  ...(maximum !== undefined && { maximum }),
});

export const text: JsonSchema = { type: 'string' };
export const filledText: JsonSchema = { type: 'string', minLength: 1 };

const MAX_PORT = 65535;
export const port = integer(0, MAX_PORT);

const address: JsonSchema = { type: 'string', format: 'idn-hostname', not: { pattern: '^$' } };

const translation = (format: string, bits: number): JsonSchema =>
  closedObject({
    from: { type: 'string', format },
    to: { type: 'string', format },
    prefixLength: integer(0, bits),
  });

/** Definitions for the types by which tunnelers intercept and host. */
export const tunnelDefinitions = {
  dialAddress: address,
  listenAddress: address,
  inhabitedSet: { type: 'array', minItems: 1, uniqueItems: true },
  portNumber: port,
  portRange: closedObject({ low: define('portNumber'), high: define('portNumber') }, [
    'low',
    'high',
  ]),
  protocolName: { type: 'string', enum: ['tcp', 'udp'] },
  timeoutSeconds: integer(0, 2147483647),
  proxyType: { type: 'string', enum: ['http'] },
  proxyConfiguration: {
    type: 'object',
    required: ['type', 'address'],
    properties: { type: define('proxyType'), address: text },
  },
  ipv4AddressTranslation: translation('ipv4', 32),
  ipv6AddressTranslation: translation('ipv6', 128),
  addressTranslation: {
    oneOf: [define('ipv4AddressTranslation'), define('ipv6AddressTranslation')],
  },
} as const satisfies Record<string, JsonSchema>;

/** How a client dials; the type that has it contains `tunnelDefinitions`. */
export const dialOptions = closedObject({
  identity: text,
  connectTimeoutSeconds: define('timeoutSeconds'),
});

/** How a tunneler hosts; the type that has it contains the definitions of health checks, too. */
export const listenOptions = closedObject({
  connectTimeoutSeconds: { ...define('timeoutSeconds'), deprecated: true },
  connectTimeout: define('duration'),
  maxConnections: integer(1),
  identity: text,
  bindUsingEdgeIdentity: { type: 'boolean' },
  cost: integer(0, 65535),
  precedence: { type: 'string', enum: ['default', 'required', 'failed'] },
});
