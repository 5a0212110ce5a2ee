import { readFile, rm, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { SOCKET_PORT } from './endpoint.js';
import type { Home } from './home.js';
import { isRunning, programOf, worksIn } from './process-info.js';

const PID_FILE = 'postmaster.pid';
const SOCKET = `.s.PGSQL.${SOCKET_PORT}`;

/** Far longer than a server needs to fill its new file. */
const FILL_MS = 2_000;

/** The content of `postmaster.pid`; its process may be the server of this cluster. */
export interface PidFile {
  readonly pid: number;
  readonly port: number;
  /** Empty while it starts. */
  readonly socketDirectory: string;
  /** Whether the server reports to accept connections. */
  readonly isReady: boolean;
}

/** Reads the file; undefined when it does not exist or is not complete yet. */
export async function readPidFile(home: Pick<Home, 'cluster'>): Promise<PidFile | undefined> {
  const text = await readFile(join(home.cluster, PID_FILE), 'utf8').catch(() => '');
  // Lines: pid, data directory, start time, port, socket directory, listen address, shared memory,
  // status.
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid < 2) return undefined;
  const isReady = lines[7]?.trim() === 'ready';
  return { pid, port: Number(lines[3]), socketDirectory: lines[4] ?? '', isReady };
}

/** Whether its process runs and is not another program with the same process id. */
export async function isLive(home: Pick<Home, 'cluster'>, { pid }: PidFile): Promise<boolean> {
  if (!(await isRunning(pid))) return false;
  // The working directory of every PostgreSQL process is its data directory.
  const worksHere = await worksIn(pid, home.cluster);
  if (worksHere !== undefined) return worksHere;
  const program = await programOf(pid);
  return program === undefined || program === 'postgres';
}

/**
 * Removes the files of a server if their process id certainly belongs to another program or to a
 * zombie. PostgreSQL itself would take both for a running server. Its check of the cluster's shared
 * memory does not need these files.
 */
export async function removeStaleFiles(home: Home, file: PidFile): Promise<void> {
  const isVisible = (await programOf(file.pid)) !== undefined;
  if (!isVisible || (await isLive(home, file))) return;
  if (isAbsolute(file.socketDirectory)) {
    const socket = join(file.socketDirectory, SOCKET);
    for (const path of [socket, `${socket}.lock`]) await rm(path, { force: true });
  }
  await rm(join(home.cluster, PID_FILE), { force: true });
}

/**
 * Removes empty lock files, with which PostgreSQL refuses to start. A server fills its file at
 * once, so an old empty one is from a server that was killed in between.
 */
export async function removeEmptyFiles(home: Home): Promise<void> {
  for (const path of [join(home.cluster, PID_FILE), join(home.path, 'run', `${SOCKET}.lock`)]) {
    const file = await stat(path).catch(() => undefined);
    if (file?.size !== 0 || Date.now() - file.mtimeMs < FILL_MS) continue;
    await rm(path, { force: true });
  }
}
