import type { JsonSchema } from '../../../base/json-schema.js';
import {
  closedObject,
  define,
  filledSet,
  listenOptions,
  listOf,
  tunnelDefinitions,
} from './fragments.js';
import { healthCheckDefinitions, healthCheckMembers } from './health-checks.js';

/** The destination is either fixed, or the client's destination is forwarded within an allow-list. */
const fixedOrForwarded = (fixed: string, flag: string, allowed: string): JsonSchema => ({
  if: { properties: { [flag]: { const: true } }, required: [flag] },
  then: { required: [allowed] },
  else: { required: [fixed] },
});

/** The only valid value is true: without the flag, the destination is fixed. */
const flag: JsonSchema = { type: 'boolean', enum: [true] };

const terminator: JsonSchema = {
  ...closedObject({
    ...healthCheckMembers,
    protocol: define('protocolName'),
    forwardProtocol: flag,
    allowedProtocols: filledSet('protocolName'),
    address: define('dialAddress'),
    forwardAddress: flag,
    allowedAddresses: filledSet('listenAddress'),
    forwardAddressTranslations: filledSet('addressTranslation'),
    port: define('portNumber'),
    forwardPort: flag,
    allowedPortRanges: filledSet('portRange'),
    allowedSourceAddresses: filledSet('listenAddress'),
    listenOptions,
    proxy: define('proxyConfiguration'),
  }),
  allOf: [
    fixedOrForwarded('protocol', 'forwardProtocol', 'allowedProtocols'),
    fixedOrForwarded('address', 'forwardAddress', 'allowedAddresses'),
    fixedOrForwarded('port', 'forwardPort', 'allowedPortRanges'),
  ],
};

const definitions = { ...healthCheckDefinitions, ...tunnelDefinitions };

/** The destination of a service's traffic at a hosting tunneler. */
export const hostV1: JsonSchema = {
  $id: 'http://ziti-edge.netfoundry.io/schemas/host.v1.schema.json',
  ...terminator,
  definitions,
};

/** Several destinations, each with its own terminator. */
export const hostV2: JsonSchema = {
  $id: 'http://ziti-edge.netfoundry.io/schemas/host.v2.schema.json',
  ...closedObject({ terminators: define('terminatorList') }, ['terminators']),
  definitions: {
    ...definitions,
    terminator,
    terminatorList: { ...listOf(define('terminator')), minItems: 1 },
  },
};
