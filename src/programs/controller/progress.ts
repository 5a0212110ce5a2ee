import type { Logger } from 'pino';

/** Logs the progress of a start, to find slow steps. */
export function progress(log: Logger, what: string): void {
  log.debug({ sinceStartMs: Math.round(performance.now()) }, what);
}
