import { LEASE_MILLIS, Leases } from '../../data/store/leases.js';
import { SessionLock } from '../../data/store/session-lock.js';
import type { Database } from '../../data/store/database.js';
import type { Store } from '../../kernel/request/store-port.js';

export interface RouterLeaseOptions {
  readonly database: Pick<Database, 'openSession' | 'canListen'>;
  readonly store: Store;
  /** Where other controllers reach this one, as `host:port`; undefined: nowhere. */
  readonly address: string | undefined;
  /** Called before this controller serves routers; `isContinued` if no other one served them meanwhile. */
  readonly onGain: (isContinued: boolean) => Promise<void>;
  /** Called at each renewal. */
  readonly onRenewal: () => Promise<void>;
  /** Called as soon as this controller may not serve routers any more. */
  readonly onLoss: () => void;
  /** Called after each look at the lease. */
  readonly onLook: () => void;
  /** Called with the first of several faults in a row. */
  readonly onError: (error: unknown) => void;
}

/** One controller serves all routers: the one with this lease. */
const LEASE = 'routers';
const LOOK_MILLIS = 250;
const RENEW_MILLIS = 3_000;
/** It ends here before others may acquire it. */
const VALID_MILLIS = LEASE_MILLIS - 1_000;
/** After the loss of its session a controller confirms its lease in this time, or has lost it. */
const CONFIRM_MILLIS = 1_000;

/** `unsure`: another controller may have acquired the lease, since the session of this one has ended. */
type Phase = 'waiting' | 'serving' | 'unsure';

/**
 * The lease to serve the routers. It ends with the session that its holder has at the database, so that
 * another controller takes over at once when the holder dies, and by time when it hangs.
 */
export class RouterLease {
  readonly #leases: Leases;
  readonly #lock: SessionLock;
  #phase: Phase = 'waiting';
  #validUntil = 0;
  #ownerAddress: string | undefined;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Ends the lease here, unless it is renewed before. */
  #end: NodeJS.Timeout | undefined;
  #hasFailed = false;
  #isEnded = false;

  constructor(private readonly options: RouterLeaseOptions) {
    const { store, database, onError } = options;
    this.#leases = new Leases(store, onError);
    this.#lock = new SessionLock(database, this.#leases.holder, () => {
      this.doubt();
    });
  }

  /** Whether the lease is that of this controller. A process that stood still looks at the time first. */
  readonly isOurs = (): boolean =>
    this.#phase === 'serving' && performance.now() < this.#validUntil;

  /** Whether this controller serves the routers. */
  readonly isServing = (): boolean => this.isOurs() && !this.#isEnded;

  /** Where the controller that serves the routers is reached, if it is another one and says so. */
  readonly ownerAddress = (): string | undefined => this.#ownerAddress;

  /** Acquires the lease or waits for it. */
  async start(): Promise<void> {
    await this.look();
    this.#timer = setInterval(() => void this.look(), LOOK_MILLIS);
    this.#timer.unref();
  }

  /** Serves no routers from now on, and keeps the lease until it is released. */
  end(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#end);
    this.#isEnded = true;
  }

  /** Lets another controller serve the routers. */
  async release(): Promise<void> {
    await this.#looking;
    await this.#leases.stop();
    await this.#lock.release();
  }

  private look(): Promise<void> {
    this.#looking ??= this.lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  private async lookOnce(): Promise<void> {
    try {
      // Without it the lease ends by time alone.
      await this.#lock.acquire().catch(() => undefined);
      await (this.#phase === 'waiting' ? this.claim() : this.renew());
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.options.onError(error);
      this.#hasFailed = true;
    }
    this.options.onLook();
  }

  private async claim(): Promise<void> {
    const { isFree, isOurs, address } = await this.#leases.stateOf(LEASE);
    this.#ownerAddress = isFree || isOurs ? undefined : (address ?? undefined);
    if (!isFree && !isOurs) return;
    const sentAt = performance.now();
    if (!(await this.hold())) return;
    await this.options.onGain(isOurs);
    this.serveFrom(sentAt);
  }

  private async renew(): Promise<void> {
    const sentAt = performance.now();
    const isDue = sentAt > this.#validUntil - VALID_MILLIS + RENEW_MILLIS;
    if (this.#phase === 'serving' && !isDue) return;
    if (!(await this.hold())) this.lose();
    else if (this.#phase !== 'waiting') {
      this.serveFrom(sentAt);
      await this.options.onRenewal();
    }
  }

  private hold(): Promise<boolean> {
    const { address } = this.options;
    return this.#leases.hold(LEASE, { address, hasSession: this.#lock.isHeld });
  }

  private serveFrom(sentAt: number): void {
    if (this.#isEnded) return;
    this.#phase = 'serving';
    this.#validUntil = sentAt + VALID_MILLIS;
    this.loseAfter(this.#validUntil - performance.now());
  }

  private doubt(): void {
    if (this.#phase !== 'serving' || this.#isEnded) return;
    this.#phase = 'unsure';
    this.loseAfter(CONFIRM_MILLIS);
    void this.look();
  }

  private loseAfter(millis: number): void {
    clearTimeout(this.#end);
    this.#end = setTimeout(() => {
      this.lose();
    }, millis);
    this.#end.unref();
  }

  private lose(): void {
    if (this.#phase === 'waiting') return;
    clearTimeout(this.#end);
    this.#phase = 'waiting';
    this.options.onLoss();
  }
}
