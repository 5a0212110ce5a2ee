import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the program is, in a checkout or what was built of it, whatever folder it is started in. */
export const PROGRAM_FOLDER = folderWith('package.json', dirname(fileURLToPath(import.meta.url)));

/** The version of the product, as its package has it. */
export const productVersion = (): string =>
  (JSON.parse(readFileSync(join(PROGRAM_FOLDER, 'package.json'), 'utf8')) as { version: string })
    .version;

function folderWith(name: string, from: string): string {
  if (existsSync(join(from, name))) return from;
  const above = dirname(from);
  if (above === from) throw new Error(`the program is incomplete: it has no ${name}`);
  return folderWith(name, above);
}
