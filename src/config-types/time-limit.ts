import { createContext, Script } from 'node:vm';

const box: { task: () => void } = { task: () => undefined };
const context = createContext(box);
const run = new Script('task()');

/** Thrown by `withinTime` when the task was cut off. */
export class TimeLimitExceeded extends Error {}

/** Asks for the code only: the error may belong to another realm than this module's `Error`. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Runs a synchronous task and interrupts it after `milliseconds`, even inside a regular expression:
 * a pattern written by a user may backtrack for ever, and there is one thread for everybody.
 */
export function withinTime(milliseconds: number, task: () => void): void {
  box.task = task;
  try {
    run.runInContext(context, { timeout: milliseconds });
  } catch (error) {
    throw isTimeout(error)
      ? new TimeLimitExceeded(`not done in ${String(milliseconds)} ms`)
      : error;
  }
}
