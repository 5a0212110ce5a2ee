import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the program, in a checkout or a build; independent of the working directory. */
export const PROGRAM_FOLDER = folderWith('package.json', dirname(fileURLToPath(import.meta.url)));

/** The path of a program of the build, which is a process of its own. */
export const builtProgram = (name: 'main' | 'orphan-watch-process' | 'worker-main'): string =>
  join(PROGRAM_FOLDER, 'dist', 'program', `${name}.js`);

/** The version in `package.json`. */
export const productVersion = (): string =>
  (JSON.parse(readFileSync(join(PROGRAM_FOLDER, 'package.json'), 'utf8')) as { version: string })
    .version;

function folderWith(name: string, from: string): string {
  if (existsSync(join(from, name))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error(`the program is incomplete: it has no ${name}`);
  return folderWith(name, parent);
}
