import type { Logger } from 'pino';

/** Makes a function that logs a failure of background work, which is tried again. */
export const warn =
  (log: Logger, what: string) =>
  (error: unknown, requestId: string | null = null): void => {
    const request = requestId === null ? {} : { requestId };
    log.warn({ err: error, ...request }, `${what}; it will be tried again`);
  };
