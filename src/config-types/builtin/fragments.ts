import type { JsonSchema } from '../json-schema.js';

/** Pieces that several built-in schemas share; each schema carries its own copy when stored. */

/** An object that refuses members it does not name. */
export const closedObject = (
  properties: JsonSchema,
  required: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

/** A list with at least one entry and none twice. */
export const filledSet = (items: JsonSchema): JsonSchema => ({
  type: 'array',
  items,
  minItems: 1,
  uniqueItems: true,
});

/** Points at a member of the schema's own `definitions`. */
export const define = (name: string): JsonSchema => ({ $ref: `#/definitions/${name}` });

export const text: JsonSchema = { type: 'string', minLength: 1 };

/** Definitions of addresses, ports and protocols. */
export const networkDefinitions = {
  protocol: { type: 'string', enum: ['tcp', 'udp'] },
  port: { type: 'integer', minimum: 0, maximum: 65535 },
  portRange: closedObject({ low: define('port'), high: define('port') }, ['low', 'high']),
  seconds: { type: 'integer', minimum: 0, maximum: 2147483647 },
  duration: { type: 'string', pattern: '^[0-9]+(h|m|s|ms)$' },
  host: {
    anyOf: [
      { type: 'string', format: 'idn-hostname' },
      { type: 'string', format: 'ipv6' },
    ],
  },
} as const satisfies Record<string, JsonSchema>;
