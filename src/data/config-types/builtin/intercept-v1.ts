import type { JsonSchema } from '../../../base/json-schema.js';
import { closedObject, dialOptions, filledSet, text, tunnelDefinitions } from './fragments.js';

/** The traffic that a client intercepts. Tunnelers read addresses: host names, wildcards, IPs, CIDRs. */
export const interceptV1: JsonSchema = {
  $id: 'http://edge.openziti.org/schemas/intercept.v1.config.json',
  ...closedObject(
    {
      protocols: filledSet('protocolName'),
      addresses: filledSet('listenAddress'),
      portRanges: filledSet('portRange'),
      dialOptions,
      sourceIp: text,
      allowedSourceAddresses: filledSet('listenAddress'),
    },
    ['protocols', 'addresses', 'portRanges'],
  ),
  definitions: tunnelDefinitions,
};
