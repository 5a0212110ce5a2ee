import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { lockDirectory } from './embedded/directory-lock.js';
import { errorProperty } from './embedded/error-property.js';
import { StartError } from '../../base/start-error.js';

/** The data directory, locked against a second controller until released. */
export interface DataDir {
  /** The absolute path. */
  readonly path: string;
  release(): Promise<void>;
}

const CURE = 'set OVERGRAPH_DATA_DIR to a directory that this account may write to';

/**
 * Creates the directory if necessary (mode 0700, since it holds key material) and locks it. It
 * ignores the lock of a process that has ended. @throws StartError if the directory is unusable or
 * locked
 */
export async function openDataDir(path: string): Promise<DataDir> {
  const directory = resolve(path);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return lockedDataDir(directory, await lockDirectory(directory, 'controller'));
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`data directory ${directory} ${reason(error)}`, CURE);
  }
}

function lockedDataDir(
  directory: string,
  lock: Awaited<ReturnType<typeof lockDirectory>>,
): DataDir {
  if (typeof lock === 'number') {
    throw new StartError(
      `data directory ${directory} is in use by the controller with process id ${lock}`,
      'stop that one, or set OVERGRAPH_DATA_DIR to another directory',
    );
  }
  return { path: directory, release: () => lock.release() };
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'is not a directory',
  ENOTDIR: 'lies below something that is not a directory',
  EACCES: 'may not be written to by this account',
  EPERM: 'may not be written to by this account',
  EROFS: 'lies on a read-only file system',
  ENOSPC: 'lies on a full file system',
};

function reason(error: unknown): string {
  const code = errorProperty(error, 'code');
  return REASONS[code] ?? `can not be used (${code || String(error)})`;
}
