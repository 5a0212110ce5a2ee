import { answerHeaders } from './answer-headers.js';
import type { UnderlayType } from './channel-group.js';
import { CONTENT, HEADER } from './content-types.js';
import { FrameError, type Body, type Frame, type Headers } from './frame.js';
import { readUint32, uint64Value } from './header-values.js';
import { refusalOf, resultOf } from './refusals.js';
import type { Underlay } from './underlay.js';

/**
 * Works on the frames of one type. A request that it leaves without an answer when it fails is
 * refused by the channel.
 */
export type FrameHandler = (frame: Frame) => Promise<void> | void;

export interface ChannelOptions {
  readonly handlers: ReadonlyMap<number, FrameHandler>;
  /** Called once for each type of frame that has no handler, as far as they are few. */
  readonly onUnknown: (type: number) => void;
  /** A handler has failed. The frame is dropped; a request is refused. */
  readonly onError: (error: unknown, frame: Frame) => void;
  /**
   * Called when one of several connections is lost; `carriedState` if other frames than urgent ones went by
   * it: some of the latest may be lost with it.
   */
  readonly onLost: (type: UnderlayType, carriedState: boolean) => void;
  /** Called once, with the reason if the controller ended the channel. */
  readonly onEnd: (reason: string | undefined) => void;
}

/** The time between the heartbeats to a router. */
export const HEARTBEAT_MILLIS = 10_000;
/** A router that answers none of so many heartbeats is lost. */
const MAX_UNANSWERED = 3;
/** So many more may stay without an answer at first, while a router starts. */
const FIRST_UNANSWERED = 6;

/** Frames of a router that are worked on at once; the others wait in their order. */
const MAX_IN_WORK = 64;
/** At so many waiting frames nothing more is read from the router, until there are half of them. */
const MAX_WAITING = 1_000;
/** The same for their size. */
const MAX_WAITING_BYTES = 16 << 20;
/** Bodies of most messages are small; lists of sessions, clients and links may be long. */
const MAX_BODY_BYTES = 1 << 20;
const MAX_LIST_BYTES = 32 << 20;
const LISTS: ReadonlySet<number> = new Set([
  CONTENT.apiSessionHeartbeat,
  CONTENT.connectEvents,
  CONTENT.metrics,
  CONTENT.routerLinks,
  CONTENT.validateSessions,
]);

/**
 * Frames that do not wait behind long lists: those about circuits, answers to their requests aside, and
 * heartbeats. A router of version 2 calls a controller unresponsive that does not answer for 5 seconds.
 */
const HIGH_PRIORITY: ReadonlySet<number> = new Set([
  CONTENT.route,
  CONTENT.unroute,
  CONTENT.heartbeat,
]);

const MAX_UNKNOWN_TYPES = 100;

const NO_HEADERS: Headers = new Map();
const NO_BODY = Buffer.alloc(0);
const LAST_SEQUENCE = 0x7fff_ffff;

interface Waiter {
  readonly resolve: (frame: Frame | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * The channel of a router after its hello: numbered frames in both directions, answers, and
 * heartbeats. Frames of a router are worked on in their order as far as their handlers are
 * synchronous; answers to requests of this side do not wait for other frames. Of several connections,
 * each carries the frames of its priority, and those of a lost one. An answer goes the way of its
 * request, except to a heartbeat.
 */
export class ControlChannel {
  #sequence = 0;
  /** Heartbeats in a row without an answer. */
  #unanswered = -FIRST_UNANSWERED;
  /** Whether the router has answered since the latest heartbeat. */
  #hasAnswered = false;
  readonly #waiters = new Map<number, Waiter>();
  readonly #waiting: Work[] = [];
  #waitingBytes = 0;
  readonly #unknown = new Set<number>();
  readonly #answered = new WeakSet<Frame>();
  readonly #underlays = new Map<UnderlayType, Underlay>();
  /** The connections by which other frames than urgent ones went. */
  readonly #stateCarriers = new WeakSet<Underlay>();
  /** The connections by which frames came, except the default one. */
  readonly #ways = new WeakMap<Frame, UnderlayType>();
  #inWork = 0;
  #isPaused = false;
  #isStarted = false;
  #isOpen = true;

  constructor(
    underlay: Underlay,
    private readonly options: ChannelOptions,
    type: UnderlayType = 'ctrl.default',
  ) {
    this.attach(type, underlay);
  }

  /** Begins to read, with what arrived before. */
  start(): void {
    this.#isStarted = true;
    for (const underlay of [...this.#underlays.values()]) underlay.start();
  }

  /** Adds a connection. It takes the place of an earlier one of its type, which its router has lost. */
  join(type: UnderlayType, underlay: Underlay): void {
    const earlier = this.#underlays.get(type);
    this.attach(type, underlay);
    if (earlier) {
      earlier.end();
      this.options.onLost(type, this.#stateCarriers.has(earlier));
    }
    if (this.#isStarted) underlay.start();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends a frame. */
  send(type: number, body: Body = NO_BODY, headers: Headers = NO_HEADERS): number {
    const way = HIGH_PRIORITY.has(type) ? 'ctrl.high' : 'ctrl.default';
    return this.sendBy(way, type, body, headers);
  }

  /** Answers a frame. */
  answer(to: Frame, type: number, body: Buffer = NO_BODY, headers: Headers = NO_HEADERS): void {
    this.#answered.add(to);
    const way = this.#ways.get(to) ?? 'ctrl.default';
    this.sendBy(way, type, body, new Map([...answerHeaders(to), ...headers]));
  }

  /** Answers a frame by its success, and a text that says why it failed. */
  result(to: Frame, isSuccess: boolean, text = ''): void {
    const { type, body, headers } = resultOf(isSuccess, text);
    this.answer(to, type, body, headers);
  }

  /** Sends a frame and gives its answer; undefined when none comes in time. */
  request(
    type: number,
    body: Body,
    options: { readonly millis: number; readonly headers?: Headers },
  ): Promise<Frame | undefined> {
    if (!this.#isOpen) return Promise.resolve(undefined);
    const sequence = this.send(type, body, options.headers);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(sequence);
        resolve(undefined);
      }, options.millis);
      this.#waiters.set(sequence, { resolve, timer });
    });
  }

  /** Resolves when the router has read enough for the next large frame, or is gone. */
  async ready(): Promise<void> {
    if (this.#isOpen) await this.underlay('ctrl.default')?.ready();
  }

  /** Resolves when all that was sent is written to its connection, or that is gone. */
  async written(): Promise<void> {
    if (this.#isOpen) await this.underlay('ctrl.default')?.written();
  }

  /**
   * Sends a heartbeat, or ends the connection of a router that left too many without an answer. One that waits
   * behind a large frame does not count while the router reads that: over a slow line this lasts a minute.
   */
  beat(): void {
    const progress = [...this.#underlays.values()].map((underlay) => underlay.measureProgress());
    const isStuck = progress.includes('stuck');
    if (this.#hasAnswered && !isStuck) this.#unanswered = 0;
    else if (progress.includes('draining') && !isStuck) {
      this.#unanswered = Math.min(this.#unanswered, 0);
    }
    this.#hasAnswered = false;
    if (this.#unanswered >= MAX_UNANSWERED) {
      this.end(isStuck ? 'it does not read what is sent to it' : 'it answers no heartbeats');
      return;
    }
    this.#unanswered += 1;
    const now = uint64Value(process.hrtime.bigint());
    this.send(CONTENT.heartbeat, NO_BODY, new Map([[HEADER.heartbeat, now]]));
  }

  /** Ends the connection after what was sent. */
  end(reason?: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const { resolve, timer } of this.#waiters.values()) {
      clearTimeout(timer);
      resolve(undefined);
    }
    this.#waiters.clear();
    this.#waiting.length = 0;
    for (const underlay of this.#underlays.values()) underlay.end();
    this.options.onEnd(reason);
  }

  private attach(type: UnderlayType, underlay: Underlay): void {
    this.#underlays.set(type, underlay);
    underlay.attach({
      onFrame: (frame) => {
        this.dispatch(frame, type);
      },
      onEnd: (fault) => {
        this.lose(type, underlay, fault);
      },
    });
  }

  private lose(type: UnderlayType, underlay: Underlay, fault: string | undefined): void {
    if (!this.#isOpen || this.#underlays.get(type) !== underlay) return;
    this.#underlays.delete(type);
    if (fault !== undefined || this.#underlays.size === 0) this.end(fault);
    else this.options.onLost(type, this.#stateCarriers.has(underlay));
  }

  /** The connection for frames of a priority; while there is none, another one. */
  private underlay(type: UnderlayType): Underlay | undefined {
    const own = this.#underlays.get(type) ?? this.#underlays.get('ctrl.default');
    return own ?? [...this.#underlays.values()][0];
  }

  private sendBy(way: UnderlayType, type: number, body: Body, headers: Headers): number {
    this.#sequence = this.#sequence === LAST_SEQUENCE ? 1 : this.#sequence + 1;
    const frame = { type, sequence: this.#sequence, headers, body };
    const underlay = this.#isOpen ? this.underlay(way) : undefined;
    if (underlay && way !== 'ctrl.high') this.#stateCarriers.add(underlay);
    underlay?.send(frame);
    return this.#sequence;
  }

  private dispatch(frame: Frame, way: UnderlayType): void {
    if (!this.#isOpen) return;
    if (way !== 'ctrl.default') this.#ways.set(frame, way);
    if (frame.headers.has(HEADER.heartbeatAnswer)) this.#hasAnswered = true;
    const heartbeat = frame.headers.get(HEADER.heartbeat);
    if (heartbeat) {
      this.send(CONTENT.heartbeat, NO_BODY, new Map([[HEADER.heartbeatAnswer, heartbeat]]));
    }
    const waiter = this.waiterOf(frame);
    if (waiter) waiter.resolve(frame);
    else if (frame.type === CONTENT.ping || frame.type === CONTENT.latency)
      this.result(frame, true);
    else if (frame.type !== CONTENT.heartbeat) this.enqueue(frame);
  }

  private waiterOf(frame: Frame): Waiter | undefined {
    const sequence = readUint32(frame.headers.get(HEADER.replyFor));
    const waiter = sequence === undefined ? undefined : this.#waiters.get(sequence);
    if (!waiter || sequence === undefined) return undefined;
    clearTimeout(waiter.timer);
    this.#waiters.delete(sequence);
    return waiter;
  }

  private enqueue(frame: Frame): void {
    const handler = this.options.handlers.get(frame.type);
    const most = LISTS.has(frame.type) ? MAX_LIST_BYTES : MAX_BODY_BYTES;
    if (frame.body.length > most) this.fail(new FrameError('it is too long'), frame);
    else if (!handler) this.noteUnknown(frame);
    else if (this.#inWork < MAX_IN_WORK) void this.work({ frame, handler });
    else this.keep({ frame, handler });
  }

  private keep(work: Work): void {
    this.#waiting.push(work);
    this.#waitingBytes += work.frame.body.length;
    const isFull = this.#waiting.length >= MAX_WAITING || this.#waitingBytes >= MAX_WAITING_BYTES;
    if (!isFull || this.#isPaused) return;
    this.#isPaused = true;
    for (const underlay of this.#underlays.values()) underlay.pause();
  }

  private nextWaiting(): Work | undefined {
    const next = this.#waiting.shift();
    this.#waitingBytes -= next?.frame.body.length ?? 0;
    const isHalfEmpty =
      this.#waiting.length <= MAX_WAITING / 2 && this.#waitingBytes <= MAX_WAITING_BYTES / 2;
    if (isHalfEmpty && this.#isPaused) {
      this.#isPaused = false;
      for (const underlay of this.#underlays.values()) underlay.resume();
    }
    return next;
  }

  private noteUnknown(frame: Frame): void {
    this.refuse(frame, 'the controller does not serve this request');
    const { type } = frame;
    if (this.#unknown.has(type) || this.#unknown.size >= MAX_UNKNOWN_TYPES) return;
    this.#unknown.add(type);
    this.options.onUnknown(type);
  }

  private async work(first: Work): Promise<void> {
    this.#inWork += 1;
    for (let next: Work | undefined = first; next; next = this.nextWaiting()) {
      const { frame, handler } = next;
      try {
        await handler(frame);
      } catch (error) {
        this.fail(error, frame);
      }
    }
    this.#inWork -= 1;
  }

  private fail(error: unknown, frame: Frame): void {
    this.refuse(frame, 'this can not be done now');
    this.options.onError(error, frame);
  }

  /** Answers a request that has no answer yet: its router would wait for one until its time is over. */
  private refuse(frame: Frame, text: string): void {
    const refusal = this.#answered.has(frame) ? undefined : refusalOf(frame, text);
    if (refusal) this.answer(frame, refusal.type, refusal.body, refusal.headers);
  }
}

/** A frame with what works on it. */
interface Work {
  readonly frame: Frame;
  readonly handler: FrameHandler;
}
