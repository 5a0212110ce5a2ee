import type { ConnectionStatus } from '../../data/rows/router/index.js';
import type { ClientEvent } from '../presence/index.js';
import type { NetworkEvent } from './network-event.js';

const KINDS = {
  online: 'sdk-online',
  offline: 'sdk-offline',
  unknown: 'sdk-status-unknown',
} as const satisfies Readonly<Record<ConnectionStatus, string>>;

/** Makes the events `sdk`, from what routers report about their clients. */
export class SdkEvents {
  /** Identity id -> id of a router with a client of it -> whether the router is connected. */
  readonly #routers = new Map<string, Map<string, boolean>>();

  constructor(
    private readonly publish: (event: NetworkEvent) => void,
    private readonly now: () => Date,
  ) {}

  /** A router reports clients; a full state names all of its clients. */
  report(routerId: string, events: readonly ClientEvent[], isFullState: boolean): void {
    const connected = new Set<string>();
    for (const { identityId, isConnected } of events) {
      if (isConnected) connected.add(identityId);
      else connected.delete(identityId);
      this.set(identityId, routerId, isConnected);
    }
    if (!isFullState) return;
    for (const identityId of this.identitiesAt(routerId)) {
      if (!connected.has(identityId)) this.set(identityId, routerId, false);
    }
  }

  /** The connection to a router is lost: its clients may still use it. */
  routerLost(routerId: string): void {
    for (const identityId of this.identitiesAt(routerId)) {
      this.change(identityId, (routers) => routers.set(routerId, false));
    }
  }

  private identitiesAt(routerId: string): string[] {
    return [...this.#routers].flatMap(([id, routers]) => (routers.has(routerId) ? [id] : []));
  }

  private set(identityId: string, routerId: string, isConnected: boolean): void {
    this.change(identityId, (routers) => {
      if (isConnected) routers.set(routerId, true);
      else routers.delete(routerId);
    });
  }

  private change(identityId: string, apply: (routers: Map<string, boolean>) => void): void {
    const routers = this.#routers.get(identityId) ?? new Map<string, boolean>();
    const before = statusOf(routers);
    apply(routers);
    if (routers.size > 0) this.#routers.set(identityId, routers);
    else this.#routers.delete(identityId);
    const status = statusOf(routers);
    if (status === before) return;
    const kind = KINDS[status];
    const members = { event_type: kind, identity_id: identityId };
    this.publish({ type: 'sdk', at: this.now(), kind, members });
  }
}

function statusOf(routers: ReadonlyMap<string, boolean>): ConnectionStatus {
  if ([...routers.values()].includes(true)) return 'online';
  return routers.size > 0 ? 'unknown' : 'offline';
}
