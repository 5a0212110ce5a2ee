import { closedObject, define, text } from './fragments.js';

/** Definitions of health checks; they refer to `duration` of the network definitions. */
export const healthCheckDefinitions = {
  healthAction: closedObject(
    {
      trigger: { type: 'string', enum: ['fail', 'pass', 'change'] },
      consecutiveEvents: { type: 'integer', minimum: 0, maximum: 65535 },
      duration: define('duration'),
      action: text,
    },
    ['trigger', 'action'],
  ),
  healthActions: { type: 'array', items: define('healthAction'), minItems: 1, maxItems: 20 },
  portCheck: closedObject(
    {
      interval: define('duration'),
      timeout: define('duration'),
      address: text,
      actions: define('healthActions'),
    },
    ['interval', 'timeout', 'address'],
  ),
  httpCheck: closedObject(
    {
      url: text,
      method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH'] },
      body: { type: 'string' },
      interval: define('duration'),
      timeout: define('duration'),
      expectStatus: { type: 'integer', minimum: 100, maximum: 599 },
      expectInBody: { type: 'string' },
      actions: define('healthActions'),
    },
    ['interval', 'timeout', 'url'],
  ),
};

/** The members by which a hosting config carries its health checks. */
export const healthCheckMembers = {
  portChecks: { type: 'array', items: define('portCheck') },
  httpChecks: { type: 'array', items: define('httpCheck') },
};
