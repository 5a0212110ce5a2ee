import type { ChannelTrace, StreamTracesRequest } from '../messages/index.js';
import type { NetworkEvent } from './network-event.js';

/** The traces that a subscription does not want. */
export interface TracesWanted {
  /** Types of messages, as decimal numbers. */
  readonly exclude?: ReadonlySet<string>;
}

/** A message that a router has traced, for clients that stream traces. */
export const traceEvent = ({ decode, ...trace }: ChannelTrace, at: Date): NetworkEvent => ({
  type: 'trace',
  kind: String(trace.contentType),
  at,
  members: { ...trace, decode: decode.toString() },
});

/** Leaves out the types of messages that a subscription excludes. */
export const wantedTrace = ({ exclude }: TracesWanted, event: NetworkEvent) =>
  exclude?.has(event.kind ?? '') === true ? undefined : event;

/** The subscription of a client that streams traces. */
export function traceSubscription({
  enabledFilter,
  filterType,
  contentTypes,
}: StreamTracesRequest) {
  const types = new Set(contentTypes.map(String));
  const isInclude = enabledFilter && filterType === 'INCLUDE';
  return {
    ...({ type: 'trace', namespace: 'trace', propagateAlways: true, intervalMillis: 0 } as const),
    include: isInclude ? types : undefined,
    ...(enabledFilter && !isInclude && { exclude: types }),
  };
}
