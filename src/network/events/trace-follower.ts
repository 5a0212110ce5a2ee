import { failure, type ApiError } from '../../base/errors.js';
import { Follower } from '../../base/follower.js';
import type { ChannelTrace } from '../messages/index.js';
import type { LiveEvent, LiveEvents, LiveStream } from './live-sink.js';
import { tracesOfTypes, type TraceTypes } from './trace-events.js';

/** A trace as it comes in an event. */
export type TraceContent = Omit<ChannelTrace, 'decode'> & {
  /** The description of the message, as the text of a JSON object; empty without one. */
  readonly decode: string;
};

export interface TraceFollowerOptions extends TraceTypes {
  readonly liveEvents: LiveEvents;
  /** The routers and links whose traces are wanted; undefined: all. */
  readonly sourceIds: ReadonlySet<string> | undefined;
  readonly onStalled: (error: ApiError) => void;
}

const STALL_MILLIS = 30_000;

/** Follows the messages that routers trace. What waits for the reader is bounded where the events come from. */
export class TraceFollower extends Follower<TraceContent> {
  readonly #stream: LiveStream;
  readonly #waiting: TraceContent[] = [];
  #areRead: () => void = () => undefined;

  constructor(private readonly traces: TraceFollowerOptions) {
    super({ stallMillis: STALL_MILLIS, onStalled: traces.onStalled });
    this.#stream = traces.liveEvents.open([tracesOfTypes(traces)], {
      deliver: (events) => this.receive(events),
      onEnd: () => {
        this.cutOff('too many traces wait');
      },
    });
    this.#stream.ready.catch(() => {
      this.end(failure('UNAVAILABLE'));
    });
  }

  protected nextEvent(): TraceContent | undefined {
    const next = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#areRead();
    return next;
  }

  protected tooSlow(reason: string): ApiError {
    return failure('SUBSCRIBER_TOO_SLOW', reason);
  }

  protected leave(): void {
    this.#stream.close();
    this.#waiting.length = 0;
    this.#areRead();
  }

  /** Resolves when the events are read. */
  private async receive(events: readonly LiveEvent[]): Promise<void> {
    const { sourceIds } = this.traces;
    for (const { text } of events) {
      const trace = JSON.parse(text) as TraceContent;
      if (sourceIds?.has(trace.identity) ?? true) this.#waiting.push(trace);
    }
    if (this.#waiting.length === 0 || this.isEnded()) return;
    await new Promise<void>((resolve) => {
      this.#areRead = resolve;
      this.wake();
    });
  }
}
