import type { RequestNote } from './request-note.js';
import type { RequestWatcher } from './request-observer.js';

/**
 * Called with the text of an SQL statement, without values; its result is called at the end of the
 * statement.
 */
export type StatementWatch = (text: string) => ((isFailed: boolean) => void) | undefined;

/** Records spans of requests and of their statements. */
export interface Traces extends Required<RequestWatcher> {
  /** Runs the work of a request, so that its statements belong to its span. */
  run(note: RequestNote, serve: () => void): void;
  readonly statement: StatementWatch;
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}
