import type { JsonObject } from '../../base/row.js';
import type { EventType } from './event-types.js';

/** Something that happened in the network, in the published layout of its type. */
export interface NetworkEvent {
  readonly type: EventType;
  readonly at: Date;
  /** Its type in frames of the WebSocket, where the public controller has another name there. */
  readonly frameType?: string;
  /** The value that the option `include` of a subscription selects by. */
  readonly kind?: string;
  /** Every controller has it, so that one of them delivers it for all. */
  readonly isShared?: true;
  /** It is for subscriptions with this interval alone. */
  readonly intervalMillis?: number;
  /** The members behind those that all events have; readers see them in this order. */
  readonly members: JsonObject;
}

/** RFC 3339 with nanoseconds; clocks here have milliseconds. */
const timestampOf = (at: Date): string => at.toISOString().replace('Z', '000000Z');

/** The JSON of an event. */
export function textOfEvent(
  { type, at, members }: NetworkEvent,
  namespace: string,
  controllerId: string,
): string {
  const timestamp = timestampOf(at);
  // Events of routers have the other order in the field, too.
  const common =
    type === 'router'
      ? { namespace, timestamp, event_src_id: controllerId }
      : { namespace, event_src_id: controllerId, timestamp };
  return JSON.stringify({ ...common, ...members });
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

/** Leaves out the members that layouts mark as `omitEmpty`, where they are empty. */
export const withoutEmpty = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)));

const NANOS_PER_MILLI = 1_000_000;

export const nanosOf = (millis: number): number => Math.round(millis * NANOS_PER_MILLI);
