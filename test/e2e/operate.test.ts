import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { overgraph } from '../support/command.js';
import { ADMIN_PASSWORD, freePort, TestController } from '../support/controller.js';
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { Program } from '../support/program.js';
import { blocksOf, STOPPED_PAGES } from './page-blocks.js';

/** The commands of the documents for the administrator of the machine run as they stand, in order. */

/** The snapshot that the documents name. */
const SNAPSHOT = 'overgraph-20261120T120000Z.snapshot';
const NEW_PASSWORD = 'a new horse';

/** `npm` without installing and building; a start lasts until the controller is ready. */
const PREAMBLE = `
start() {
  : > start.log
  "$NODE" "$ROOT/dist/program/main.js" >> start.log 2>&1 &
  until grep 'is ready on' start.log; do
    if ! kill -0 $!; then cat start.log; return 1; fi
    sleep 0.1
  done
  kill -TERM $!
  wait $!
}
npm() (
  if [ "\${OVERGRAPH_DATA_DIR:-}" = ./restored ]; then export DATABASE_URL="$RESTORED_URL"; fi
  if [ "$1" = start ]; then start; else shift 3; "$NODE" "$ROOT/dist/program/overgraph.js" "$@"; fi
)
`;

let folder: string;
let port: number;
const databases: TestDatabase[] = [];
const programs: Program[] = [];

const environment = (): Record<string, string> => ({
  DATABASE_URL: databases[0]?.url ?? '',
  OVERGRAPH_DATA_DIR: join(folder, 'data'),
  OVERGRAPH_PORT: String(port),
  OVERGRAPH_LOG_LEVEL: 'warn',
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-operate-'));
  port = await freePort();
  databases.push(await createDatabase(), await createEmptyDatabase());
  const [controller, program] = await start({ OVERGRAPH_ADMIN_PASSWORD: ADMIN_PASSWORD });
  controller.token = await controller.login();
  const identity = await controller.create('identities', {
    name: 'alice',
    type: 'Default',
    isAdmin: true,
  });
  await controller.create('authenticators', {
    method: 'updb',
    identityId: identity,
    username: 'alice',
    password: 'the old horse',
  });
  const made = await overgraph(
    { ...environment(), OVERGRAPH_ADMIN_PASSWORD: ADMIN_PASSWORD },
    ...['snapshot', 'create', '--include-pki', '--url', `https://localhost:${String(port)}`],
  );
  expect(made).toMatchObject({ code: 0, err: '' });
  await program.end('SIGTERM');
  const [name = ''] = await readdir(join(folder, 'data', 'snapshots'));
  await cp(join(folder, 'data', 'snapshots', name), join(folder, SNAPSHOT));
  await symlink('data', join(folder, 'first'));
  await writeFile(join(folder, 'new-password'), `${NEW_PASSWORD}\n`);
});

afterAll(async () => {
  for (const program of programs) await program.end('SIGTERM');
  for (const database of databases) await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function start(env: Record<string, string> = {}): Promise<[TestController, Program]> {
  const program = new Program({ ...environment(), ...env });
  programs.push(program);
  await program.ready();
  return [new TestController(port, '', () => Promise.resolve()), program];
}

/** Runs a script in the folder; what it prints, with its errors. */
function bash(script: string): Promise<{ readonly code: number | null; readonly out: string }> {
  const { DATABASE_URL, OVERGRAPH_PORT } = environment();
  const env = {
    ...{ DATABASE_URL, OVERGRAPH_PORT, PATH: process.env.PATH },
    ...{ NODE: process.execPath, ROOT: process.cwd(), RESTORED_URL: databases[1]?.url },
  };
  return new Promise((resolve) => {
    const child = execFile(
      'bash',
      ['-euo', 'pipefail', '-c', script],
      { cwd: folder, env },
      (_, out, err) => {
        resolve({ code: child.exitCode, out: `${out}${err}` });
      },
    );
  });
}

test('the commands of operators run as they stand', async () => {
  const blocks = await blocksOf('sh run stopped', STOPPED_PAGES);
  expect(blocks.length).toBeGreaterThan(5);
  const { code, out } = await bash(`${PREAMBLE}${blocks.join('\n')}`);
  expect(code === 0 ? '' : out).toBe('');
  expect(out.split('\n')).toEqual(
    expect.arrayContaining([
      '7 files of key material are in second/pki.',
      'Certificates of the old signer are trusted no longer.',
      expect.stringMatching(/^\d+ rows of .* are restored, as epoch 2\.$/),
      'username  alice',
      'There is a new secret key, with 0 secrets under it.',
    ]),
  );
  expect(out.match(/^Overgraph is ready on/gm)).toHaveLength(2);
  const roots = [...out.matchAll(/^root .*(\w{40})$/gm)].map(([, fingerprint]) => fingerprint);
  expect(roots).toHaveLength(3);
  expect(new Set(roots).size).toBe(1);
  const [controller] = await start();
  expect(await controller.login('alice', NEW_PASSWORD)).not.toBe('');
  await expect(controller.login()).rejects.toThrow('INVALID_AUTH');
});
