import type { Logger } from 'pino';

/** Tells how far a start has come, to find what it waits for. */
export function progress(log: Logger, what: string): void {
  log.debug({ sinceStartMs: Math.round(performance.now()) }, what);
}
