export * as traces from './trace-rows.js';
export { TRACE_CHANNELS, type IdentityTrace, type TraceChannel } from './trace-rows.js';
