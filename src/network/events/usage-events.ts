import type { MetricsReport } from '../fabric/index.js';
import type { NetworkEvent } from './network-event.js';

/** The versions of the layout: an event for each counter, or one for all counters of a circuit. */
export type UsageVersion = 2 | 3;

export const DEFAULT_USAGE_VERSION: UsageVersion = 2;

/** The events `usage` of both versions, by what a router has counted. */
export function usageEvents({ routerId, usage }: MetricsReport, at: Date): NetworkEvent[] {
  return usage.flatMap(({ circuitId, startedAt, seconds, bytes, tags }) => {
    const source = { source_id: routerId, circuit_id: circuitId };
    const interval = {
      interval_start_utc: Math.floor(startedAt.getTime() / 1000),
      interval_length: seconds,
      tags: Object.keys(tags).length === 0 ? null : tags,
    };
    const counters = Object.entries(bytes).sort(([one], [other]) => (one < other ? -1 : 1));
    const each = counters.map(([name, count]): NetworkEvent => {
      const members = { version: 2, event_type: `usage.${name}`, ...source, usage: count };
      return { type: 'usage', at, members: { ...members, ...interval } };
    });
    const members = { version: 3, ...source, usage: Object.fromEntries(counters), ...interval };
    return [...each, { type: 'usage', frameType: 'usage.v3', at, members }];
  });
}

/** The options of a subscription to usage. */
export interface UsageWanted {
  readonly usageVersion?: UsageVersion;
  /** Of version 3; undefined: all counters. */
  readonly counters?: ReadonlySet<string> | undefined;
}

/** The part of an event `usage` that is wanted; undefined: nothing of it. */
export function wantedUsage(
  { usageVersion = DEFAULT_USAGE_VERSION, counters }: UsageWanted,
  event: NetworkEvent,
): NetworkEvent | undefined {
  const { members } = event;
  if (members.version !== usageVersion) return undefined;
  if (usageVersion !== 3 || counters === undefined) return event;
  const usage = Object.fromEntries(
    Object.entries(members.usage as object).filter(([name]) => counters.has(name)),
  );
  return Object.keys(usage).length === 0 ? undefined : { ...event, members: { ...members, usage } };
}
