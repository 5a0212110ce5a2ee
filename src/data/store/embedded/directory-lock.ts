import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorProperty } from './error-property.js';
import { startOfProcess, startOfThisProcess } from './process-info.js';

export interface DirectoryLock {
  release(): Promise<void>;
}

/** A controller, or the watch process that ends the server of a killed controller. */
type Contender = 'controller' | 'watch';

/** Time that a controller waits for other controllers to withdraw. */
const CONTEND_MS = 600;
/** Time that a controller waits for a watch, which ends with the server. */
const WATCH_MS = 30_000;
const LOCK_NAME = /^(controller|watch)-(\d+)-([\w.]+)\.lock$/;

/**
 * Locks a directory for this process, or returns the process id of its owner. Errors of the file
 * system are thrown unchanged.
 *
 * Each contender creates its own file, named after its process id and start time. It then lists the
 * directory and has the lock if it sees no other live process. The second contender to list sees
 * the file of the first, so two never have the lock. Of two waiting contenders the one with the
 * smaller file name stays and the other withdraws, so one of them gets it. The file of a dead
 * process is safe to remove at any time, since its name is never used again. A watch withdraws at
 * once from any other contender, and a controller waits for a watch to end.
 */
export async function lockDirectory(
  directory: string,
  as: Contender,
): Promise<DirectoryLock | number> {
  const name = `${as}-${process.pid}-${await startOfThisProcess()}.lock`;
  const path = join(directory, name);
  const startedAt = Date.now();
  let claimed = false;
  for (;;) {
    if (!claimed && !(await createFile(path))) return process.pid;
    claimed = true;
    const others = await liveOwners(directory, name);
    if (others.length === 0) return { release: () => rm(path, { force: true }) };
    const expired = Date.now() - startedAt > patience(as, others);
    if (expired || others.some((other) => other.name < name)) {
      await rm(path, { force: true });
      claimed = false;
    }
    if (expired) return others[0]?.pid ?? 0;
    await delay(20 + Math.random() * 40);
  }
}

function patience(as: Contender, others: readonly Owner[]): number {
  if (as === 'watch') return -1;
  return others.some((other) => !other.isWatch) ? CONTEND_MS : WATCH_MS;
}

/** Creates a file; false when it exists: this process has the lock already. */
async function createFile(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (errorProperty(error, 'code') === 'EEXIST') return false;
    throw error;
  }
}

interface Owner {
  readonly name: string;
  readonly pid: number;
  readonly isWatch: boolean;
}

/** The other live processes with a lock file; removes the files of dead ones. */
async function liveOwners(directory: string, ownName: string): Promise<Owner[]> {
  const owners: Owner[] = [];
  for (const name of await readdir(directory)) {
    const [, kind, pid, start] = LOCK_NAME.exec(name) ?? [];
    if (pid === undefined || name === ownName) continue;
    const running = await startOfProcess(Number(pid));
    if (running === start || running === '') {
      owners.push({ name, pid: Number(pid), isWatch: kind === 'watch' });
    } else await rm(join(directory, name), { force: true });
  }
  return owners;
}
