import type { AccessUses } from '../access/use/index.js';
import type { IntegrityRuns } from '../inventory/integrity/index.js';
import type { Analyst } from '../access/analysis/index.js';
import type { LiveEvents } from '../network/events/index.js';
import type { CircuitStream } from '../network/fabric/index.js';
import type { Search } from '../inventory/search/index.js';

/** The optional abilities of controllers, in the order in which clients list them. */
export const CAPABILITIES = ['OIDC_AUTH', 'HA_CONTROLLER', 'OIDC_AUTH_WITH_CSR'] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Facts about this controller. */
export interface ControllerFacts {
  /** `host:port` where clients reach it. */
  readonly advertise: string;
  readonly version: string;
  readonly revision: string;
  /** `year-month-day hour:minute:second` */
  readonly buildDate: string;
  /** The optional abilities that it serves. */
  readonly capabilities: readonly Capability[];
  /**
   * The same at all controllers of a network that answer `/version` alike: clients read that answer
   * again whenever this changes, also from one request to the next.
   */
  readonly instanceId: string;
}

/** The description of a REST interface. */
export interface InterfaceSpec {
  readonly id: string;
  readonly name: string;
  /** An OpenAPI document. */
  readonly document: object;
}

/** A snapshot of the database, in a file. */
export interface SnapshotFile {
  /** The file name in the folder of snapshots. */
  readonly name: string;
  /** The moment whose state it contains. */
  readonly createdAt: Date;
  /** Bytes. */
  readonly size: number;
  /** The number of rows in all tables. */
  readonly rows: number;
  /** SHA-256 of the content, in hex. */
  readonly checksum: string;
}

/** Writes snapshots of the database into the data directory. */
export interface SnapshotWriter {
  create(requestId: string, includePki: boolean): Promise<SnapshotFile>;
}

declare module '../kernel/request/context.js' {
  interface Modules {
    readonly accessUses: AccessUses;
    readonly analyst: Analyst;
    /** The events of circuits at all controllers. */
    readonly circuitStream: CircuitStream;
    readonly facts: ControllerFacts;
    /** Events as they happen, and traces of routers. */
    readonly liveEvents: LiveEvents;
    readonly specs: readonly InterfaceSpec[];
    readonly integrity: IntegrityRuns;
    readonly snapshots: SnapshotWriter;
    readonly search: Search;
  }
}
