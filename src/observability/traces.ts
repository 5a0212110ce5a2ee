import type { RequestNote } from './request-note.js';
import type { RequestWatcher } from './request-observer.js';

/** Hears of a statement of SQL, without its values; what it gives back is called at the end of it. */
export type StatementWatch = (text: string) => ((isFailed: boolean) => void) | undefined;

/** Spans of requests, and of the statements that they send. */
export interface Traces extends Required<RequestWatcher> {
  /** Runs what a request does, so that its statements are known for its own. */
  run(note: RequestNote, serve: () => void): void;
  readonly statement: StatementWatch;
  /** Sends what was not sent yet. */
  stop(): Promise<void>;
}
