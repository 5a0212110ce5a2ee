import type { NamedType } from './event-types.js';
import { textOfEvent, type NetworkEvent } from './network-event.js';

/** A request of a sink for events of a type. */
export interface Subscription extends NamedType {
  /** The kinds of events that it wants; undefined: all. */
  readonly include: ReadonlySet<string> | undefined;
  /** Events of the whole network come from each controller, not from one alone. */
  readonly propagateAlways: boolean;
  /** For numbers of entities: the time between two events. */
  readonly intervalMillis: number;
  /** Gives the part of an event of its type that it wants; undefined: nothing of it. */
  readonly narrow?: (event: NetworkEvent) => NetworkEvent | undefined;
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
    const { narrow, namespace } = subscription;
    const part = narrow ? narrow(event) : event;
    if (part) texts.add(textOfEvent(part, namespace, controllerId));
  }
  return texts;
}
