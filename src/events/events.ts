import { streamTarget, type LineTarget } from '../changes/index.js';
import type { EventSinkSettings } from './event-settings.js';
import type { EventType } from './event-types.js';
import { EventQueue } from './event-queue.js';
import { textOfEvent, type NetworkEvent } from './network-event.js';
import { RotatingFile } from './rotating-file.js';
import { isWanted, type Subscription } from './subscription.js';

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

/** Delivers events to the configured sinks. It never makes a producer wait. */
export class Events {
  readonly #sinks: readonly Sink[];
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
    return this.#types.has(type);
  }

  /** Whether any sink wants the events of the whole network of this type from this controller. */
  hasShared(type: EventType): boolean {
    const subscriptions = this.subscriptions(type);
    return subscriptions.some(({ propagateAlways }) => this.speaksForAll || propagateAlways);
  }

  /** The different intervals of the subscriptions to a type. */
  intervals(type: EventType): number[] {
    return [...new Set(this.subscriptions(type).map(({ intervalMillis }) => intervalMillis))];
  }

  publish(event: NetworkEvent): void {
    if (!this.has(event.type)) return;
    for (const { subscriptions, queue, lineEnd } of this.#sinks) {
      const wanting = subscriptions.filter((each) => isWanted(each, event, this.speaksForAll));
      for (const namespace of new Set(wanting.map((each) => each.namespace))) {
        queue.add(`${textOfEvent(event, namespace, this.options.controllerId)}${lineEnd}`);
      }
    }
  }

  /** Writes the events that wait. */
  async stop(): Promise<void> {
    await Promise.all(this.#sinks.map(({ queue }) => queue.stop()));
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
