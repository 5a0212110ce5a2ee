export * as traces from './traces.js';
export { TRACE_CHANNELS, type IdentityTrace, type TraceChannel } from './traces.js';
