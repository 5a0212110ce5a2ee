import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Installed packages, which a copy shares with the checkout. */
const PACKAGES = ['node_modules', 'console/node_modules'];

/** The lists of what is installed, of which a copy has its own. */
const LISTS = ['.package-lock.json', '.overgraph-lock'];

/** The end of what a failed command has printed. */
const MAX_SHOWN = 6_000;

const OUTPUT_BYTES = 64 * 1024 * 1024;

/** What git needs to commit on a machine without its settings. */
const COMMITTER = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];

/** The files of the checkout in a folder of their own, as a contributor would have them. */
export class CheckoutCopy {
  private constructor(readonly folder: string) {}

  static async make(): Promise<CheckoutCopy> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'overgraph-recipes-')));
    for (const file of await listed(['--cached', '--others', '--exclude-standard'])) {
      if (!existsSync(file)) continue;
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await cp(file, join(folder, file));
    }
    for (const packages of PACKAGES) await linkPackages(packages, join(folder, packages));
    const copy = new CheckoutCopy(folder);
    await copy.git('init', '--quiet');
    await copy.commit('a copy');
    return copy;
  }

  /** Runs a command of a page. It must end well. */
  async follow(command: string): Promise<void> {
    // What jest and its start set is not in the shell of a contributor.
    const env = { ...process.env, JEST_WORKER_ID: undefined, NODE_ENV: undefined };
    try {
      await run('sh', ['-c', command], { cwd: this.folder, env, maxBuffer: OUTPUT_BYTES });
    } catch (error) {
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
      const shown = (stderr + stdout).slice(-MAX_SHOWN);
      throw new Error(`${command} fails:\n${shown}`, { cause: error });
    }
  }

  /** The files that differ from the last commit, without those that git ignores. */
  async changedFiles(): Promise<string[]> {
    const status = await this.git('status', '--porcelain', '--untracked-files=all', '-z');
    return status
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => entry.slice(3))
      .sort();
  }

  async commit(message: string): Promise<void> {
    await this.git('add', '--all');
    await this.git(...COMMITTER, 'commit', '--quiet', '--no-verify', '-m', message);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private async git(...args: readonly string[]): Promise<string> {
    const { stdout } = await run('git', args, { cwd: this.folder, maxBuffer: OUTPUT_BYTES });
    return stdout;
  }
}

/** The files that git knows of in the checkout. */
async function listed(options: readonly string[]): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '-z', ...options], { maxBuffer: OUTPUT_BYTES });
  return [...new Set(stdout.split('\0'))].filter((file) => file !== '');
}

/**
 * Links each package by itself: a command that installs packages removes what it finds, and would empty
 * the folder of the checkout behind a link to the whole.
 */
async function linkPackages(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) {
    if (LISTS.includes(name)) await cp(join(from, name), join(to, name));
    else if (name !== '.cache') await symlink(resolve(from, name), join(to, name));
  }
}
