import type { KnownApiSession } from '../../data/rows/api-session/index.js';
import type { IdentityTrace } from '../../data/rows/trace/index.js';
import type { RouterConnection } from './router-connection.js';

export type DisconnectReason = 'deleted' | 'disabled' | 're-enrolled' | 'replaced' | 'lost';

/**
 * The commands of the core to a control channel. Each controller commands its own channel, also after
 * changes of other controllers. A command may come twice, and its failure does not affect the core.
 */
export interface RouterCommands {
  /** Closes the connection; later reports of it do not count. */
  disconnect(connection: RouterConnection, reason: DisconnectReason): void;
  /** Announces fully authenticated sessions that are new or have changed certificates. */
  apiSessionsChanged(sessions: readonly KnownApiSession[]): void;
  /** Removes ended sessions by id; the channel has the tokens of the sessions it announced. */
  apiSessionsRemoved(ids: readonly string[]): void;
  /** Removes ended sessions for services; routers know them by the `jti` of their tokens. */
  sessionsRemoved(ids: readonly string[]): void;
  /** Starts, changes or ends a trace; it also ends by itself at `until`. */
  trace(trace: IdentityTrace): void;
  /** Reports new, lost and changed routers to those that may link to them. */
  routersChanged(routerIds: readonly string[]): void;
  /** Announces all API sessions again, after a change that could not be announced. */
  resync(): void;
}
