import type { JsonSchema } from '../../../base/json-schema.js';
import { closedObject, define, filledText, integer, listOf, text } from './fragments.js';

const binding: JsonSchema = { ...filledText, default: 'transport' };

const shared = {
  binding,
  bindInterface: text,
  groups: define('groups'),
  options: define('channelOptions'),
};

/** The listeners of a router for links of other routers, and its dialers. */
export const routerLinkV1: JsonSchema = {
  $id: 'https://netfoundry.io/schemas/router.link.v1.config.json',
  ...closedObject({
    listeners: listOf(define('listener')),
    dialers: listOf(define('dialer')),
    heartbeats: define('heartbeats'),
    payloadSenderQueueSize: integer(1),
    ackSenderQueueSize: integer(1),
    gcMode: { type: 'string', enum: ['preserve', 'orphaned', 'changed'], default: 'preserve' },
  }),
  definitions: {
    // Routers read durations in the notation of Go: compound (`1h30m`) and with fractions.
    duration: { type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$' },
    groups: { oneOf: [text, listOf(text)] },
    channelOptions: closedObject({
      outQueueSize: integer(0),
      maxQueuedConnects: integer(0, 5000),
      maxOutstandingConnects: integer(1, 1000),
      connectTimeout: define('duration'),
      writeTimeout: define('duration'),
    }),
    backoff: closedObject({
      retryBackoffFactor: { type: 'number', minimum: 1, maximum: 100 },
      minRetryInterval: define('duration'),
      maxRetryInterval: define('duration'),
    }),
    listener: closedObject({ ...shared, bind: filledText, advertise: text }, ['bind']),
    dialer: closedObject({
      ...shared,
      maxDefaultConnections: integer(1, 100),
      maxAckConnections: integer(0, 100),
      startupDelay: define('duration'),
      healthyDialBackoff: define('backoff'),
      unhealthyDialBackoff: define('backoff'),
    }),
    heartbeats: closedObject({
      sendInterval: define('duration'),
      checkInterval: define('duration'),
      closeUnresponsiveTimeout: define('duration'),
    }),
  },
};
