import type { TouchedSessions } from '../../trust/auth/index.js';
import { newId } from '../../base/ids.js';
import {
  routerClients,
  routerPresence,
  type RenewedConnection,
  type PresenceEntry,
  type RouterFace,
  type RouterHello,
} from '../../data/rows/router/index.js';
import type { Rows } from '../../kernel/request/store-port.js';
import { clientChanges, type ClientEvent } from './client-changes.js';

/** The parts of the controller that a connection uses. */
export interface ConnectionHost {
  readonly store: Rows;
  readonly now: () => Date;
  /** Marks sessions as active; gives their identities, and the tokens without a session. */
  readonly touch: (tokens: readonly string[]) => Promise<TouchedSessions>;
  /** Reads the latest writes. */
  readonly refresh: () => Promise<void>;
  readonly ended: (connection: RouterConnection) => void;
}

const EMPTY_FACE: RouterFace = { hostname: '', listeners: {}, syncStatus: 'SYNC_DONE' };

/**
 * One connection of a router, open as long as the channel keeps it. Its reports are stored in the
 * order of the calls; after its end, or when another connection has replaced it, they are ignored.
 */
export class RouterConnection implements RenewedConnection {
  readonly id = newId();
  readonly routerId: string;
  #entry: PresenceEntry = { version: 0n, revision: -1 };
  /** The revision of the latest change that forbids the router to connect. */
  #barredAt = -1;
  #hello: RouterHello & RouterFace;
  #isOpen = true;
  #inStepSince: () => Date | null = () => null;
  #lastReport: Promise<unknown> = Promise.resolve();
  readonly #host: ConnectionHost;

  constructor(hello: RouterHello, host: ConnectionHost) {
    this.#host = host;
    this.routerId = hello.routerId;
    this.#hello = { ...EMPTY_FACE, ...hello };
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get hello(): RouterHello & RouterFace {
    return this.#hello;
  }

  /** Since when the router has been sent the whole data model; null while it lacks something. */
  get inStepSince(): Date | null {
    return this.#inStepSince();
  }

  /** The channel sends the data model to the router, and says since when it is complete there. */
  followsModel(inStepSince: () => Date | null): void {
    this.#inStepSince = inStepSince;
  }

  /** The router has reported new values for clients. */
  update(face: Partial<RouterFace>): Promise<void> {
    return this.enqueue(async () => {
      this.#hello = { ...this.#hello, ...face };
      await routerPresence.amend(this.#host.store, this, this.#hello);
      await this.#host.refresh();
    });
  }

  /** Reports connected and gone clients. A full state names all connected clients of the router. */
  clients(events: readonly ClientEvent[], isFullState: boolean): Promise<void> {
    return this.enqueue(async () => {
      const { store, now } = this.#host;
      const { come, gone } = clientChanges(events, now());
      const report = isFullState ? newId() : '';
      await routerClients.add(store, this, come, report);
      if (isFullState) await routerClients.keepOnly(store, this, report);
      else await routerClients.remove(store, this, gone);
    });
  }

  /**
   * Keeps the API sessions of these tokens active, because they have clients at the router. Gives the
   * tokens without a live session, whose clients the router must disconnect.
   */
  async heartbeat(tokens: readonly string[]): Promise<readonly string[]> {
    let unknownTokens: readonly string[] = [];
    await this.enqueue(async () => {
      const { store, now, touch } = this.#host;
      const touched = await touch(tokens);
      unknownTokens = touched.unknown;
      await routerClients.addMissing(store, this, touched.identityIds, now());
    });
    return unknownTokens;
  }

  /** Stores that the router may connect. */
  admit(entry: PresenceEntry): void {
    this.#entry = entry;
  }

  /** Stores a change that forbids the router to connect; one before its admission has no effect. */
  bar(revision: number): void {
    this.#barredAt = Math.max(this.#barredAt, revision);
  }

  get isBarred(): boolean {
    return this.#barredAt > this.#entry.revision;
  }

  /** Whether the row belongs to another, later connection of the router. */
  isBehind({ connectionId, version }: { connectionId: string; version: bigint }): boolean {
    return connectionId !== this.id && version > this.#entry.version;
  }

  /** Ends the connection for the channel; clients may still use the router. */
  async end(): Promise<void> {
    if (!this.#isOpen) return;
    this.close();
    await this.leave();
    await this.#host.refresh();
  }

  /** Refuses later reports. */
  close(): void {
    this.#isOpen = false;
    this.#host.ended(this);
  }

  /** Gives up the row after all reports are stored. */
  async leave(): Promise<void> {
    await this.#lastReport;
    await routerPresence.leave(this.#host.store, this, this.#host.now());
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    const report = this.#lastReport.then(() => (this.#isOpen ? work() : undefined));
    // A failed report does not stop later ones.
    this.#lastReport = report.catch(() => undefined);
    return report;
  }
}
