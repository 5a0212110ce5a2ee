import { closedObject, define, networkDefinitions } from './fragments.js';
import { healthCheckDefinitions, healthCheckMembers } from './health-checks.js';

const { port, protocol, duration } = networkDefinitions;

/** The oldest intercept: one host name and one port. */
export const tunnelerClientV1 = {
  ...closedObject({ hostname: { type: 'string' }, port: define('port') }, ['hostname', 'port']),
  definitions: { port },
};

/** The oldest hosting config: one place to dial. */
export const tunnelerServerV1 = {
  ...closedObject(
    {
      hostname: { type: 'string' },
      port: define('port'),
      protocol: { anyOf: [define('protocol'), { type: 'null' }] },
      ...healthCheckMembers,
    },
    ['hostname', 'port'],
  ),
  definitions: { port, protocol, duration, ...healthCheckDefinitions },
};
