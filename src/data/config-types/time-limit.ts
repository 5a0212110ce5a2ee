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

/** A second attempt on a busy machine has so much more time. */
const MORE_TIME = 5;
/** The machine is busy if the process had less than this share of the time on a processor. */
const BUSY_SHARE = 1 / 2;

/** Milliseconds of processor time of this process. */
function processorMillis(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Runs a synchronous task and interrupts it after `milliseconds`, even inside a regular expression: a
 * pattern of a user may backtrack endlessly, and all requests share one thread. If other programs had
 * the processor for most of that time, it runs the task once more with a longer limit, so that valid
 * data is not refused for the load of the machine.
 */
export function withinTime(
  milliseconds: number,
  task: () => void,
  usedMillis: () => number = processorMillis,
): void {
  box.task = task;
  const before = usedMillis();
  if (isDone(milliseconds)) return;
  const isBusy = usedMillis() - before < milliseconds * BUSY_SHARE;
  if (isBusy && isDone(milliseconds * MORE_TIME)) return;
  throw new TimeLimitExceeded(`not done in ${String(milliseconds)} ms`);
}

/** Runs the task; false if it was interrupted. */
function isDone(milliseconds: number): boolean {
  try {
    run.runInContext(context, { timeout: milliseconds });
    return true;
  } catch (error) {
    if (isTimeout(error)) return false;
    throw error;
  }
}
