import { closedObject, define, filledSet, networkDefinitions, text } from './fragments.js';

const { port, portRange, protocol, seconds } = networkDefinitions;

/** What a client intercepts. Addresses are host names, wildcards, IPs or CIDRs, read by tunnelers. */
export const interceptV1 = {
  ...closedObject(
    {
      protocols: filledSet(define('protocol')),
      addresses: filledSet(text),
      portRanges: filledSet(define('portRange')),
      dialOptions: closedObject({
        identity: { type: 'string' },
        connectTimeoutSeconds: define('seconds'),
      }),
      sourceIp: { type: 'string' },
      allowedSourceAddresses: filledSet(text),
    },
    ['protocols', 'addresses', 'portRanges'],
  ),
  definitions: { port, portRange, protocol, seconds },
};
