import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyOf, migratedTemplate, type Template, type TestDatabase } from './database.js';

export const ADMIN_PASSWORD = 'correct horse';

/**
 * The database of a network that was started once, and in the data directory its keys: a controller that starts
 * on them makes no keys and waits for few writes. All these networks have the same keys, and no controller yet.
 */
export async function copyStartedNetwork(dataDir: string): Promise<TestDatabase> {
  const { database, comment } = await copyOf(startedTemplate());
  const folder = join(dataDir, 'pki');
  await mkdir(folder, { mode: 0o700 });
  for (const [name, content] of Object.entries(JSON.parse(comment) as Record<string, string>)) {
    await writeFile(join(folder, name), Buffer.from(content, 'base64'), { mode: 0o600 });
  }
  return database;
}

/** A server that outlives the run keeps it for this build and this day, since changes and keys grow old. */
function startedTemplate(): Template {
  const from = migratedTemplate();
  const build = 'dist/.sources-digest';
  const digest = createHash('sha256')
    .update(existsSync(build) ? readFileSync(build) : '')
    .update(new Date().toISOString().slice(0, 10))
    .digest('hex');
  return { name: `${from.name}_started_${digest.slice(0, 12)}`, from, fill: fillStarted };
}

async function fillStarted(url: string): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'overgraph-first-start-'));
  try {
    // The product, which most files with a built controller do not need in their own process.
    const { startNetwork } = await import('./first-start.js');
    return JSON.stringify(await startNetwork(url, dataDir, ADMIN_PASSWORD));
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
