/**
 * One PostgreSQL for the whole run, in a temporary folder and without fsync. The workers find it
 * in OVERGRAPH_TEST_DATABASE_URL; when that is set already, that server is used instead.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'overgraph-test-';
const supervisor = new URL('../../dist/src/data/store/embedded/index.js', import.meta.url);
const quiet = { info() {}, warn() {}, error: console.error };
const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

export default async function globalSetup() {
  if (process.env.OVERGRAPH_TEST_DATABASE_URL) return;
  if (!existsSync(supervisor)) throw new Error('the tests need the build: run them by "npm test"');
  const { startEmbedded } = await import(supervisor.href);
  await removeAbandoned(startEmbedded);
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  // As root, PostgreSQL runs as another account, which has to pass through.
  if (process.getuid?.() === 0) await chmod(folder, 0o711);
  const starting = startEmbedded({
    dataDir: folder,
    log: quiet,
    settings: { ...settings, max_connections: '500' },
  });
  const stop = async () => {
    await starting.then(
      (server) => server.stop(),
      () => undefined,
    );
    await rm(folder, { recursive: true, force: true });
  };
  // An interrupt may come twice: from the terminal, and from the script that started us.
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => void stop().then(() => process.exit(130)));
  }
  globalThis.stopTestDatabase = stop;
  process.env.OVERGRAPH_TEST_DATABASE_URL = (await starting).url;
}

/** What a killed run left behind: its server may still be running. */
async function removeAbandoned(startEmbedded) {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = /^overgraph-test-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const folder = join(tmpdir(), name);
    try {
      if (existsSync(join(folder, 'postgres/cluster/postmaster.pid'))) {
        await (await startEmbedded({ dataDir: folder, log: quiet, settings })).stop();
      }
      await rm(folder, { recursive: true, force: true });
    } catch {
      // Somebody else's.
    }
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
