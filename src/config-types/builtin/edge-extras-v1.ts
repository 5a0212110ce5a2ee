import { closedObject, define, filledSet, networkDefinitions, text } from './fragments.js';

/** Network interfaces of the hosting device that a service is bound to. */
export const interfacesV1 = closedObject({ interfaces: { type: 'array', items: text } }, [
  'interfaces',
]);

/** A port of a router on which a service is reachable without a tunneler. */
export const proxyV1 = {
  ...closedObject(
    {
      port: { type: 'integer', minimum: 1, maximum: 65535 },
      protocols: filledSet(define('protocol')),
      binding: { type: 'string' },
    },
    ['port', 'protocols'],
  ),
  definitions: { protocol: networkDefinitions.protocol },
};
