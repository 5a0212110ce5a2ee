export * as routerClients from './router-client-rows.js';
export type { ConnectionStatus, StatusTimes } from './router-client-rows.js';
export * as routerMetrics from './router-metric-rows.js';
export type {
  Metric,
  MetricKind,
  MetricsQuery,
  ReportedMetric,
  RouterMetrics,
} from './router-metric-rows.js';
export * as routerPresence from './router-presence-rows.js';
export type {
  ConnectionKey,
  PresenceEntry,
  RenewedConnection,
  VersionedReport,
} from './router-presence-rows.js';
export type {
  LinkListener,
  RouterFace,
  RouterHello,
  RouterReport,
  RouterVersion,
} from './router-report.js';
export * as routers from './router-rows.js';
export type { RouterAddresses, RouterState, SessionRouter } from './router-rows.js';
