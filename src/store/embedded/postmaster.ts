import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import pg from 'pg';
import type { Binaries } from './binaries.js';
import { listenSettings, SOCKET_PORT, urlOf, type Endpoint } from './endpoint.js';
import { environment } from './environment.js';
import type { Home } from './home.js';
import { isRunning, programOf, startOfProcess } from './process-info.js';

/** A running server. */
export interface Postmaster {
  readonly pid: number;
  /** Settles when it has ended, with how ("signal SIGKILL"). */
  readonly ended: Promise<string>;
}

/** What a `postmaster.pid` tells of a process that may be the server of this cluster. */
export interface PidFile {
  readonly pid: number;
  readonly port: number;
  /** Empty while it starts. */
  readonly socketDirectory: string;
}

/** Undefined when there is none or it is not complete yet. */
export async function readPidFile(home: Home): Promise<PidFile | undefined> {
  const text = await readFile(join(home.cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  // Lines: pid, data directory, start time, port, socket directory, listen address, ...
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid < 2) return undefined;
  return { pid, port: Number(lines[3]), socketDirectory: lines[4] ?? '' };
}

/**
 * Removes the marks of a server whose process is surely not a PostgreSQL: its number was given to
 * another program, or it is a zombie. PostgreSQL itself would take both for a running server. Its
 * check of the cluster's shared memory does not need these files.
 */
export async function removeStaleFiles(home: Home, file: PidFile): Promise<boolean> {
  const program = await programOf(file.pid);
  if (program === undefined || (program === 'postgres' && (await isRunning(file.pid))))
    return false;
  if (isAbsolute(file.socketDirectory)) {
    const socket = join(file.socketDirectory, `.s.PGSQL.${SOCKET_PORT}`);
    for (const path of [socket, `${socket}.lock`]) await rm(path, { force: true });
  }
  await rm(join(home.cluster, 'postmaster.pid'), { force: true });
  return true;
}

export type Answer = 'ready' | 'starting' | 'none';

/** Whether the server of this very cluster answers at an endpoint. */
export async function ask(home: Home, endpoint: Endpoint): Promise<Answer> {
  const client = new pg.Client({
    connectionString: urlOf(endpoint, 'postgres'),
    connectionTimeoutMillis: 2000,
    query_timeout: 2000,
  });
  // A server that goes away between two answers must not end this process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    return resolve(rows[0]?.data_directory ?? '') === home.cluster ? 'ready' : 'none';
  } catch (error) {
    return answerIn(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const CANNOT_CONNECT_NOW = '57P03';
const TOO_MANY_CONNECTIONS = '53300';

function answerIn(error: unknown): Answer {
  if (!(error instanceof pg.DatabaseError)) return 'none';
  if (error.code === CANNOT_CONNECT_NOW) return 'starting';
  return error.code === TOO_MANY_CONNECTIONS ? 'ready' : 'none';
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

const POLL_MS = 500;

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
