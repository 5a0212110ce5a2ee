import type { JsonSchema } from '../../base/json-schema.js';
import { closedObject, define, filledSet, text, tunnelDefinitions } from './fragments.js';

/** What a client intercepts. Addresses are host names, wildcards, IPs or CIDRs, read by tunnelers. */
export const interceptV1: JsonSchema = {
  $id: 'http://edge.openziti.org/schemas/intercept.v1.config.json',
  ...closedObject(
    {
      protocols: filledSet('protocolName'),
      addresses: filledSet('listenAddress'),
      portRanges: filledSet('portRange'),
      dialOptions: closedObject({
        identity: text,
        connectTimeoutSeconds: define('timeoutSeconds'),
      }),
      sourceIp: text,
      allowedSourceAddresses: filledSet('listenAddress'),
    },
    ['protocols', 'addresses', 'portRanges'],
  ),
  definitions: tunnelDefinitions,
};
