export * as circuitEvents from './circuit-event-rows.js';
export type { CircuitEvent, CircuitEventKind, EventPosition } from './circuit-event-rows.js';
export * as circuits from './circuit-rows.js';
export type { StoredCircuit } from './circuit-rows.js';
export * as links from './link-rows.js';
export type { Link, LinkBetween, LinkConnection, LinkCosts } from './link-rows.js';
export * as usage from './usage-rows.js';
export type { CircuitBytes, UsageEntry, UsageKey, UsageRow } from './usage-rows.js';
