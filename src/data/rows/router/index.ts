export * as routerClients from './clients.js';
export type { ConnectionStatus, StatusTimes } from './clients.js';
export * as routerMetrics from './metrics.js';
export type { Metric, MetricKind, MetricsQuery, ReportedMetric, RouterMetrics } from './metrics.js';
export * as routerPresence from './presence.js';
export type { ConnectionKey, PresenceEntry, VersionedReport } from './presence.js';
export type {
  LinkListener,
  RouterFace,
  RouterHello,
  RouterReport,
  RouterVersion,
} from './router-report.js';
export * as routers from './routers.js';
export type { RouterAddresses, RouterState, SessionRouter } from './routers.js';
