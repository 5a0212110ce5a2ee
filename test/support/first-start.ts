import 'reflect-metadata';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useRecording } from '../../src/data/rows/access-use/index.js';
import { loadConfig } from '../../src/programs/configuration.js';
import { bootstrap } from '../../src/programs/controller/bootstrap.js';
import { openKeys } from '../../src/programs/controller/controller-keys.js';
import { catalog } from '../../src/resources/index.js';
import { Database } from '../../src/data/store/database.js';
import { ModelStore } from '../../src/data/store/model-store.js';

/**
 * Does for a network what the first start of a controller does before it registers itself: keys, built-in
 * records, the default admin. Gives the key files by name, in base64.
 */
export async function startNetwork(
  url: string,
  dataDir: string,
  password: string,
): Promise<Record<string, string>> {
  const config = loadConfig({
    OVERGRAPH_DATA_DIR: dataDir,
    OVERGRAPH_ADMIN_PASSWORD: password,
  });
  const now = (): Date => new Date();
  const database = new Database({ url, named: true, connections: 2 });
  try {
    const { record } = await openKeys(config, url, database, now);
    const store = new ModelStore(database, catalog, record.epoch, (error) => {
      throw error;
    });
    await bootstrap(store, catalog, config, now());
    await useRecording.begin(store, record.epoch, now());
  } finally {
    await database.close();
  }
  const folder = join(dataDir, 'pki');
  const files = (await readdir(folder)).map(async (name) => {
    const content = await readFile(join(folder, name));
    return [name, content.toString('base64')] as const;
  });
  return Object.fromEntries(await Promise.all(files));
}
