import { streamTarget, type LineTarget } from '../../data/changes/index.js';
import type { EventSinkSettings } from './event-settings.js';
import type { EventType } from './event-types.js';
import { EventQueue } from './event-queue.js';
import { LiveSink, type LiveReader } from './live-sink.js';
import type { NetworkEvent } from './network-event.js';
import { RotatingFile } from './rotating-file.js';
import { intervalsOf, textsFor, type Subscription } from './event-subscription.js';

export interface EventsOptions {
  readonly settings: readonly EventSinkSettings[];
  /** The id of this controller, for `event_src_id`. */
  readonly controllerId: string;
  readonly onDropped: (sink: string, count: number) => void;
  readonly onFault: (sink: string, error: unknown) => void;
  /** Opens the target of a sink; files and standard output by default. */
  readonly open?: (settings: EventSinkSettings) => LineTarget;
}

interface Sink {
  readonly subscriptions: readonly Subscription[];
  readonly lineEnd: string;
  readonly queue: EventQueue;
}

/** Delivers events to the configured sinks and to clients. It never makes a producer wait. */
export class Events {
  readonly #sinks: readonly Sink[];
  readonly #live = new Set<LiveSink>();
  readonly #types: ReadonlySet<EventType>;
  /** Whether this controller delivers the events of the whole network. */
  speaksForAll = false;

  constructor(private readonly options: EventsOptions) {
    const { settings } = options;
    this.#sinks = settings.map((sink) => this.sinkOf(sink));
    this.#types = new Set(
      settings.flatMap(({ subscriptions }) => subscriptions.map(({ type }) => type)),
    );
  }

  /** Whether any sink has subscribed to a type; else nobody need make its events. */
  has(type: EventType): boolean {
    return this.#types.has(type) || this.liveSubscriptions(type).length > 0;
  }

  /** Whether any sink wants the events of the whole network of this type from this controller. */
  hasShared(type: EventType): boolean {
    const subscriptions = [...this.subscriptions(type), ...this.liveSubscriptions(type)];
    return subscriptions.some(({ propagateAlways }) => this.speaksForAll || propagateAlways);
  }

  /** The different intervals of the subscriptions of configured sinks to a type. */
  intervals(type: EventType): number[] {
    return intervalsOf(this.subscriptions(type));
  }

  /** Opens a sink for a client. */
  open(subscriptions: readonly Subscription[], reader: LiveReader): LiveSink {
    const sink = new LiveSink(subscriptions, this.options.controllerId, reader);
    this.#live.add(sink);
    return sink;
  }

  close(sink: LiveSink): void {
    sink.close();
    this.#live.delete(sink);
  }

  publish(event: NetworkEvent): void {
    if (!this.has(event.type)) return;
    const { controllerId } = this.options;
    const sender = { controllerId, speaksForAll: this.speaksForAll };
    for (const { subscriptions, queue, lineEnd } of this.#sinks) {
      for (const text of textsFor(subscriptions, event, sender)) queue.add(`${text}${lineEnd}`);
    }
    // Events at an interval come to a client by its own clock.
    if (event.intervalMillis !== undefined) return;
    for (const sink of this.#live) sink.publish(event);
  }

  /** Writes the events that wait, and ends the sinks of clients. */
  async stop(): Promise<void> {
    for (const sink of this.#live) this.close(sink);
    await Promise.all(this.#sinks.map(({ queue }) => queue.stop()));
  }

  private liveSubscriptions(type: EventType): Subscription[] {
    return [...this.#live].flatMap((sink) => sink.subscriptions(type));
  }

  private subscriptions(type: EventType): Subscription[] {
    return this.#sinks.flatMap((sink) => sink.subscriptions.filter((each) => each.type === type));
  }

  private sinkOf(settings: EventSinkSettings): Sink {
    const { onDropped, onFault, open = openTarget } = this.options;
    const { name, subscriptions, lineEnd, bufferSize } = settings;
    const queue = new EventQueue({
      target: open(settings),
      most: bufferSize,
      onDropped: (count) => {
        onDropped(name, count);
      },
      onFault: (error) => {
        onFault(name, error);
      },
    });
    return { subscriptions, lineEnd, queue };
  }
}

const openTarget = ({ target }: EventSinkSettings): LineTarget =>
  target === 'stdout' ? streamTarget(process.stdout) : new RotatingFile(target);
