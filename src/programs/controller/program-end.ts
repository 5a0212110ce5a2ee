import type { Logger } from 'pino';
import { StartError } from '../../base/start-error.js';
import { faultRecord } from './fault-record.js';
import { isOver, OrderedStop } from './ordered-stop.js';

/** A stop waits at most so long for an unfinished start. */
const START_MS = 30_000;

const UNCAUGHT = 'an unexpected error: this process stops';
const UNAWAITED = 'a promise without a handler failed';

const say = (line: string): void => {
  process.stderr.write(`overgraph: ${line}\n`);
};

/** The end of a process of the program: in order, and with an exit code that reports a failure. */
export class ProgramEnd {
  readonly steps = new OrderedStop((line) => {
    say(`while stopping: ${line}`);
  });
  /** Set once the configuration has the log level. */
  log: Logger | undefined;
  #starting: Promise<unknown> = Promise.resolve();
  #isStopping = false;

  /** Handles faults from now on: those of the start, and those that nothing else handles. */
  watch(starting: Promise<void>): void {
    // After an uncaught exception, the state of the process is unknown.
    process.on('uncaughtException', (fault) => {
      process.exitCode = 1;
      this.logFault('fatal', fault, UNCAUGHT);
      this.stop();
    });
    // The error belongs to one request or one round of upkeep, so the process continues.
    process.on('unhandledRejection', (fault) => {
      this.logFault('error', fault, UNAWAITED);
    });
    this.#starting = starting.catch((error: unknown) => {
      process.exitCode = 1;
      if (error instanceof StartError) process.stderr.write(`${error.message}\n`);
      else say(String((error as Error).stack));
      this.stop();
    });
  }

  /** Ends in order, with the exit code that was set. */
  stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    void isOver(this.#starting, START_MS)
      .then(() => this.steps.run())
      .then(() => process.exit());
  }

  /** Ends in order, with an exit code that reports a failure. */
  fail(reason: string): void {
    this.log?.fatal(reason);
    process.exitCode = 1;
    this.stop();
  }

  private logFault(level: 'fatal' | 'error', fault: unknown, message: string): void {
    const { log } = this;
    if (log) {
      log[level]({ fault: faultRecord(fault) }, message);
      log.debug({ err: fault }, 'the fault with its message');
    } else say(`${message}: ${JSON.stringify(faultRecord(fault))}`);
  }
}
