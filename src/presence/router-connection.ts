import type { TouchedSessions } from '../auth/index.js';
import { newId } from '../base/ids.js';
import { sortedOut, type ClientTable } from './client-table.js';
import type { ConnectionKey, Entry, PresenceTable } from './presence-table.js';
import type { ClientEvent, RouterFace, RouterHello } from './router-report.js';

/** What a connection needs of its controller. */
export interface ConnectionHost {
  readonly table: PresenceTable;
  readonly clients: ClientTable;
  readonly now: () => Date;
  /** Marks sessions as active; gives the identities of these tokens, and the tokens of no session. */
  readonly touch: (tokens: readonly string[]) => Promise<TouchedSessions>;
  /** Reads what was written. */
  readonly refresh: () => Promise<void>;
  readonly ended: (connection: RouterConnection) => void;
}

const UNTOLD: RouterFace = { hostname: '', listeners: {}, syncStatus: 'SYNC_DONE' };

/**
 * One connection of a router, for as long as the channel holds it. What it reports is stored in the
 * order of the calls; after its end, or once another connection took its place, reports are ignored.
 */
export class RouterConnection implements ConnectionKey {
  readonly id = newId();
  readonly routerId: string;
  #entry: Entry = { version: 0n, revision: -1 };
  /** Revision of the latest change that bars the router from being connected. */
  #barredAt = -1;
  #hello: RouterHello & RouterFace;
  #isOpen = true;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #host: ConnectionHost;

  constructor(hello: RouterHello, host: ConnectionHost) {
    this.#host = host;
    this.routerId = hello.routerId;
    this.#hello = { ...UNTOLD, ...hello };
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get hello(): RouterHello & RouterFace {
    return this.#hello;
  }

  /** The router told more, or something else, of the side that clients see. */
  update(face: Partial<RouterFace>): Promise<void> {
    return this.inTurn(async () => {
      this.#hello = { ...this.#hello, ...face };
      await this.#host.table.amend(this, this.#hello);
      await this.#host.refresh();
    });
  }

  /** Clients came and went. A full state names all that are connected; who is not named is gone. */
  clients(events: readonly ClientEvent[], isFullState: boolean): Promise<void> {
    return this.inTurn(async () => {
      const { clients, now } = this.#host;
      const { come, gone } = sortedOut(events, now());
      const report = isFullState ? newId() : '';
      await clients.add(this, come, report);
      if (isFullState) await clients.keepOnly(this, report);
      else await clients.remove(this, gone);
    });
  }

  /**
   * The API sessions of these tokens have clients at the router: they stay active. Gives the tokens
   * of no live session, whose clients the router has to turn out.
   */
  async heartbeat(tokens: readonly string[]): Promise<readonly string[]> {
    let unknown: readonly string[] = [];
    await this.inTurn(async () => {
      const touched = await this.#host.touch(tokens);
      unknown = touched.unknown;
      await this.#host.clients.see(this, touched.identityIds, this.#host.now());
    });
    return unknown;
  }

  /** The router was found fit to connect. */
  admit(entry: Entry): void {
    this.#entry = entry;
  }

  /** A change bars the router; one that came before the admission bars nobody. */
  bar(revision: number): void {
    this.#barredAt = Math.max(this.#barredAt, revision);
  }

  get isBarred(): boolean {
    return this.#barredAt > this.#entry.revision;
  }

  /** Whether a row of the router that belongs to another connection is the later one. */
  isBehind({ connectionId, version }: { connectionId: string; version: bigint }): boolean {
    return connectionId !== this.id && version > this.#entry.version;
  }

  /** The connection is over, as far as the channel knows; its clients may still use the router. */
  async end(): Promise<void> {
    if (!this.#isOpen) return;
    this.close();
    await this.leave();
    await this.#host.refresh();
  }

  /** Takes no more reports. */
  close(): void {
    this.#isOpen = false;
    this.#host.ended(this);
  }

  /** Gives its row up, once what it reported is stored. */
  async leave(): Promise<void> {
    await this.#turn;
    await this.#host.table.leave(this, this.#host.now());
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(() => (this.#isOpen ? work() : undefined));
    // A report that failed does not hold up those after it.
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}
