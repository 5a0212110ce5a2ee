import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../base/ids.js';

/** The id of the controller in a data directory; it stays the same after restarts. */
export async function controllerId(dataDir: string): Promise<string> {
  const file = join(dataDir, 'controller-id');
  const storedId = await readFile(file, 'utf8').catch(() => '');
  if (storedId.trim() !== '') return storedId.trim();
  const id = newId();
  await writeFile(file, `${id}\n`, { mode: 0o600 });
  return id;
}
