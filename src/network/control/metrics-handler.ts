import type { Metric, MetricKind } from '../../data/rows/router/index.js';
import type { Fabric, MetricsReport, UsageReport } from '../fabric/index.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import type { FrameHandler } from './control-channel.js';
import { messages, type MetricsMessage, type UsageCounter } from '../messages/index.js';
import { handle } from './handle.js';

export interface MetricsHandlerOptions {
  readonly fabric: Fabric;
  readonly router: () => ConnectedRouter;
  readonly now: () => Date;
}

/** Takes what a router has measured. */
export const metricsHandler = ({
  fabric,
  router,
  now,
}: MetricsHandlerOptions): [number, FrameHandler] =>
  handle(CONTENT.metrics, messages.MetricsMessage, (message) => {
    fabric.applyReport(reportOf(router().id, message, now()));
  });

const MILLIS = 1000;
const NANOS_PER_MILLI = 1_000_000;

function reportOf(routerId: string, message: MetricsMessage, now: Date): MetricsReport {
  const { timestamp, tags, usageCounters, doNotPropagate } = message;
  const measuredAt = timestamp
    ? new Date(timestamp.seconds * MILLIS + timestamp.nanos / NANOS_PER_MILLI)
    : now;
  return {
    routerId,
    // A time that no date can hold is none.
    measuredAt: Number.isNaN(measuredAt.getTime()) ? now : measuredAt,
    tags,
    metrics: metricsOf(message),
    usage: usageCounters.flatMap(usageReportsOf),
    isRepeated: doNotPropagate,
  };
}

/** The numbers of metrics with one value. */
const single = (values: Readonly<Record<string, number>>): [string, object][] =>
  Object.entries(values).map(([name, value]) => [name, { value }]);

/** A router has a few for each of its links; more are ignored, and so are longer names. */
const MAX_METRICS = 20_000;
const MAX_NAME_LENGTH = 500;

function metricsOf(message: MetricsMessage): Metric[] {
  const { intValues, floatValues, meters, histograms, timers } = message;
  const byKind: readonly (readonly [MetricKind, readonly [string, object][]])[] = [
    ['intValue', single(intValues)],
    ['floatValue', single(floatValues)],
    ['meter', Object.entries(meters)],
    ['histogram', Object.entries(histograms)],
    ['timer', Object.entries(timers)],
  ];
  return byKind
    .flatMap(([kind, metrics]) => metrics.map(([name, numbers]) => ({ kind, name, numbers })))
    .filter(({ name }) => name.length <= MAX_NAME_LENGTH)
    .slice(0, MAX_METRICS)
    .map(({ kind, name, numbers }) => ({ kind, ...named(name), values: valuesOf(numbers) }))
    .filter(({ values }) => Object.keys(values).length > 0);
}

/** The names that messages and events have for the same number. */
const VALUE_NAMES: Readonly<Record<string, string>> = {
  meanRate: 'mean_rate',
  m1Rate: 'm1_rate',
  m5Rate: 'm5_rate',
  m15Rate: 'm15_rate',
  stdDev: 'std_dev',
};

/** In the order of their names, as the field has them. */
const valuesOf = (numbers: object): Record<string, number> =>
  Object.fromEntries(
    Object.entries(numbers as Record<string, number>)
      .filter(([, value]) => Number.isFinite(value))
      .map(([name, value]) => [VALUE_NAMES[name] ?? name, value] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );

/** `link.<id>.latency`, `link.<id>.tx.bytesrate` and the like; ids may have dots. */
const LINK_METRIC = /^link\.(.+)\.(latency|queue_time|[^.]+\.[^.]+)$/;
/** `ctrl.latency:<id>`, `link.dropped_msgs:<id>` and the like. */
const OTHER_METRIC = /^((?:ctrl|link)\.[^:]*):([^:]+)$/;

/** Takes the id of what is measured out of the name of a metric. */
function named(text: string): Pick<Metric, 'name' | 'entityId'> {
  const other = OTHER_METRIC.exec(text);
  if (other) return { name: other[1] ?? '', entityId: other[2] ?? '' };
  const ofLink = LINK_METRIC.exec(text);
  return ofLink ? { name: `link.${ofLink[2] ?? ''}`, entityId: ofLink[1] ?? '' } : { name: text };
}

const usageReportsOf = ({
  intervalStartUTC,
  intervalLength,
  buckets,
}: UsageCounter): UsageReport[] => {
  const interval = { startedAt: new Date(intervalStartUTC * MILLIS), seconds: intervalLength };
  return Object.entries(buckets).map(([circuitId, { values, tags }]) => ({
    ...{ circuitId, ...interval, tags, bytes: values },
  }));
};
