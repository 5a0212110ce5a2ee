import type { NamedType } from './event-types.js';
import type { NetworkEvent } from './network-event.js';

/** A request of a sink for events of a type. */
export interface Subscription extends NamedType {
  /** The kinds of events that it wants; undefined: all. */
  readonly include: ReadonlySet<string> | undefined;
  /** Events of the whole network come from each controller, not from one alone. */
  readonly propagateAlways: boolean;
  /** For numbers of entities: the time between two events. */
  readonly intervalMillis: number;
}

export const DEFAULT_INTERVAL_MILLIS = 300_000;

/** A subscription without options. */
export const plainSubscription = (named: NamedType): Subscription => ({
  ...named,
  include: undefined,
  propagateAlways: false,
  intervalMillis: DEFAULT_INTERVAL_MILLIS,
});

/** The different intervals of subscriptions. */
export const intervalsOf = (subscriptions: readonly Subscription[]): number[] => [
  ...new Set(subscriptions.map(({ intervalMillis }) => intervalMillis)),
];

/** Whether a subscription wants an event; `speaksForAll`: of this controller for the whole network. */
export const isWanted = (
  { type, include, propagateAlways, intervalMillis }: Subscription,
  event: NetworkEvent,
  speaksForAll: boolean,
): boolean =>
  type === event.type &&
  (event.isShared !== true || speaksForAll || propagateAlways) &&
  (include === undefined || include.has(event.kind ?? '')) &&
  (event.intervalMillis === undefined || event.intervalMillis === intervalMillis);
