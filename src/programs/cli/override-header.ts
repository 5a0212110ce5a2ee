import { usageError } from './command-error.js';
import type { Options } from './options.js';

/** The header with the reason why the caller overrides access rules; none without the option. */
export function overrideHeader(options: Options): Record<string, string> {
  const reason = options['override-reason'];
  if (reason === undefined) return {};
  if (reason.trim() === '' || /\p{Cc}/u.test(reason)) {
    throw usageError('--override-reason must be a line of text');
  }
  // The header is UTF-8, and Node writes each letter of a header as one byte.
  return { 'overgraph-override-reason': Buffer.from(reason).toString('latin1') };
}
