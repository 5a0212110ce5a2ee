import { randomUUID } from 'node:crypto';
import { RE2JS } from 're2js';
import type { LinkSource, MetricsReport } from '../fabric/index.js';
import { withoutEmpty, type NetworkEvent } from './network-event.js';

const VERSION = 3;

/** The events `metrics`: one for each metric that a router has measured. */
export function metricsEvents(
  { routerId, measuredAt, tags, metrics }: MetricsReport,
  links: LinkSource,
): NetworkEvent[] {
  const reportId = randomUUID();
  return metrics.map(({ kind, name, entityId, values }) => {
    const link =
      name.startsWith('link.') && entityId !== undefined ? links.get(entityId) : undefined;
    const ends = link && { sourceRouterId: link.sourceId, targetRouterId: link.destinationId };
    const allTags = { ...tags, ...ends };
    return {
      type: 'metrics',
      at: measuredAt,
      members: {
        metric_type: kind,
        source_id: routerId,
        ...withoutEmpty({ source_entity_id: entityId }),
        version: VERSION,
        metric: name,
        metrics: values,
        ...(Object.keys(allTags).length === 0 ? {} : { tags: allTags }),
        source_event_id: reportId,
      },
    };
  });
}

/** A regular expression of the field, which takes linear time. Throws for a wrong one. */
export const metricPattern = (text: string): RE2JS => RE2JS.compile(text);

export interface MetricsFilter {
  /** For the id of the router. */
  readonly source: RE2JS | undefined;
  /** For `<metric>.<number>`, such as `link.latency.p95`, and `<metric>.` of a single number. */
  readonly metric: RE2JS | undefined;
}

/** Gives what leaves the part of an event `metrics` that a filter lets through. */
export const narrowMetrics =
  ({ source, metric }: MetricsFilter) =>
  (event: NetworkEvent): NetworkEvent | undefined => {
    const { members } = event;
    if (source && !isFound(source, members.source_id)) return undefined;
    if (!metric) return event;
    const metrics = Object.fromEntries(
      Object.entries(members.metrics as object).filter(([name]) =>
        isFound(metric, `${String(members.metric)}.${name === 'value' ? '' : name}`),
      ),
    );
    const isEmpty = Object.keys(metrics).length === 0;
    return isEmpty ? undefined : { ...event, members: { ...members, metrics } };
  };

const isFound = (pattern: RE2JS, text: unknown): boolean => pattern.matcher(String(text)).find();
