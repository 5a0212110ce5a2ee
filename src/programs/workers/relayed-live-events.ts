import { failure } from '../../base/errors.js';
import type { TraceToggleResult } from '../../network/control/index.js';
import type {
  LiveEvents,
  LiveReader,
  LiveStream,
  Subscription,
  ToggleTraces,
} from '../../network/events/index.js';
import type { Channel } from './channel.js';
import type { LiveBatch, ToFirst, ToWorker } from './messages.js';

const OPEN_MILLIS = 5_000;
/** Longer than the first process waits for routers. */
const TOGGLE_MILLIS = 4_500;
/** Longer than a worker waits for its client. */
const TAKE_MILLIS = 40_000;

/** Streams of events to clients of a worker: the first process makes the events and sends them. */
export class RelayedLiveEvents implements LiveEvents {
  readonly #readers = new Map<number, LiveReader>();
  #lastId = 0;

  constructor(private readonly channel: Pick<Channel<ToFirst, ToWorker>, 'ask' | 'tell'>) {}

  readonly open = (subscriptions: readonly Subscription[], reader: LiveReader): LiveStream => {
    const id = (this.#lastId += 1);
    this.#readers.set(id, reader);
    const opened = this.channel.ask('openStream', { id, subscriptions }, OPEN_MILLIS);
    return {
      ready: opened.then((isOpen) => {
        if (isOpen !== true) throw failure('UNAVAILABLE');
      }),
      close: () => {
        if (this.#readers.delete(id)) this.channel.tell('closeStream', { id });
      },
    };
  };

  readonly toggleTraces: ToggleTraces = async (toggle) =>
    (await this.channel.ask('toggleTraces', toggle, TOGGLE_MILLIS)) ?? NOT_TOGGLED;

  /** Resolves with true when the client has taken the events; with false when it is gone. */
  async deliver({ id, events }: LiveBatch): Promise<boolean> {
    const reader = this.#readers.get(id);
    if (!reader) return false;
    await reader.deliver(events);
    return true;
  }

  /** The first process has ended a stream. */
  ended(id: number): void {
    const reader = this.#readers.get(id);
    this.#readers.delete(id);
    reader?.onEnd();
  }
}

/** The result while the first process does not answer. */
export const NOT_TOGGLED: TraceToggleResult = {
  isSuccess: false,
  text: 'the controller did not answer in time\n',
};

/** The streams of one worker, in the first process. */
export class StreamsOfWorker {
  readonly #streams = new Map<number, LiveStream>();
  #hasEnded = false;

  constructor(
    private readonly channel: () => Pick<Channel<ToWorker, ToFirst>, 'ask' | 'tell'>,
    private readonly events: () => LiveEvents | undefined,
  ) {}

  /** Resolves with true when every process reports its events. */
  async open(id: number, subscriptions: readonly Subscription[]): Promise<boolean> {
    // A message can arrive after the end of its worker.
    if (this.#hasEnded) return false;
    const stream = this.events()?.open(subscriptions, {
      deliver: async (events) => {
        const isTaken = await this.channel().ask('events', { id, events }, TAKE_MILLIS);
        if (isTaken !== true) throw failure('SUBSCRIBER_TOO_SLOW');
      },
      onEnd: () => {
        this.#streams.delete(id);
        this.channel().tell('streamEnded', { id });
      },
    });
    if (!stream) return false;
    this.#streams.set(id, stream);
    await stream.ready;
    return true;
  }

  close(id: number): void {
    this.#streams.get(id)?.close();
    this.#streams.delete(id);
  }

  /** The worker has ended. */
  closeAll(): void {
    this.#hasEnded = true;
    for (const id of [...this.#streams.keys()]) this.close(id);
  }
}
