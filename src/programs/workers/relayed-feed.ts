import type { Cursor, LoggedChange } from '../../kernel/request/store-port.js';
import type { Feed } from '../../data/store/change-feed.js';

/** A worker is not told where the log ends. */
type Receiver = (changes: readonly LoggedChange[], isEnd: boolean) => void;

/** The change feed of a worker: the first process reads the log and sends the changes. */
export class RelayedFeed implements Feed {
  #position: Cursor;
  #isStarted = false;
  /** Changes from before the start. */
  #waiting: LoggedChange[] = [];
  #silence = { millis: 0, at: performance.now() };

  #deliver: Receiver = () => undefined;

  constructor(start: Cursor) {
    this.#position = start;
  }

  /** Sets the receiver of the changes. */
  deliverTo(receiver: Receiver): void {
    this.#deliver = receiver;
  }

  get position(): Cursor {
    return this.#position;
  }

  get silenceMillis(): number {
    return this.#silence.millis + performance.now() - this.#silence.at;
  }

  start(): Promise<void> {
    this.#isStarted = true;
    this.receive(this.#waiting.splice(0));
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#isStarted = false;
    return Promise.resolve();
  }

  /** Delivers changes that the first process has read. */
  receive(changes: readonly LoggedChange[]): void {
    if (!this.#isStarted) {
      this.#waiting.push(...changes);
      return;
    }
    const last = changes.at(-1);
    if (!last) return;
    this.#deliver(changes, false);
    this.#position = last.cursor;
  }

  /** Records how long ago the first process read the log to its end. */
  heard(silenceMillis: number): void {
    this.#silence = { millis: silenceMillis, at: performance.now() };
  }
}
