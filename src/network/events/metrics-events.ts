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

/** Throws for a text that is no regular expression of the field; those take linear time. */
export const metricPattern = (text: string): RE2JS => RE2JS.compile(text);

/** The options of a subscription to metrics: texts, since processes tell each other what clients want. */
export interface MetricsWanted {
  /** A pattern for the id of the router. */
  readonly sourceFilter?: string;
  /** One for `<metric>.<number>`, such as `link.latency.p95`, and `<metric>.` of a single number. */
  readonly metricFilter?: string;
}

interface Patterns {
  readonly source: RE2JS | undefined;
  readonly metric: RE2JS | undefined;
}

/** The patterns of subscriptions, which are needed for each event. */
const patterns = new WeakMap<MetricsWanted, Patterns>();

function patternsOf(wanted: MetricsWanted): Patterns {
  const known = patterns.get(wanted);
  if (known) return known;
  const { sourceFilter, metricFilter } = wanted;
  const made = {
    source: sourceFilter === undefined ? undefined : metricPattern(sourceFilter),
    metric: metricFilter === undefined ? undefined : metricPattern(metricFilter),
  };
  patterns.set(wanted, made);
  return made;
}

/** The part of an event `metrics` that is wanted; undefined: nothing of it. */
export function wantedMetrics(
  wanted: MetricsWanted,
  event: NetworkEvent,
): NetworkEvent | undefined {
  const { source, metric } = patternsOf(wanted);
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
}

const isFound = (pattern: RE2JS, text: unknown): boolean => pattern.matcher(String(text)).find();
