import type { RouterConnection } from './router-connection.js';

/** An API session as routers have to know it. */
export interface KnownApiSession {
  readonly id: string;
  readonly token: string;
  readonly identityId: string;
  /** Lower-case hex SHA-1 of every certificate that its clients may present. */
  readonly fingerprints: readonly string[];
}

/** Selective logging of what is done for an identity. */
export interface IdentityTrace {
  readonly identityId: string;
  readonly enabled: boolean;
  readonly traceId: string;
  readonly channels: readonly TraceChannel[];
  readonly until: Date;
}

export const TRACE_CHANNELS = ['selectPath', 'establishPath'] as const;
export type TraceChannel = (typeof TRACE_CHANNELS)[number];

export type DisconnectReason = 'deleted' | 'disabled' | 're-enrolled' | 'replaced' | 'lost';

/**
 * What the core tells a control channel. Whoever wrote the change, each controller tells its own
 * channel; a command may come twice, and never throws the core off when it fails.
 */
export interface RouterCommands {
  /** Close the connection: it no longer counts, whatever it still reports. */
  disconnect(connection: RouterConnection, reason: DisconnectReason): void;
  /** Sessions in full standing that are new, or whose certificates changed: announce them (anew). */
  apiSessionsChanged(sessions: readonly KnownApiSession[]): void;
  /** Ended. Only the ids are left; the channel knows the tokens of what it announced. */
  apiSessionsRemoved(ids: readonly string[]): void;
  /** Ended. These were never announced: routers know them by the `jti` of their tokens. */
  sessionsRemoved(ids: readonly string[]): void;
  /** Begins, changes or ends; it also ends by itself at `until`. */
  trace(trace: IdentityTrace): void;
  /** Other routers came, went or changed: tell those that may link to them. */
  routersChanged(routerIds: readonly string[]): void;
  /** Asked, not told: the routers of the circuits that it made for a session, in their order. */
  routePath?(sessionId: string): readonly string[];
  /** Some change of API sessions could not be told: announce all of them anew. */
  resync(): void;
}
