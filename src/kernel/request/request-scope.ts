import { failure, type ApiError } from '../../base/errors.js';

/*
 * The time limit of a request. Its database statements are cancelled when the time is up or the
 * client has disconnected.
 *
 * The scope goes with the request and its context: `ctx.store` is bound to it. The stores of modules
 * are not, since others depend on their work: reads that several requests share, listeners of a
 * commit, counts of login attempts. An AsyncLocalStorage would need no parameter, but on Node 20 it
 * makes each promise of the process dearer: a poll for service updates costs a third more.
 */

type State = 'open' | 'over' | 'left' | 'ended';

const UNCONFIRMED =
  'what it changes was under way when its time was up; whether it was stored is not known here';
const CARRIED_OUT = 'it was carried out, but its answer took too long';

/**
 * The time of one request. When the time is up, a transaction is rolled back unless its commit has
 * begun; then the request waits for the outcome. Earlier commits are never reported as undone.
 */
export class RequestScope {
  #state: State = 'open';
  #timer: NodeJS.Timeout | undefined;
  #cutListener: ((error: ApiError) => void) | undefined;
  #statements: Set<() => void> | undefined;
  #transactions = 0;
  #hasCommitted = false;
  #isLifted = false;

  /** Without `limitMs`, only the end of the connection ends the scope. */
  constructor(private readonly limitMs?: number) {
    this.startTimer(limitMs);
  }

  /** Gives the result of the work, or rejects when the time is up before. */
  limited<T>(work: Promise<T>): Promise<T> {
    const cut = new Promise<never>((_, reject) => {
      this.whenCut(reject);
    });
    return Promise.race([work, cut]);
  }

  /** Sets the one listener that is called, once, when the request must be answered at once. */
  whenCut(listener: (error: ApiError) => void): void {
    this.#cutListener = listener;
  }

  /** Removes the time limit, for long work such as an import. */
  lift(): void {
    this.#isLifted = true;
    clearTimeout(this.#timer);
  }

  get isLifted(): boolean {
    return this.#isLifted;
  }

  /** Whether the request is neither answered nor given up. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Stops the timer when the answer is ready, since a slow client may take long to receive it. */
  decided(): void {
    this.#cutListener = undefined;
    clearTimeout(this.#timer);
  }

  /** Called when the client has disconnected: cancels reads, but completes writes. */
  clientLeft(): void {
    if (this.#state !== 'open') return;
    this.#state = 'left';
    clearTimeout(this.#timer);
    this.stopReading();
  }

  /** Called when the answer is sent; later work is not limited by the request. */
  end(): void {
    this.decided();
    if (this.#state === 'open') this.#state = 'ended';
  }

  /** Whether a statement may still be sent. */
  get maySend(): boolean {
    if (this.#state === 'over') return this.#hasCommitted && this.#transactions === 0;
    return this.#state !== 'left' || this.isWriting;
  }

  /** Registers a running statement; the caller calls the returned function when it has ended. */
  sent(cancel: () => void): () => void {
    const statements = (this.#statements ??= new Set());
    statements.add(cancel);
    return () => void statements.delete(cancel);
  }

  /**
   * Registers a running transaction; the caller calls the returned function when it has ended.
   * @throws ApiError TIMEOUT
   */
  transaction(): (committed: boolean) => void {
    if (this.#state === 'over' || !this.maySend) throw failure('TIMEOUT');
    this.#transactions += 1;
    return (committed) => {
      this.#transactions -= 1;
      this.#hasCommitted ||= committed;
      if (this.isWriting) return;
      if (this.#state === 'over' || this.#state === 'left') this.stopReading();
    };
  }

  private get isWriting(): boolean {
    return this.#hasCommitted || this.#transactions > 0;
  }

  private startTimer(millis: number | undefined): void {
    if (millis === undefined) return;
    this.#timer = setTimeout(() => {
      if (this.#state === 'over') this.giveUp();
      else this.timeIsUp();
    }, millis);
  }

  private timeIsUp(): void {
    this.#state = 'over';
    // The same time again, for the outcome of a running write.
    this.startTimer(this.limitMs);
    if (this.isWriting) {
      if (this.#transactions > 0) this.cancelStatements();
    } else this.stopReading();
  }

  private giveUp(): void {
    this.cut(failure('TIMEOUT', this.#transactions > 0 ? UNCONFIRMED : CARRIED_OUT));
  }

  private stopReading(): void {
    if (this.isWriting) return;
    this.cancelStatements();
    this.cut(failure('TIMEOUT'));
  }

  private cut(error: ApiError): void {
    const listener = this.#cutListener;
    this.#cutListener = undefined;
    listener?.(error);
  }

  private cancelStatements(): void {
    for (const cancel of this.#statements ?? []) cancel();
  }
}
