/** The part of one router in a circuit. */
export interface RouteOrder {
  readonly circuitId: string;
  readonly attempt: number;
  /** The connection to the host; only for the last router of a path. */
  readonly egress?: {
    readonly binding: string;
    readonly address: string;
    readonly destination: string;
    readonly peerData: Record<string, Buffer>;
  };
  readonly forwards: readonly {
    readonly srcAddress: string;
    readonly dstAddress: string;
    readonly dstType: 'Start' | 'End' | 'Link';
  }[];
  readonly tags: Record<string, string>;
}

export type RouteAnswer =
  | { readonly isDone: true; readonly peerData: ReadonlyMap<number, Buffer> }
  | { readonly isDone: false; readonly reason: RouteFailure; readonly text: string };

export type RouteFailure =
  | 'generic'
  | 'invalid terminator'
  | 'misconfigured terminator'
  | 'dial timed out'
  | 'connection refused'
  | 'no answer';

/** The orders of the fabric to connected routers. */
export interface RouterPort {
  readonly isConnected: (routerId: string) => boolean;
  /** Whether a router judges the posture of clients over OpenID Connect by itself. */
  readonly judgesPosture: (routerId: string) => boolean;
  readonly route: (routerId: string, order: RouteOrder, millis: number) => Promise<RouteAnswer>;
  /** Ends a circuit at a router; without `now` the router delivers first what it still has. */
  readonly unroute: (routerId: string, circuitId: string, now: boolean) => void;
  /** Has a router close a link. */
  readonly closeLink: (routerId: string, linkId: string, iteration: number) => void;
  /** Tells the routers that these ones are gone. */
  readonly routersDeleted: (routerIds: readonly string[]) => void;
}
