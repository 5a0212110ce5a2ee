import type { StoredCircuit } from '../../data/rows/fabric/index.js';
import type { DialFacts, PresentedToken } from '../../data/rows/terminator/index.js';
import type { RouteFailure } from './router-port.js';

/** A connection between a client and a host, over one or more routers. */
export interface Circuit extends StoredCircuit {
  /** The instance of the service that the client asked for; not known after a takeover. */
  readonly instanceId: string;
}

/** A client of a router wants to use a service. */
export interface DialRequest {
  readonly session: PresentedToken;
  readonly instanceId: string;
  readonly peerData: ReadonlyMap<number, Buffer>;
}

/** A dial that is under way. */
export interface Dial {
  readonly routerId: string;
  readonly request: DialRequest;
  readonly facts: DialFacts;
  readonly begunAt: Date;
}

/** An attempt of a dial. */
export interface CircuitDial extends Dial {
  readonly circuitId: string;
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
