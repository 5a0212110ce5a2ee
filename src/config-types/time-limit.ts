import { createContext, Script } from 'node:vm';

const box: { task: () => void } = { task: () => undefined };
const context = createContext(box);
const run = new Script('task()');

/** Thrown by `withinTime` when the task exceeded the time. */
export class TimeLimitExceeded extends Error {}

/** Compares only the code: the error may belong to another realm than this module's `Error`. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Runs a synchronous task and interrupts it after `milliseconds`, even inside a regular expression: a
 * pattern of a user may backtrack endlessly, and all requests share one thread.
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
