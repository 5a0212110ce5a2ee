export { apiSessionEvents, entityChangeEvents, sessionEvents } from './change-events.js';
export { entityCountEvent } from './entity-counts.js';
export { allToStdout, readEventSettings, type EventSinkSettings } from './event-settings.js';
export { Events } from './events.js';
export { fabricEvent, typeOfFact } from './fabric-events.js';
export { loginEvent } from './login-event.js';
export { routerConnectEvent } from './router-connect-event.js';
export { SdkEvents } from './sdk-events.js';
export { TerminatorEvents } from './terminator-events.js';
