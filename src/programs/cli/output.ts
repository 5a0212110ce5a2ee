import { EXIT } from './command-error.js';

const closed = new AbortController();

/** Aborted once the reader of the output has gone. */
export const outputClosed: AbortSignal = closed.signal;

/**
 * The reader of a pipe may go when it has enough: `overgraph findings | head -1`. What is written
 * after that is dropped, and the command still ends by itself, with the exit code of its answer: an
 * import is not torn for want of a reader, and `set -o pipefail` sees no failure where none was.
 */
export function tolerateClosedOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    closed.abort();
    if (GONE.has(error.code)) return;
    process.stderr.write(`overgraph: the output can not be written: ${error.message}\n`);
    process.exit(EXIT.fault);
  });
  // There is nowhere left to tell of it.
  process.stderr.on('error', () => undefined);
}

const GONE = new Set<string | undefined>(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);
