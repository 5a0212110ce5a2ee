import { join } from 'node:path';

/** What a watch over an embedded server is told, as JSON, in its only argument. */
export interface WatchOrder {
  /** The directory of the embedded server, and its cluster. */
  readonly home: string;
  readonly cluster: string;
  readonly pgCtl: string;
  /** Names this watch. */
  readonly token: string;
  /** How long a server without a controller is left for another one. */
  readonly adoptionMs: number;
}

/** Holds the token of the newest watch. */
export const watchFile = (home: string): string => join(home, 'watch');
