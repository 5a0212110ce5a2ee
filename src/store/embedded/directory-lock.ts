import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorProperty } from './error-property.js';
import { startOfProcess, startOfThisProcess } from './process-info.js';

export interface DirectoryLock {
  release(): Promise<void>;
}

/** How long a contender waits for the others to withdraw before it gives up. */
const CONTEND_MS = 600;
const LOCK_NAME = /^controller-(\d+)-([\w.]+)\.lock$/;

/**
 * Takes a directory for this process, or returns the process id of its present owner.
 * Errors of the file system are thrown as they are.
 *
 * Each contender has a file of its own, named after its process id and start. It holds the
 * directory once it has listed it after creating that file and seen no other live process.
 * Whoever lists second sees the first, so two never hold it; the smaller name stays while it
 * waits and the larger withdraws, so one of several contenders gets it. A dead process's file
 * is nobody's, and since its name is never used again it is safe to remove at any time.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock | number> {
  const name = `controller-${process.pid}-${await startOfThisProcess()}.lock`;
  const path = join(directory, name);
  const deadline = Date.now() + CONTEND_MS;
  let claimed = false;
  for (;;) {
    if (!claimed && !(await createFile(path))) return process.pid;
    claimed = true;
    const others = await liveOwners(directory, name);
    if (others.length === 0) return { release: () => rm(path, { force: true }) };
    const expired = Date.now() > deadline;
    if (expired || others.some((other) => other.name < name)) {
      await rm(path, { force: true });
      claimed = false;
    }
    if (expired) return others[0]?.pid ?? 0;
    await delay(20 + Math.random() * 40);
  }
}

/** False when it is there already: this process holds the directory. */
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
}

/** The other processes with a lock file that still run; files of dead ones are removed. */
async function liveOwners(directory: string, ownName: string): Promise<Owner[]> {
  const owners: Owner[] = [];
  for (const name of await readdir(directory)) {
    const [, pid, start] = LOCK_NAME.exec(name) ?? [];
    if (pid === undefined || name === ownName) continue;
    const running = await startOfProcess(Number(pid));
    if (running === start || running === '') owners.push({ name, pid: Number(pid) });
    else await rm(join(directory, name), { force: true });
  }
  return owners;
}
