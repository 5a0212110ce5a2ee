/** The software of a router, from its hello. */
export interface RouterVersion {
  readonly version: string;
  readonly revision: string;
  readonly buildDate: string;
  readonly os: string;
  readonly arch: string;
}

/** An address where a router accepts links from other routers. */
export interface LinkListener {
  readonly address: string;
  readonly protocol: string;
  readonly costTags: readonly string[];
  readonly groups: readonly string[];
  readonly localBinding: string;
}

/** The values of a router for clients; they may come after the hello. */
export interface RouterFace {
  readonly hostname: string;
  /** Protocol -> address where clients reach it, e.g. `tls` -> `tls://router.example:3022`. */
  readonly listeners: Readonly<Record<string, string>>;
  /** Its progress in reading the model: `SYNC_IN_PROGRESS`, `SYNC_DONE` … */
  readonly syncStatus: string;
}

/** The report of a router on connecting. */
export interface RouterHello extends Partial<RouterFace> {
  readonly routerId: string;
  /** Lower-case hex SHA-1 of the proved certificate. */
  readonly fingerprint: string;
  readonly versionInfo: RouterVersion | null;
  readonly linkListeners: readonly LinkListener[];
}

/** The state of a router that is connected to any controller. */
export interface RouterReport extends RouterFace {
  readonly routerId: string;
  readonly connectionId: string;
  readonly versionInfo: RouterVersion | null;
  readonly linkListeners: readonly LinkListener[];
  readonly connectedAt: Date;
  /** Since when it has been sent the whole data model; null while it lacks something, or does not follow it. */
  readonly inStepSince: Date | null;
  /** The report expires at this time without renewal. */
  readonly lapsesAt: Date;
}

declare module '../../prisma/models.js' {
  interface ColumnShapes {
    readonly RouterPresence: Pick<RouterReport, 'listeners' | 'linkListeners' | 'versionInfo'>;
  }
}
