import type { JsonSchema } from '../json-schema.js';
import { closedObject, define, filledSet, networkDefinitions, text } from './fragments.js';
import { healthCheckDefinitions, healthCheckMembers } from './health-checks.js';

/** Either the destination is fixed, or what the client asked for is forwarded within an allow-list. */
const fixedOrForwarded = (fixed: string, flag: string, allowed: string): JsonSchema => ({
  if: { required: [flag] },
  then: { required: [allowed] },
  else: { required: [fixed] },
});

const translation = (format: string, bits: number): JsonSchema =>
  closedObject(
    {
      from: { type: 'string', format },
      to: { type: 'string', format },
      prefixLength: { type: 'integer', minimum: 0, maximum: bits },
    },
    ['from', 'to', 'prefixLength'],
  );

const listenOptions = closedObject({
  connectTimeout: define('duration'),
  connectTimeoutSeconds: define('seconds'),
  maxConnections: { type: 'integer', minimum: 1 },
  identity: { type: 'string' },
  bindUsingEdgeIdentity: { type: 'boolean' },
  cost: { type: 'integer', minimum: 0, maximum: 65535 },
  precedence: { type: 'string', enum: ['default', 'required', 'failed'] },
});

const destination: JsonSchema = {
  ...closedObject({
    protocol: define('protocol'),
    forwardProtocol: { const: true },
    allowedProtocols: filledSet(define('protocol')),
    address: define('host'),
    forwardAddress: { const: true },
    allowedAddresses: filledSet(text),
    port: define('port'),
    forwardPort: { const: true },
    allowedPortRanges: filledSet(define('portRange')),
    allowedSourceAddresses: filledSet(text),
    forwardAddressTranslations: { type: 'array', items: define('addressTranslation') },
    listenOptions,
    proxy: closedObject({ type: { type: 'string', enum: ['http'] }, address: text }, [
      'type',
      'address',
    ]),
    ...healthCheckMembers,
  }),
  allOf: [
    fixedOrForwarded('protocol', 'forwardProtocol', 'allowedProtocols'),
    fixedOrForwarded('address', 'forwardAddress', 'allowedAddresses'),
    fixedOrForwarded('port', 'forwardPort', 'allowedPortRanges'),
  ],
};

const definitions = {
  ...networkDefinitions,
  ...healthCheckDefinitions,
  addressTranslation: { anyOf: [translation('ipv4', 32), translation('ipv6', 128)] },
};

/** Where a hosting tunneler sends what arrives for a service. */
export const hostV1: JsonSchema = { ...destination, definitions };

/** Several destinations, each with a terminator of its own. */
export const hostV2: JsonSchema = {
  ...closedObject({ terminators: { type: 'array', items: define('destination'), minItems: 1 } }, [
    'terminators',
  ]),
  definitions: { ...definitions, destination },
};
