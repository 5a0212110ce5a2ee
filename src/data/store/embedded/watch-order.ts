import { join } from 'node:path';

/**
 * The only argument of a watch process, as JSON. A controller of the release before may have written
 * it: a new member is optional.
 */
export interface WatchOrder {
  /** The directory of the embedded server, and its cluster. */
  readonly home: string;
  readonly cluster: string;
  readonly pgCtl: string;
  /** The id of this watch. */
  readonly token: string;
  /** Time that a server without a controller waits for another one. */
  readonly adoptionMs: number;
}

/** The file with the token of the newest watch. */
export const watchFile = (home: string): string => join(home, 'watch');
