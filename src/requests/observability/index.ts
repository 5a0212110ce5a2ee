export { describeDocument } from './graph-fields.js';
export { eventLoopCheck } from './event-loop.js';
export { Health, Unwell, type HealthCheck, type HealthReport } from './health.js';
export { Metrics, type MetricSources, type ProcessMetrics } from './metrics.js';
export { describeRequest, noteOf, type RequestNote } from './request-note.js';
export { openTraces } from './open-traces.js';
export type { StatementWatch, Traces } from './traces.js';
export {
  levelOf,
  requestLog,
  RequestObserver,
  type EndedRequest,
  type RequestWatcher,
} from './request-observer.js';
