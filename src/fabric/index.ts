export { BindRefusal, type BindFailure } from './bindings.js';
export type { CircuitEvent, CircuitEventKind } from './circuit-event-table.js';
export { CircuitStream, type CircuitFollower } from './circuit-stream.js';
export { routePathsOf } from './circuit-table.js';
export { DialRefusal, type Circuit, type DialFailure } from './circuit.js';
export { Fabric, type FabricOptions, type LinkSource } from './fabric.js';
export { CIRCUIT_FAILURES, type CircuitFailure, type FabricFact } from './fabric-fact.js';
export { costOfLink, type Link, type LinkConnection } from './links.js';
export type { RouteAnswer, RouteFailure, RouteOrder, RouterPort } from './router-port.js';
export type { MetricsReport, UsageReport } from './metrics-report.js';
export {
  bytesOfCircuits,
  readUsage,
  type CircuitBytes,
  type UsageKey,
  type UsageRow,
} from './usage-table.js';
export { dynamicCostsOf } from './stored-costs.js';
export { StoredPaths } from './stored-paths.js';
