import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../../../base/start-error.js';
import { accountFor, canEnter, type Account } from './account.js';
import type { EmbeddedLog } from './log.js';

/**
 * The directory of one embedded server: `cluster` (PGDATA), `run` (socket), `log`, `start.log`. It
 * is `postgres` inside the data directory. Only if this process is root and PostgreSQL's account
 * can not enter the data directory, it is elsewhere, and a file in the data directory names it.
 */
export interface Home {
  readonly path: string;
  readonly cluster: string;
  readonly log: string;
  /** Undefined: PostgreSQL runs as the user of this process. */
  readonly account: Account | undefined;
}

const RECORD = 'postgres-location';
const OWNER = 'data-directory';
const SHARED = '/var/lib/overgraph';

export async function findHome(dataDir: string, log: EmbeddedLog): Promise<Home> {
  const directory = await realpath(dataDir);
  const record = join(directory, RECORD);
  const path = existsSync(record)
    ? await recordedHome(directory, record)
    : await newHome(directory, record, log);
  const cluster = join(path, 'cluster');
  return { path, cluster, log: join(path, 'log'), account: await accountFor(cluster) };
}

async function recordedHome(dataDir: string, record: string): Promise<string> {
  const path = (await readFile(record, 'utf8')).trim();
  if (!existsSync(join(path, OWNER))) {
    throw new StartError(
      `the database of ${dataDir} was in ${path}, which is gone`,
      `restore that directory, or delete ${record} to begin with an empty database`,
    );
  }
  await refuseCopy(dataDir, path, record);
  await writeFile(join(path, OWNER), dataDir);
  return path;
}

/**
 * Refuses a copied data directory, whose file names the database of the original; a moved one is
 * allowed.
 */
async function refuseCopy(dataDir: string, path: string, record: string): Promise<void> {
  const owner = (await readFile(join(path, OWNER), 'utf8')).trim();
  if (owner === dataDir || !existsSync(join(owner, RECORD))) return;
  const theirs = (await readFile(join(owner, RECORD), 'utf8')).trim();
  if (theirs !== path) return;
  throw new StartError(
    `data directory ${dataDir} is a copy of ${owner}, and the database in ${path} belongs to that`,
    `delete ${record} to begin with an empty database, and restore a snapshot into it`,
  );
}

async function newHome(dataDir: string, record: string, log: EmbeddedLog): Promise<string> {
  const inside = join(dataDir, 'postgres');
  const account = await accountFor(join(inside, 'cluster'));
  if (!account) {
    await mkdir(inside, { recursive: true, mode: 0o700 });
    return inside;
  }
  const within = existsSync(inside) ? inside : dataDir;
  if (await canEnter(account, within)) {
    await mkdir(inside, { recursive: true });
    await openToPass(inside);
    return inside;
  }
  const outside = await outsideHome(dataDir, account, log);
  await openToPass(outside);
  await writeFile(join(outside, OWNER), dataDir);
  await writeFile(record, `${outside}\n`, { mode: 0o600 });
  log.info(`the embedded database of ${dataDir} is in ${outside}`);
  return outside;
}

/**
 * Makes a new directory that the account can enter. Its name is random, so that a deleted and
 * recreated data directory does not get the old database.
 */
async function outsideHome(dataDir: string, account: Account, log: EmbeddedLog): Promise<string> {
  const stem = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  try {
    await mkdir(SHARED, { recursive: true, mode: 0o755 });
    if (await canEnter(account, SHARED)) {
      for (const name of await readdir(SHARED)) {
        if (!name.startsWith(`${stem}-`)) continue;
        log.warn(
          `${join(SHARED, name)} holds an earlier database of ${dataDir}; delete it if unused`,
        );
      }
      const path = join(SHARED, `${stem}-${randomBytes(4).toString('hex')}`);
      await mkdir(path);
      return path;
    }
  } catch {
    // A read-only system: the temporary directory is used instead.
  }
  const path = await mkdtemp(join(tmpdir(), 'overgraph-'));
  log.warn(
    `${SHARED} can not be used; the embedded database is in ${path} and may not survive a reboot`,
  );
  return path;
}

/** Lets the account pass through a directory, but not replace the programs in it. */
async function openToPass(path: string): Promise<void> {
  await chmod(path, 0o711);
}
