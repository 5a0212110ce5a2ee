import { closedObject, define, integer, listOf, text } from './fragments.js';

/** Definitions of health checks; every hosting schema contains all of them. */
export const healthCheckDefinitions = {
  duration: { type: 'string', pattern: '[0-9]+(h|m|s|ms)' },
  method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH'] },
  action: closedObject(
    {
      trigger: { type: 'string', enum: ['fail', 'pass', 'change'] },
      consecutiveEvents: integer(0, 65535),
      duration: define('duration'),
      action: {
        type: 'string',
        pattern: '(mark (un)?healthy|increase cost [0-9]+|decrease cost [0-9]+|send event)',
      },
    },
    ['trigger', 'action'],
  ),
  actionList: { ...listOf(define('action')), minItems: 1, maxItems: 20 },
  portCheck: closedObject(
    {
      interval: define('duration'),
      timeout: define('duration'),
      address: text,
      actions: define('actionList'),
    },
    ['interval', 'timeout', 'address'],
  ),
  httpCheck: closedObject(
    {
      url: text,
      method: define('method'),
      body: text,
      interval: define('duration'),
      timeout: define('duration'),
      actions: define('actionList'),
      expectStatus: integer(100, 599),
      expectInBody: text,
    },
    ['interval', 'timeout', 'url'],
  ),
  portCheckList: listOf(define('portCheck')),
  httpCheckList: listOf(define('httpCheck')),
};

/** The members of a hosting config for its health checks. */
export const healthCheckMembers = {
  portChecks: define('portCheckList'),
  httpChecks: define('httpCheckList'),
};
