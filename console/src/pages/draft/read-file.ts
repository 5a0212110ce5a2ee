import { Failure } from '../../graph/failure.js';
import { texts } from '../../texts.js';
import type { DocumentFault } from './read-document.js';

/** A message of the worker while it reads a file. */
export type ReadingMessage =
  | { readonly is: 'progress'; readonly percent: number }
  | { readonly is: 'empty' }
  | { readonly is: 'read'; readonly json: Blob }
  | { readonly is: 'unreadable'; readonly fault: DocumentFault };

interface Reading {
  readonly signal: AbortSignal;
  readonly progress: (percent: number) => void;
}

/**
 * Reads a file of JSON or YAML as JSON, in a worker, so that the page goes on meanwhile.
 * @throws Failure when it is neither
 */
export function readFile(file: File, { signal, progress }: Reading): Promise<Blob> {
  const worker = new Worker(new URL('./read-file-worker.ts', import.meta.url), { type: 'module' });
  let isBegun = false;
  return new Promise<Blob>((resolve, reject) => {
    const fail = (message: string): void => {
      reject(new Failure({ message }));
    };
    signal.addEventListener('abort', () => {
      fail(texts.draft.file.stopped);
    });
    worker.addEventListener('error', () => {
      // Its code did not come, or the memory did not suffice.
      fail(isBegun ? texts.draft.file.tooMuch(file.name) : texts.failure.code);
    });
    worker.addEventListener('message', ({ data: message }: MessageEvent<ReadingMessage>) => {
      isBegun = true;
      if (message.is === 'progress') progress(message.percent);
      else if (message.is === 'read') resolve(message.json);
      else if (message.is === 'empty') fail(texts.draft.file.empty(file.name));
      else fail(wordsOfFault(file.name, message.fault));
    });
    worker.postMessage(file);
  }).finally(() => {
    worker.terminate();
  });
}

function wordsOfFault(name: string, { reason, line, column }: DocumentFault): string {
  if (reason === undefined) return texts.draft.file.tooMuch(name);
  return texts.draft.file.unreadable(name, reason, line, column);
}
