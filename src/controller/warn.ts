import type { Logger } from 'pino';

/** Tells of what went wrong in the background, where it is tried again anyway. */
export const warn =
  (log: Logger, what: string) =>
  (error: unknown, requestId: string | null = null): void => {
    const request = requestId === null ? {} : { requestId };
    log.warn({ err: error, ...request }, `${what}; it will be tried again`);
  };
