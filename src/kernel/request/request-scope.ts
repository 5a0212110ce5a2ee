import { AsyncLocalStorage } from 'node:async_hooks';
import { failure, type ApiError } from '../../base/errors.js';

/*
 * How long a request may work, carried from the door to the store without being handed on: what
 * the request asks of the database is cancelled when its time is up or its client has gone.
 */

const scopes = new AsyncLocalStorage<RequestScope | undefined>();

/** The request on whose behalf something is done; undefined for work of the controller itself. */
export const currentScope = (): RequestScope | undefined => scopes.getStore();

/** Runs work, and what follows from it, on behalf of a request. */
export const within = <T>(scope: RequestScope, work: () => T): T => scopes.run(scope, work);

/**
 * Runs work that others than the current request depend on: reads that several requests share, what
 * follows from a commit, counts of attempts. It must not end with the request that began it.
 */
export const detached = <T>(work: () => T): T => scopes.run(undefined, work);

type State = 'open' | 'over' | 'left' | 'ended';

const UNCONFIRMED =
  'what it changes was under way when its time was up; whether it was stored is not known here';
const CARRIED_OUT = 'it was carried out, but its answer took too long';

/**
 * The time of one request. A transaction that is not at its commit is rolled back when the time is
 * up; one that is has its outcome told. What was committed before is never taken for undone.
 */
export class RequestScope {
  #state: State = 'open';
  #timer: NodeJS.Timeout | undefined;
  #cut: ((error: ApiError) => void) | undefined;
  #statements: Set<() => void> | undefined;
  #transactions = 0;
  #hasCommitted = false;
  #isLifted = false;

  /** Without a limit only the end of the connection ends it. */
  constructor(private readonly limitMs?: number) {
    this.startTimer(limitMs);
  }

  /** Answers in time: with what the work gives, or with the refusal when the time is up before. */
  limited<T>(work: Promise<T>): Promise<T> {
    const cut = new Promise<never>((_, reject) => {
      this.whenCut(reject);
    });
    return Promise.race([work, cut]);
  }

  /** Hears when the request is to be answered without waiting any longer; once, and one at a time. */
  whenCut(hear: (error: ApiError) => void): void {
    this.#cut = hear;
  }

  /** For work that takes its time, such as an import. */
  lift(): void {
    this.#isLifted = true;
    clearTimeout(this.#timer);
  }

  get isLifted(): boolean {
    return this.#isLifted;
  }

  /** Neither answered nor given up. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Nothing is left but to send the answer, at the pace of who takes it. */
  decided(): void {
    this.#cut = undefined;
    clearTimeout(this.#timer);
  }

  /** The client has gone: what it wanted to read is not read any more, what it changes is. */
  clientLeft(): void {
    if (this.#state !== 'open') return;
    this.#state = 'left';
    clearTimeout(this.#timer);
    this.stopReading();
  }

  /** The answer is out; what goes on behind it is not bound by the request. */
  end(): void {
    this.decided();
    if (this.#state === 'open') this.#state = 'ended';
  }

  /** Whether a statement may still be sent. */
  get maySend(): boolean {
    if (this.#state === 'over') return this.#hasCommitted && this.#transactions === 0;
    return this.#state !== 'left' || this.isWriting;
  }

  /** A statement is under way; the function returned is to be called when it has ended. */
  sent(cancel: () => void): () => void {
    const statements = (this.#statements ??= new Set());
    statements.add(cancel);
    return () => void statements.delete(cancel);
  }

  /**
   * A transaction begins; the function returned is to be called when it has ended.
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
    // As long again for the outcome of what is being written.
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
    const hear = this.#cut;
    this.#cut = undefined;
    hear?.(error);
  }

  private cancelStatements(): void {
    for (const cancel of this.#statements ?? []) cancel();
  }
}
