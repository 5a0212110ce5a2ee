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

/** Types of messages, as numbers; undefined: all, and none. */
export interface TraceTypes {
  readonly types?: readonly number[] | undefined;
  readonly exceptTypes?: readonly number[] | undefined;
}

const textsOf = (types: readonly number[] | undefined): Set<string> | undefined =>
  types && new Set(types.map(String));

/** The subscription of a client that streams traces. */
export function tracesOfTypes({ types, exceptTypes }: TraceTypes) {
  const exclude = textsOf(exceptTypes);
  return {
    ...({ type: 'trace', namespace: 'trace', propagateAlways: true, intervalMillis: 0 } as const),
    include: textsOf(types),
    ...(exclude && { exclude }),
  };
}

/** The same for the request of a client on the WebSocket of operators. */
export function traceSubscription({
  enabledFilter,
  filterType,
  contentTypes,
}: StreamTracesRequest) {
  if (!enabledFilter) return tracesOfTypes({});
  return tracesOfTypes(
    filterType === 'INCLUDE' ? { types: contentTypes } : { exceptTypes: contentTypes },
  );
}
