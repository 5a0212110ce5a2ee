import type { LineTarget } from '../../data/changes/index.js';

interface EventQueueOptions {
  readonly target: LineTarget;
  /** The number of lines that may wait. */
  readonly most: number;
  /** Called with the number of lines that were dropped since the last call. */
  readonly onDropped: (count: number) => void;
  /** Called with the first failure after a success. */
  readonly onFault: (error: unknown) => void;
  /** The pause after a failure. */
  readonly pauseMillis?: number;
  /** The least time between two reports of dropped lines. */
  readonly reportMillis?: number;
}

const MAX_BYTES = 64 * 1024 * 1024;
const PAUSE_MILLIS = 1_000;
const REPORT_MILLIS = 10_000;
/** Lines of one write. */
const SLICE = 500;
/** A target that does not take lines does not delay the stop of the controller for longer. */
const STOP_MILLIS = 2_000;

/**
 * Lines that wait for a target. Adding a line never waits: when the queue is full, the line is
 * dropped. A target that fails gets the same lines again after a pause.
 */
export class EventQueue {
  readonly #lines: string[] = [];
  #size = 0;
  #dropped = 0;
  #isFaulty = false;
  #isStopping = false;
  #writing: Promise<void> | undefined;
  #report: NodeJS.Timeout | undefined;
  #endPause: () => void = () => undefined;

  constructor(private readonly options: EventQueueOptions) {}

  /** Adds a line; after the stop it has no effect. */
  add(line: string): void {
    if (this.#isStopping) return;
    if (this.#lines.length >= this.options.most || this.#size + line.length > MAX_BYTES) {
      this.drop();
      return;
    }
    this.#lines.push(line);
    this.#size += line.length;
    this.#writing ??= this.writeAll();
  }

  /** Writes the lines that wait, unless that takes too long. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#endPause();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MILLIS);
    });
    await Promise.race([this.#writing, timeout]);
    clearTimeout(timer);
    this.#dropped += this.#lines.length;
    this.reportDropped();
    void this.options.target.close();
  }

  private async writeAll(): Promise<void> {
    while (this.#lines.length > 0) {
      const lines = this.#lines.slice(0, SLICE);
      try {
        await this.options.target.write(lines.join(''));
        this.#isFaulty = false;
        this.#lines.splice(0, lines.length);
        for (const line of lines) this.#size -= line.length;
      } catch (error) {
        if (!this.#isFaulty) this.options.onFault(error);
        this.#isFaulty = true;
        if (this.#isStopping) break;
        await this.pause();
      }
    }
    this.#writing = undefined;
  }

  private async pause(): Promise<void> {
    const { pauseMillis = PAUSE_MILLIS } = this.options;
    await new Promise<void>((resolve) => {
      this.#endPause = resolve;
      setTimeout(resolve, pauseMillis).unref();
    });
  }

  private drop(): void {
    this.#dropped += 1;
    const { reportMillis = REPORT_MILLIS } = this.options;
    this.#report ??= setTimeout(() => {
      this.reportDropped();
    }, reportMillis).unref();
  }

  private reportDropped(): void {
    clearTimeout(this.#report);
    this.#report = undefined;
    if (this.#dropped > 0) this.options.onDropped(this.#dropped);
    this.#dropped = 0;
  }
}
