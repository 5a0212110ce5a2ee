export * as circuitEvents from './circuit-events.js';
export type { CircuitEvent, CircuitEventKind, EventPosition } from './circuit-events.js';
export * as circuits from './circuits.js';
export type { StoredCircuit } from './circuits.js';
export * as links from './links.js';
export type { Link, LinkBetween, LinkConnection, LinkCosts } from './links.js';
export * as usage from './usage.js';
export type { CircuitBytes, UsageEntry, UsageKey, UsageRow } from './usage.js';
