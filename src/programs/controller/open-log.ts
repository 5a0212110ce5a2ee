import { pino, type Logger } from 'pino';
import type { Config } from '../configuration.js';

/**
 * Opens the log of a process, which writes lines of JSON to the standard output; the base stands in
 * each of them.
 */
export const openLog = (
  { logLevel }: Pick<Config, 'logLevel'>,
  base: Readonly<Record<string, unknown>> | null = null,
): Logger => pino({ level: logLevel, base, redact: ['*.password', '*.token'] });
