import type { Path } from './paths.js';
import type { RouteFailure } from './router-port.js';
import type { PresentedToken } from './terminator-table.js';

/** A connection between a client and a host, over one or more routers. */
export interface Circuit {
  readonly id: string;
  readonly sessionId: string;
  readonly serviceId: string;
  /** The identity of the client. */
  readonly identityId: string;
  readonly hostId: string;
  readonly terminatorId: string;
  /** The instance of the service that the client asked for; not known after a takeover. */
  readonly instanceId: string;
  readonly binding: string;
  /** From the router of the client to that of the host. */
  readonly routerIds: Path['routerIds'];
  readonly linkIds: Path['linkIds'];
  /** The addresses of both ends at their routers. */
  readonly ingress: string;
  readonly egress: string;
  readonly createdAt: Date;
}

/** A client of a router wants to use a service. */
export interface DialRequest {
  readonly session: PresentedToken;
  readonly instanceId: string;
  readonly peerData: ReadonlyMap<number, Buffer>;
}

export interface Dialed {
  readonly circuit: Circuit;
  readonly peerData: ReadonlyMap<number, Buffer>;
  readonly tags: Record<string, string>;
}

export type DialFailure =
  | 'late dial'
  | 'invalid session'
  | 'wrong session type'
  | 'invalid router'
  | 'encryption data missing'
  | 'no terminators'
  | 'no online terminators'
  | 'no path'
  | 'routing failed';

/** A circuit that could not be made. */
export class DialRefusal extends Error {
  constructor(
    readonly reason: DialFailure,
    message: string,
    readonly circuitId: string,
    /** The failure of the last route that was tried. */
    readonly routeFailure?: RouteFailure,
  ) {
    super(message);
  }
}

/** The numbers of the peer data that the controller reads. */
export const PEER_DATA = { publicKey: 1003, stickiness: 1114 } as const;

/** Names that come back in the usage that routers report. */
export const tagsOf = ({
  serviceId,
  identityId,
  hostId,
}: Pick<Circuit, 'serviceId' | 'identityId' | 'hostId'>): Record<string, string> => ({
  serviceId,
  clientId: identityId,
  hostId,
});
