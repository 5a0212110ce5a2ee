import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorProperty } from './error-property.js';
import { startOfProcess, startOfThisProcess } from './process-info.js';

export interface DirectoryLock {
  release(): Promise<void>;
}

/** A controller, or what ends the server that a killed one left behind. */
type Contender = 'controller' | 'watch';

/** How long a controller waits for other controllers to withdraw before it gives up. */
const CONTEND_MS = 600;
/** A watch has an end: that of the server. */
const WATCH_MS = 30_000;
const LOCK_NAME = /^(controller|watch)-(\d+)-([\w.]+)\.lock$/;

/**
 * Takes a directory for this process, or returns the process id of its present owner.
 * Errors of the file system are thrown as they are.
 *
 * Each contender has a file of its own, named after its process id and start. It holds the
 * directory once it has listed it after creating that file and seen no other live process.
 * Whoever lists second sees the first, so two never hold it; the smaller name stays while it
 * waits and the larger withdraws, so one of several contenders gets it. A dead process's file
 * is nobody's, and since its name is never used again it is safe to remove at any time.
 * A watch gives way at once to whoever is there, and a controller waits for a watch to end.
 */
export async function lockDirectory(
  directory: string,
  as: Contender,
): Promise<DirectoryLock | number> {
  const name = `${as}-${process.pid}-${await startOfThisProcess()}.lock`;
  const path = join(directory, name);
  const begun = Date.now();
  let claimed = false;
  for (;;) {
    if (!claimed && !(await createFile(path))) return process.pid;
    claimed = true;
    const others = await liveOwners(directory, name);
    if (others.length === 0) return { release: () => rm(path, { force: true }) };
    const expired = Date.now() - begun > patience(as, others);
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
  readonly isWatch: boolean;
}

/** The other processes with a lock file that still run; files of dead ones are removed. */
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
