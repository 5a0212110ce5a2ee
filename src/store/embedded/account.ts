import { chown, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** A user to run PostgreSQL as, which refuses to run as root. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** "nobody": in every passwd file, so that no user has to be created. */
const NOBODY: Account = { uid: 65_534, gid: 65_534 };

/**
 * The account for a cluster when this process is root; undefined when it is not, and everything
 * runs as ourselves. A cluster made earlier keeps its owner.
 */
export async function accountFor(cluster: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const existing = await stat(cluster).catch(() => undefined);
  return existing && existing.uid !== 0 ? { uid: existing.uid, gid: existing.gid } : NOBODY;
}

/** Whether an account may pass through every directory down to this one (mode bits only). */
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
