import type { JsonSchema } from '../json-schema.js';
import { closedObject, define, text } from './fragments.js';

const atLeast = (minimum: number, type = 'integer'): JsonSchema => ({ type, minimum });

const shared = {
  binding: { type: 'string' },
  bindInterface: { type: 'string' },
  groups: define('groups'),
  options: define('channelOptions'),
};

/** How a router listens for links of other routers and dials them. */
export const routerLinkV1: JsonSchema = {
  ...closedObject({
    listeners: { type: 'array', items: define('listener') },
    dialers: { type: 'array', items: define('dialer') },
    heartbeats: closedObject({
      sendInterval: define('duration'),
      checkInterval: define('duration'),
      closeUnresponsiveTimeout: define('duration'),
    }),
    payloadSenderQueueSize: atLeast(1),
    ackSenderQueueSize: atLeast(1),
    gcMode: text,
  }),
  definitions: {
    // Routers read durations as Go does: compound (`1h30m`) and with fractions.
    duration: { type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$' },
    groups: { anyOf: [text, { type: 'array', items: text }] },
    channelOptions: closedObject({
      outQueueSize: atLeast(0),
      maxQueuedConnects: atLeast(1),
      maxOutstandingConnects: atLeast(1),
      connectTimeout: define('duration'),
      writeTimeout: define('duration'),
    }),
    backoff: closedObject({
      retryBackoffFactor: atLeast(1, 'number'),
      minRetryInterval: define('duration'),
      maxRetryInterval: define('duration'),
    }),
    listener: closedObject({ ...shared, bind: text, advertise: { type: 'string' } }, ['bind']),
    dialer: closedObject({
      ...shared,
      maxDefaultConnections: atLeast(1),
      maxAckConnections: atLeast(0),
      split: { type: 'boolean' },
      startupDelay: define('duration'),
      healthyDialBackoff: define('backoff'),
      unhealthyDialBackoff: define('backoff'),
    }),
  },
};
