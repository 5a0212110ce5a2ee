import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Postmaster } from './postmaster.js';

/** PostgreSQL's names of its shutdown modes, the gentle one first. */
const MODES = { SIGINT: 'fast', SIGQUIT: 'immediate' } as const;
type Shutdown = keyof typeof MODES;

const PATIENCE_MS = 10_000;

interface Site {
  readonly binaries: { readonly pgCtl: string };
  readonly home: { readonly cluster: string };
  readonly log: { warn(message: string): void };
}

/** Ends a server and rolls back open transactions; logs a warning if the server does not end. */
export async function endPostmaster(postmaster: Postmaster, site: Site): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    await send(signal, postmaster.pid, site);
    const patience = new AbortController();
    const ended = await Promise.race([
      postmaster.ended.then(() => true),
      delay(PATIENCE_MS, false, { signal: patience.signal }),
    ]);
    patience.abort();
    if (ended) return;
    site.log.warn(`the embedded PostgreSQL does not end on ${signal}`);
  }
}

/** Sends a shutdown signal. On Windows, which has no signals, `pg_ctl` does so. */
async function send(signal: Shutdown, pid: number, { binaries, home, log }: Site): Promise<void> {
  try {
    if (process.platform !== 'win32') process.kill(pid, signal);
    else {
      const args = ['stop', '-W', '-D', home.cluster, '-m', MODES[signal]];
      await promisify(execFile)(binaries.pgCtl, args);
    }
  } catch (error) {
    log.warn(`the embedded PostgreSQL took no ${signal} (${String(error)})`);
  }
}
