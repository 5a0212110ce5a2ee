import { randomBytes, timingSafeEqual } from 'node:crypto';

/*
 * A router of version 2 may have several connections, which carry one channel together. Each has a
 * type; the group is known by its id, and its members prove by a secret that they belong to it.
 */

export const UNDERLAY_TYPES = ['ctrl.default', 'ctrl.high', 'ctrl.low'] as const;
export type UnderlayType = (typeof UNDERLAY_TYPES)[number];

export interface ChannelGroup {
  readonly id: string;
  readonly secret: Buffer;
}

/** The part of a hello about the group of its connection. */
export interface GroupHello extends Partial<ChannelGroup> {
  readonly type: UnderlayType;
  /** Whether the router has no other connection of the group. */
  readonly isFirst: boolean;
}

const SECRET_BYTES = 16;

/**
 * Begins a group. A router that has lost all connections comes back with an id and its secret of
 * before, also to a controller that never saw it; it accepts no other secret.
 */
export const beginGroup = (
  { id, secret = randomBytes(SECRET_BYTES) }: GroupHello,
  connectionId: string,
): ChannelGroup => ({ id: id ?? connectionId, secret });

export const belongsTo = ({ id, secret }: GroupHello, group: ChannelGroup): boolean =>
  id === group.id &&
  secret?.length === group.secret.length &&
  timingSafeEqual(secret, group.secret);
