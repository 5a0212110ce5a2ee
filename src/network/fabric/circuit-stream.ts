import { failure, type ApiError } from '../../base/errors.js';
import { Follower, type FollowerOptions } from '../../base/follower.js';
import {
  circuitEvents,
  type CircuitEvent,
  type EventPosition,
} from '../../data/rows/fabric/index.js';
import type { Rows } from '../../kernel/request/store-port.js';

export interface CircuitStreamOptions {
  readonly store: Rows;
  readonly onError: (error: unknown) => void;
  readonly pollMillis?: number;
  readonly stallMillis?: number;
  /** Events that a subscriber may leave unread. */
  readonly mostUnread?: number;
}

export interface CircuitFollowOptions extends Pick<FollowerOptions, 'onStalled'> {
  readonly wants: (event: CircuitEvent) => boolean;
}

type Limits = Required<Pick<CircuitStreamOptions, 'pollMillis' | 'stallMillis' | 'mostUnread'>>;

const LIMITS: Limits = { pollMillis: 250, stallMillis: 30_000, mostUnread: 20_000 };
/** Events in one read. */
const SLICE = 1_000;

const MISSED = 'events of circuits were missed; subscribe again, and read the circuits again';

/**
 * The events of circuits for all subscribers of this process. One poll of the database serves all of
 * them, and there is none while nobody subscribes.
 */
export class CircuitStream {
  #poll: CircuitPoll | undefined;

  constructor(private readonly options: CircuitStreamOptions) {}

  /** Follows the circuits that any controller makes from now on. */
  async follow(options: CircuitFollowOptions): Promise<CircuitFollower> {
    const poll = this.#poll ?? this.startPoll();
    const follower = new CircuitFollower(poll, options, { ...LIMITS, ...this.options });
    poll.add(follower);
    try {
      await poll.begun;
    } catch (error) {
      follower.end();
      throw error;
    }
    return follower;
  }

  private startPoll(): CircuitPoll {
    const poll = new CircuitPoll(this.options, () => {
      if (this.#poll === poll) this.#poll = undefined;
    });
    this.#poll = poll;
    return poll;
  }
}

/** The latest events, shared by the subscribers that read them. */
interface EventSource {
  /** The number of events that were read from the database. */
  readonly count: number;
  event(number: number): CircuitEvent | undefined;
  remove(follower: CircuitFollower): void;
}

/** A reader with its own place among the latest events, so that a slow one costs no memory. */
export class CircuitFollower extends Follower<CircuitEvent> {
  /** The number of the event that it reads next. */
  #next: number;

  constructor(
    private readonly source: EventSource,
    private readonly request: CircuitFollowOptions,
    { stallMillis }: Pick<Limits, 'stallMillis'>,
  ) {
    super({ stallMillis, ...(request.onStalled ? { onStalled: request.onStalled } : {}) });
    this.#next = source.count;
  }

  get nextNumber(): number {
    return this.#next;
  }

  protected nextEvent(): CircuitEvent | undefined {
    for (;;) {
      const event = this.source.event(this.#next);
      if (!event) return undefined;
      this.#next += 1;
      if (this.request.wants(event)) return event;
    }
  }

  protected tooSlow(reason: string): ApiError {
    return failure('SUBSCRIBER_TOO_SLOW', reason);
  }

  protected leave(): void {
    this.source.remove(this);
  }
}

/** Reads events while there are followers. */
class CircuitPoll implements EventSource {
  /** Resolves when the followers miss nothing more. */
  readonly begun: Promise<void>;
  readonly #limits: Limits;
  readonly #followers = new Set<CircuitFollower>();
  #events: readonly CircuitEvent[] = [];
  /** The number of the first of them. */
  #first = 0;
  #position: EventPosition = { generation: undefined, version: 0n };
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    private readonly options: CircuitStreamOptions,
    private readonly onStopped: () => void,
  ) {
    this.#limits = { ...LIMITS, ...options };
    // The first subscriber begins it, and others depend on it.
    this.begun = this.begin();
  }

  get count(): number {
    return this.#first + this.#events.length;
  }

  event(number: number): CircuitEvent | undefined {
    return this.#events[number - this.#first];
  }

  add(follower: CircuitFollower): void {
    this.#followers.add(follower);
  }

  remove(follower: CircuitFollower): void {
    this.#followers.delete(follower);
    if (this.#followers.size === 0) this.stop();
  }

  private stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.onStopped();
  }

  private async begin(): Promise<void> {
    this.#position = await circuitEvents.latest(this.options.store);
    this.readLater();
  }

  private readLater(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.read()
        .catch(this.options.onError)
        .finally(() => {
          this.readLater();
        });
    }, this.#limits.pollMillis);
    this.#timer.unref();
  }

  private async read(): Promise<void> {
    for (;;) {
      const { latest, events } = await circuitEvents.following(
        this.options.store,
        this.#position.version,
        SLICE,
      );
      if (this.#isStopped) return;
      if (this.hasGap(latest, events)) {
        for (const follower of this.#followers) follower.end(failure('UNAVAILABLE', MISSED));
        return;
      }
      const version = events.at(-1)?.version ?? this.#position.version;
      this.#position = { generation: latest.generation, version };
      this.append(events);
      if (events.length < SLICE) return;
    }
  }

  /** Whether events are missing between those that were read before and these. */
  private hasGap(latest: EventPosition, events: readonly CircuitEvent[]): boolean {
    const { generation, version } = this.#position;
    if (generation !== undefined && generation !== latest.generation) return true;
    const next = events[0]?.version;
    return next === undefined ? latest.version !== version : next !== version + 1n;
  }

  private append(events: readonly CircuitEvent[]): void {
    if (events.length === 0) return;
    this.#events = [...this.#events, ...events];
    for (const follower of this.#followers) follower.wake();
    const { mostUnread } = this.#limits;
    const least = this.count - mostUnread;
    for (const follower of this.#followers) {
      if (follower.nextNumber < least) {
        follower.cutOff(`more than ${String(mostUnread)} events were not taken`);
      }
    }
    this.forgetRead();
  }

  /** Forgets the events that all followers have read. */
  private forgetRead(): void {
    const first = Math.min(this.count, ...[...this.#followers].map((one) => one.nextNumber));
    this.#events = this.#events.slice(first - this.#first);
    this.#first = first;
  }
}
