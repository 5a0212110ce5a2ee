import type { NamedType } from './event-types.js';
import { wantedMetrics, type MetricsWanted } from './metrics-events.js';
import { textOfEvent, type NetworkEvent } from './network-event.js';
import { wantedTrace, type TracesWanted } from './trace-events.js';
import { wantedUsage, type UsageWanted } from './usage-events.js';

/** A request of a sink for events of a type: data, since processes tell each other what clients want. */
export interface Subscription extends NamedType, UsageWanted, MetricsWanted, TracesWanted {
  /** The kinds of events that it wants; undefined: all. */
  readonly include: ReadonlySet<string> | undefined;
  /** Events of the whole network come from each controller, not from one alone. */
  readonly propagateAlways: boolean;
  /** For numbers of entities: the time between two events. */
  readonly intervalMillis: number;
}

export const DEFAULT_INTERVAL_MILLIS = 300_000;

/** The different intervals of subscriptions. */
export const intervalsOf = (subscriptions: readonly Subscription[]): number[] => [
  ...new Set(subscriptions.map(({ intervalMillis }) => intervalMillis)),
];

const isWanted = (
  { type, include, propagateAlways, intervalMillis }: Subscription,
  event: NetworkEvent,
  speaksForAll: boolean,
): boolean =>
  type === event.type &&
  (event.isShared !== true || speaksForAll || propagateAlways) &&
  (include === undefined || include.has(event.kind ?? '')) &&
  (event.intervalMillis === undefined || event.intervalMillis === intervalMillis);

function wantedPart(subscription: Subscription, event: NetworkEvent): NetworkEvent | undefined {
  if (event.type === 'usage') return wantedUsage(subscription, event);
  if (event.type === 'trace') return wantedTrace(subscription, event);
  return event.type === 'metrics' ? wantedMetrics(subscription, event) : event;
}

/** The controller that events come from. */
export interface Sender {
  readonly controllerId: string;
  /** Whether it delivers the events of the whole network. */
  readonly speaksForAll: boolean;
}

/** The different texts of an event for a sink, by the names and the parts that its subscriptions want. */
export function textsFor(
  subscriptions: readonly Subscription[],
  event: NetworkEvent,
  { controllerId, speaksForAll }: Sender,
): Set<string> {
  const texts = new Set<string>();
  for (const subscription of subscriptions) {
    if (!isWanted(subscription, event, speaksForAll)) continue;
    const part = wantedPart(subscription, event);
    if (part) texts.add(textOfEvent(part, subscription.namespace, controllerId));
  }
  return texts;
}
