import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { release } from 'node:os';
import { join, resolve } from 'node:path';
import type { Binaries } from './binaries.js';
import { listenSettings, type Endpoint } from './endpoint.js';
import { environment } from './environment.js';
import type { Home } from './home.js';
import { startOfProcess } from './process-info.js';

/** A running server. */
export interface Postmaster {
  readonly pid: number;
  /** Settles with the reason when the server has ended ("signal SIGKILL"). */
  readonly ended: Promise<string>;
}

export const startLog = (home: Home): string => join(home.path, 'start.log');

/** Settings for a small server beside its only client; the caller can override each. */
const SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '128MB',
  max_connections: '60',
  max_wal_size: '512MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // One file for each day of the week, overwritten a week later.
  logging_collector: 'on',
  log_filename: 'postgres-%a.log',
  // With the process and the code of each message.
  log_line_prefix: '%m [%p] %e ',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_truncate_on_rotation: 'on',
};

/**
 * Makes the start after a crash faster. A crashed server syncs its files to disk before it replays
 * its log. By default it syncs file by file, which takes seconds, or a minute on a busy disk. Linux
 * can sync the whole file system, and reports disk faults of it since 5.8.
 */
export function crashSettings(system: string, kernel: string): Record<string, string> {
  const [major = 0, minor = 0] = kernel.split('.').map(Number.parseFloat);
  const reportsFaults = major > 5 || (major === 5 && minor >= 8);
  return system === 'linux' && reportsFaults ? { recovery_init_sync_method: 'syncfs' } : {};
}

/**
 * Starts a server in its own process group: an interrupt at the terminal reaches only the
 * controller, which needs its database until it has drained.
 */
export async function launch(
  home: Home,
  binaries: Binaries,
  endpoint: Endpoint,
  overrides: Readonly<Record<string, string>>,
): Promise<Postmaster> {
  const settings = {
    ...SETTINGS,
    ...crashSettings(process.platform, release()),
    log_directory: home.log,
    ...overrides,
    ...listenSettings(endpoint),
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // Gets only messages from before the log files are open. The old file may belong to another
  // account.
  await rm(startLog(home), { force: true });
  const output = openSync(startLog(home), 'w', 0o600);
  try {
    const child = spawn(binaries.postgres, ['-D', home.cluster, ...args], {
      ...home.account,
      ...environment(),
      cwd: home.path,
      detached: true,
      windowsHide: true,
      stdio: ['ignore', output, output],
    });
    const ended = new Promise<string>((settle) => {
      child.once('exit', (code, signal) => {
        settle(signal === null ? `exit code ${code ?? '?'}` : `signal ${signal}`);
      });
    });
    await once(child, 'spawn');
    return { pid: child.pid ?? 0, ended };
  } finally {
    closeSync(output);
  }
}

/** The messages of a server that was just started, from the start log and the log files. */
export async function outputOf(home: Home, pid: number): Promise<string> {
  const first = await readFile(startLog(home), 'utf8').catch(() => '');
  const current = await readFile(join(home.cluster, 'current_logfiles'), 'utf8').catch(() => '');
  const path = /^stderr (.+)$/m.exec(current)?.[1];
  if (path === undefined) return first;
  const log = await readFile(resolve(home.cluster, path), 'utf8').catch(() => '');
  const begin = log.lastIndexOf(`[${pid}] 00000 LOG:  starting PostgreSQL`);
  return begin < 0 ? first : first + log.slice(begin);
}

/** Longer on other systems, where each check starts a program. */
const POLL_MS = process.platform === 'linux' ? 100 : 500;

/** Watches a server that is not a child process, by polling. */
export function follow(pid: number): Postmaster {
  const startBefore = startOfProcess(pid);
  const ended = new Promise<string>((settle) => {
    const timer = setInterval(() => {
      void Promise.all([startBefore, startOfProcess(pid)]).then(([before, now]) => {
        if (now !== undefined && now === before) return;
        clearInterval(timer);
        settle('no longer running');
      });
    }, POLL_MS);
    timer.unref();
  });
  return { pid, ended };
}
