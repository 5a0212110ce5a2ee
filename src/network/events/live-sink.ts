import type { TraceToggleResult } from '../control/index.js';
import type { TogglePipeTracesRequest } from '../messages/index.js';
import type { NetworkEvent } from './network-event.js';
import { intervalsOf, textsFor, type Subscription } from './event-subscription.js';

/** An event for a client that watches, as it is sent. */
export interface LiveEvent {
  /** The type by the name that the WebSocket of the public controller has for it. */
  readonly type: string;
  /** The JSON without a line end. */
  readonly text: string;
}

/** A client that watches events. */
export interface LiveReader {
  /** Resolves when the client has taken the events; rejects when it is gone. */
  readonly deliver: (events: readonly LiveEvent[]) => Promise<void>;
  /** Called once if the controller ends the stream, because the client takes too little. */
  readonly onEnd: () => void;
}

/** A stream of events to a client. */
export interface LiveStream {
  /** Resolves when every process of the controller reports its events. */
  readonly ready: Promise<void>;
  readonly close: () => void;
}

/** Has routers trace the messages of some of their channels, or no more. */
export type ToggleTraces = (toggle: TogglePipeTracesRequest) => Promise<TraceToggleResult>;

/** Opens streams of events, which may be traces of routers. */
export interface LiveEvents {
  readonly open: (subscriptions: readonly Subscription[], reader: LiveReader) => LiveStream;
  readonly toggleTraces: ToggleTraces;
}

/** The events that wait for a client; with more it is disconnected. */
const MAX_WAITING = 10_000;
/** The same for their size in characters. */
const MAX_WAITING_SIZE = 16 * 1024 * 1024;
/** The size of the events that a client gets at once, unless one alone is larger. */
const BATCH_SIZE = 512 * 1024;

/**
 * The events of one client that watches. It gets the events of the whole network from each
 * controller: a stream is no log, where they would stand several times.
 */
export class LiveSink {
  readonly #subscriptions: readonly Subscription[];
  readonly #waiting: LiveEvent[] = [];
  #size = 0;
  #isDelivering = false;
  #isClosed = false;

  constructor(
    subscriptions: readonly Subscription[],
    private readonly controllerId: string,
    private readonly reader: LiveReader,
  ) {
    this.#subscriptions = subscriptions.map((each) => ({ ...each, propagateAlways: true }));
  }

  /** The different intervals of its subscriptions to numbers of entities. */
  get intervals(): number[] {
    return intervalsOf(this.subscriptions('entityCount'));
  }

  /** The subscriptions to a type. */
  subscriptions(type: NetworkEvent['type']): Subscription[] {
    return this.#subscriptions.filter((each) => each.type === type);
  }

  /** Adds an event if the client wants it; this never waits. */
  publish(event: NetworkEvent): void {
    const sender = { controllerId: this.controllerId, speaksForAll: true };
    const type = event.frameType ?? event.type;
    for (const text of textsFor(this.#subscriptions, event, sender)) this.add({ type, text });
  }

  /** Drops the events that wait; later ones have no effect. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#size = 0;
  }

  private add(event: LiveEvent): void {
    if (this.#isClosed) return;
    this.#waiting.push(event);
    this.#size += event.text.length;
    if (this.#waiting.length > MAX_WAITING || this.#size > MAX_WAITING_SIZE) this.end();
    else if (!this.#isDelivering) void this.deliver();
  }

  private async deliver(): Promise<void> {
    this.#isDelivering = true;
    // With the other events of the same change.
    await Promise.resolve();
    try {
      while (this.#waiting.length > 0) await this.reader.deliver(this.nextBatch());
    } catch {
      this.end();
    }
    this.#isDelivering = false;
  }

  private nextBatch(): LiveEvent[] {
    let size = 0;
    let count = 0;
    for (const { text } of this.#waiting) {
      if (count > 0 && size + text.length > BATCH_SIZE) break;
      size += text.length;
      count += 1;
    }
    this.#size -= size;
    return this.#waiting.splice(0, count);
  }

  private end(): void {
    if (this.#isClosed) return;
    this.close();
    this.reader.onEnd();
  }
}
