/** What software a router runs, as its hello tells. */
export interface RouterVersion {
  readonly version: string;
  readonly revision: string;
  readonly buildDate: string;
  readonly os: string;
  readonly arch: string;
}

/** Where a router takes links from other routers. */
export interface LinkListener {
  readonly address: string;
  readonly protocol: string;
  readonly costTags: readonly string[];
  readonly groups: readonly string[];
  readonly localBinding: string;
}

/** What a router tells of the side that clients see; it may come after the hello. */
export interface RouterFace {
  readonly hostname: string;
  /** Protocol -> address where clients reach it, e.g. `tls` -> `tls://router.example:3022`. */
  readonly listeners: Readonly<Record<string, string>>;
  /** How far it has caught up with the model: `SYNC_IN_PROGRESS`, `SYNC_DONE` … */
  readonly syncStatus: string;
}

/** What a router tells when it connects. */
export interface RouterHello extends Partial<RouterFace> {
  readonly routerId: string;
  /** Lower-case hex SHA-1 of the certificate that it proved. */
  readonly fingerprint: string;
  readonly versionInfo: RouterVersion | null;
  readonly linkListeners: readonly LinkListener[];
}

/** What is known of a router that is connected to some controller. */
export interface RouterReport extends RouterFace {
  readonly routerId: string;
  readonly connectionId: string;
  readonly versionInfo: RouterVersion | null;
  readonly linkListeners: readonly LinkListener[];
  readonly connectedAt: Date;
  /** A report that is not renewed by then no longer counts. */
  readonly lapsesAt: Date;
}

/** A client came to a router, or left it. */
export interface ClientEvent {
  readonly identityId: string;
  readonly isConnected: boolean;
  /** Of the earliest of its connections; absent: now. */
  readonly connectedAt?: Date;
}

/** Whether a client of an identity is connected; `unknown`: its router was lost a moment ago. */
export type ConnectionStatus = 'online' | 'offline' | 'unknown';
