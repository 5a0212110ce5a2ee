import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '../../../base/start-error.js';
import { give } from './account.js';
import type { Binaries } from './binaries.js';
import { isLoopbackOnly, password, passwordFile } from './endpoint.js';
import { environment } from './environment.js';
import { errorProperty } from './error-property.js';
import type { Home } from './home.js';
import type { EmbeddedLog } from './log.js';

/** Creates the cluster at the first start; refuses a cluster of another major version. */
export async function ensureCluster(
  home: Home,
  binaries: Binaries,
  log: EmbeddedLog,
): Promise<void> {
  await mkdir(home.log, { recursive: true, mode: 0o700 });
  await give(home.log, home.account);
  if (!existsSync(home.cluster)) {
    log.info(`creating the embedded database in ${home.cluster}`);
    await createCluster(home, binaries);
  }
  const version = (await readFile(join(home.cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (version === binaries.major) return;
  throw new StartError(
    `the embedded database in ${home.cluster} was made by PostgreSQL ${version || 'of unknown version'}, this is ${binaries.major}`,
    'start the release that made it and move its content by a snapshot',
  );
}

const DRAFT = 'cluster-draft-';

/** Removes the drafts of killed starts; their initdb may still run. */
async function removeDrafts(home: Home): Promise<void> {
  const names = await readdir(home.path);
  for (const name of names.filter((each) => each.startsWith(DRAFT))) {
    await rm(join(home.path, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/**
 * Creates the cluster in a draft, which gets its name only when complete. Every start has its own
 * draft.
 */
async function createCluster(home: Home, binaries: Binaries): Promise<void> {
  await removeDrafts(home);
  const draft = await mkdtemp(join(home.path, DRAFT));
  await give(draft, home.account);
  const options = ['--username=postgres', '--encoding=UTF8', '--locale=C', '--no-instructions'];
  if (isLoopbackOnly) await password(home);
  const auth = isLoopbackOnly
    ? ['--auth=scram-sha-256', `--pwfile=${passwordFile(home)}`]
    : ['--auth-local=trust', '--auth-host=reject'];
  try {
    await promisify(execFile)(binaries.initdb, ['-D', draft, ...options, ...auth], {
      ...home.account,
      ...environment(),
      cwd: home.path,
    });
  } catch (error) {
    const output = errorProperty(error, 'stderr').trim();
    throw new StartError(
      `the embedded database could not be created in ${home.cluster} (${output || String(error)})`,
      'make room and permission there, or set DATABASE_URL to a PostgreSQL server of your own',
    );
  }
  await rename(draft, home.cluster);
}
