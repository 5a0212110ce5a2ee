import {
  WatchAccess,
  WatchChanges,
  type WatchAccessResult,
  type WatchChangesResult,
} from '../emitted/operations.js';
import { Client } from './client.js';
import type { Run } from './command.js';
import { usageError } from './command-error.js';
import { connectionOf, type Environment } from './controller-connection.js';
import { Follower, type Followed } from './follow.js';
import type { CommandLine } from './options.js';
import { outputClosed } from './output.js';
import { limitOf } from './read-pages.js';
import { accessLine, changeLine } from './watch-lines.js';

/** The subscriptions to watch, each with the values and the line of an event. */
interface Watched<Event> extends Followed<Event> {
  readonly valuesOf: (event: Event) => object;
  readonly line: (event: Event) => string;
}

const ACCESS: Watched<WatchAccessResult> = {
  operation: WatchAccess,
  cursorOf: ({ accessChanges }) => accessChanges.changeId,
  valuesOf: ({ accessChanges }) => accessChanges,
  line: accessLine,
};

const CHANGES: Watched<WatchChangesResult> = {
  operation: WatchChanges,
  cursorOf: ({ changes }) => changes.id,
  valuesOf: ({ changes }) => changes,
  line: changeLine,
};

/** `overgraph watch` */
export const watchCommand: Run = (line, env) =>
  line.options.changes ? watch(CHANGES, line, env) : watch(ACCESS, line, env);

async function watch<Event>(
  watched: Watched<Event>,
  { operands, options }: CommandLine,
  env: Environment,
): Promise<void> {
  if (operands.length > 0) throw usageError('watch takes no operands');
  const limit = limitOf(options) ?? Infinity;
  const connection = await connectionOf(options, env);
  const follower = new Follower(watched, {
    login: () => Client.login(connection),
    since: options.since,
    signal: AbortSignal.any([interrupted(), outputClosed]),
    onNotice: (text) => {
      console.error(`overgraph: ${text}`);
    },
  });
  let count = 0;
  for await (const event of follower.events()) {
    console.log(options.json ? JSON.stringify(watched.valuesOf(event)) : watched.line(event));
    count += 1;
    if (count >= limit) return;
  }
}

/** Aborted at the first interrupt; a second one ends the process as it stands. */
function interrupted(): AbortSignal {
  const interrupt = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) {
    process.once(name, () => {
      interrupt.abort();
    });
  }
  return interrupt.signal;
}
