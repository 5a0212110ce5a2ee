import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

/** A project with a lock file, and what a step of `npm run check` says about it. */

export type LockEntry = Record<string, unknown>;

export interface ProjectOptions {
  /** Entries of the lock file by path. Those without `dev` are direct dependencies of the project. */
  readonly entries: Record<string, LockEntry>;
  /** The manifests of packages that are installed, by path. */
  readonly installed?: Record<string, object>;
  readonly manifest?: object;
  /** Dependencies of the product, where the entries do not tell them. */
  readonly direct?: Record<string, string>;
  readonly rules?: object;
}

export const CHECKSUM = `sha512-${'A'.repeat(86)}==`;

const NO_RULES = { licences: { production: {}, development: {} }, packages: [], advisories: [] };

const folders: string[] = [];

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'overgraph-dependencies-'));
  folders.push(folder);
  return folder;
}

export async function makeProject(options: ProjectOptions): Promise<string> {
  const folder = await makeFolder();
  const write = async (path: string, content: object): Promise<void> => {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), JSON.stringify(content));
  };
  const { installed = {}, rules = {} } = options;
  const { '': product = {}, ...entries } = options.entries;
  const manifest = {
    name: 'product',
    version: '1.0.0',
    ...product,
    ...(options.direct ? { dependencies: options.direct } : directDependencies(entries)),
  };
  await write('package.json', { ...manifest, ...options.manifest });
  await write('dependency-rules.json', { ...NO_RULES, ...rules });
  const packages: Record<string, LockEntry> = { '': manifest };
  for (const [path, entry] of Object.entries(entries)) {
    packages[path] = { version: '1.0.0', integrity: CHECKSUM, license: 'MIT', ...entry };
  }
  await write('package-lock.json', { ...manifest, lockfileVersion: 3, packages });
  for (const [path, content] of Object.entries(installed)) {
    await write(join(path, 'package.json'), content);
  }
  return folder;
}

function directDependencies(entries: Record<string, LockEntry>) {
  const pinned = (dev: boolean) =>
    Object.fromEntries(
      Object.entries(entries)
        .filter(([path, entry]) => (entry.dev === true) === dev && isDirect(path, entries))
        .map(([path]) => [nameAt(path), '1.0.0']),
    );
  return { dependencies: pinned(false), devDependencies: pinned(true) };
}

function isDirect(path: string, entries: Record<string, LockEntry>): boolean {
  return !Object.values(entries).some(({ dependencies }) =>
    Object.keys(dependencies ?? {}).includes(nameAt(path)),
  );
}

function nameAt(path: string): string {
  return path.split('node_modules/').at(-1) ?? path;
}

export interface StepResult {
  readonly code: number | null;
  readonly lines: string[];
}

/** Runs a script of the checkout. */
export function runScript(
  script: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<StepResult> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(process.cwd(), 'scripts', script), ...args],
      { env: { ...process.env, ...env } },
      (_, out, err) => {
        resolve({ code: child.exitCode, lines: `${out}${err}`.split('\n').filter(Boolean) });
      },
    );
  });
}
