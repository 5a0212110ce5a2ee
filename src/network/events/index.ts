export { apiSessionEvents, entityChangeEvents, sessionEvents } from './change-events.js';
export { entityCountEvent } from './entity-counts.js';
export { allToStdout, readEventSettings, type EventSinkSettings } from './event-settings.js';
export { Events } from './events.js';
export { fabricEvent, isSingleFact, typeOfFact } from './fabric-events.js';
export type {
  LiveEvent,
  LiveEvents,
  LiveReader,
  LiveStream,
  ToggleTraces,
  TraceToggleResult,
} from './live-sink.js';
export { loginEvent } from './login-event.js';
export { metricsEvents } from './metrics-events.js';
export { routerConnectEvent } from './router-connect-event.js';
export { SdkEvents } from './sdk-events.js';
export { ServiceEvents } from './service-events.js';
export type { NetworkEvent } from './network-event.js';
export { readStreamRequest } from './stream-request.js';
export type { Subscription } from './event-subscription.js';
export { TerminatorEvents } from './terminator-events.js';
export { traceEvent, traceSubscription } from './trace-events.js';
export { usageEvents } from './usage-events.js';
