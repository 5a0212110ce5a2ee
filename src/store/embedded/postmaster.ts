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
  /** Settles when it has ended, with how ("signal SIGKILL"). */
  readonly ended: Promise<string>;
}

export const startLog = (home: Home): string => join(home.path, 'start.log');

/** For a small server beside its only client; each can be overridden at the call. */
const SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '128MB',
  max_connections: '60',
  max_wal_size: '512MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // One file for each day of the week, overwritten a week later.
  logging_collector: 'on',
  log_filename: 'postgres-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_truncate_on_rotation: 'on',
};

/**
 * A crashed server makes sure that its files are on disk before it replays its log. File by file,
 * which is the default, that takes seconds at best and a minute on a busy disk; Linux can do it for
 * the file system as a whole, and tells of faults of the disk then since 5.8.
 */
export function crashSettings(system: string, kernel: string): Record<string, string> {
  const [major = 0, minor = 0] = kernel.split('.').map(Number.parseFloat);
  const reportsFaults = major > 5 || (major === 5 && minor >= 8);
  return system === 'linux' && reportsFaults ? { recovery_init_sync_method: 'syncfs' } : {};
}

/**
 * Starts a server. It leads a process group of its own: an interrupt typed at the terminal
 * reaches the controller, which still needs its database until it has drained.
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
  // Only what is said before the log files are open arrives here. The old file may be another
  // account's.
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

/** What a server that was just started has said, there and in the log files. */
export async function saidBy(home: Home, pid: number): Promise<string> {
  const first = await readFile(startLog(home), 'utf8').catch(() => '');
  const current = await readFile(join(home.cluster, 'current_logfiles'), 'utf8').catch(() => '');
  const path = /^stderr (.+)$/m.exec(current)?.[1];
  if (path === undefined) return first;
  const log = await readFile(resolve(home.cluster, path), 'utf8').catch(() => '');
  const begin = log.lastIndexOf(`[${pid}] LOG:  starting PostgreSQL`);
  return begin < 0 ? first : first + log.slice(begin);
}

/** Elsewhere each look starts a program. */
const POLL_MS = process.platform === 'linux' ? 100 : 500;

/** A server that is not our child: its end can only be seen by looking. */
export function follow(pid: number): Postmaster {
  const began = startOfProcess(pid);
  const ended = new Promise<string>((settle) => {
    const timer = setInterval(() => {
      void Promise.all([began, startOfProcess(pid)]).then(([before, now]) => {
        if (now !== undefined && now === before) return;
        clearInterval(timer);
        settle('no longer running');
      });
    }, POLL_MS);
    timer.unref();
  });
  return { pid, ended };
}
