import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the program is, in a checkout or what was built of it, whatever folder it is started in. */
export const PROGRAM_FOLDER = folderWith('package.json', dirname(fileURLToPath(import.meta.url)));

function folderWith(name: string, from: string): string {
  if (existsSync(join(from, name))) return from;
  const above = dirname(from);
  if (above === from) throw new Error(`the program is incomplete: it has no ${name}`);
  return folderWith(name, above);
}
