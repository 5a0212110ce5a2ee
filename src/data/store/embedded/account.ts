import { chown, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** The user that runs PostgreSQL, which refuses to run as root. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The user "nobody": it exists on every system, so no user has to be created. */
const NOBODY: Account = { uid: 65_534, gid: 65_534 };

/**
 * The account for a cluster when this process is root; undefined otherwise: then PostgreSQL runs as
 * the user of this process. An existing cluster keeps its owner.
 */
export async function accountFor(cluster: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const existing = await stat(cluster).catch(() => undefined);
  return existing && existing.uid !== 0 ? { uid: existing.uid, gid: existing.gid } : NOBODY;
}

/** Whether an account may enter this directory and all its parents (mode bits only). */
export async function canEnter(account: Account, directory: string): Promise<boolean> {
  for (let path = resolve(directory); ; path = dirname(path)) {
    const { uid, gid, mode } = await stat(path);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (path === dirname(path)) return true;
  }
}

export async function give(path: string, account: Account | undefined): Promise<void> {
  if (account) await chown(path, account.uid, account.gid);
}
