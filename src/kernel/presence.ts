import { ModuleKey } from './context.js';

/** What is known of a router that is connected to some controller. */
export interface RouterReport {
  readonly routerId: string;
  readonly controllerId: string;
  readonly hostname: string;
  /** Protocol -> address where clients reach it, e.g. `tls` -> `tls://router.example:3022`. */
  readonly listeners: Readonly<Record<string, string>>;
  readonly versionInfo: Readonly<Record<string, string>> | null;
  /** API sessions whose clients are connected to it, with their identities. */
  readonly apiSessions: readonly { readonly id: string; readonly identityId: string }[];
  readonly connectedAt: Date;
  /** A report that is not renewed by then no longer counts. */
  readonly lapsesAt: Date;
}

/** What the core tells routers; the control channel carries it out. */
export interface RouterCommands {
  disconnect(routerId: string): void;
  apiSessionsChanged(apiSessionIds: readonly string[]): void;
  sessionsRemoved(sessionIds: readonly string[]): void;
  trace(identityId: string, enabled: boolean, channels: readonly string[]): void;
}

/** Both directions between the core and whoever holds the connections of routers. */
export class RouterPresence implements RouterCommands {
  readonly #reports = new Map<string, RouterReport>();
  readonly #channels = new Set<RouterCommands>();

  constructor(private readonly now: () => Date) {}

  /** A channel receives the commands until it is detached. */
  attach(channel: RouterCommands): () => void {
    this.#channels.add(channel);
    return () => this.#channels.delete(channel);
  }

  report(report: RouterReport): void {
    this.#reports.set(report.routerId, report);
  }

  gone(routerId: string): void {
    this.#reports.delete(routerId);
  }

  router(routerId: string): RouterReport | undefined {
    const report = this.#reports.get(routerId);
    return report && report.lapsesAt > this.now() ? report : undefined;
  }

  /** Whether a client of the identity is connected to some router. */
  isConnected(identityId: string): boolean {
    return [...this.#reports.keys()].some((id) =>
      this.router(id)?.apiSessions.some((s) => s.identityId === identityId),
    );
  }

  disconnect(routerId: string): void {
    for (const channel of this.#channels) channel.disconnect(routerId);
  }

  apiSessionsChanged(apiSessionIds: readonly string[]): void {
    for (const channel of this.#channels) channel.apiSessionsChanged(apiSessionIds);
  }

  sessionsRemoved(sessionIds: readonly string[]): void {
    for (const channel of this.#channels) channel.sessionsRemoved(sessionIds);
  }

  trace(identityId: string, enabled: boolean, channels: readonly string[]): void {
    for (const channel of this.#channels) channel.trace(identityId, enabled, channels);
  }
}

export const PRESENCE = new ModuleKey<RouterPresence>('presence');
