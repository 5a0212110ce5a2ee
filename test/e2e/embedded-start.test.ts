import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../support/controller.js';
import { isRoot } from '../support/embedded.js';
import { Program } from '../support/program.js';

/** The controller with its own PostgreSQL, from the first start on. One data directory for all. */

let dataDir: string;
let port: number;
const programs: Program[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'overgraph-embedded-start-'));
  // Enterable by the account that PostgreSQL runs as.
  await chmod(dataDir, isRoot ? 0o711 : 0o700);
  port = await freePort();
});
afterAll(async () => {
  for (const program of programs) await program.end('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}): Program {
  const program = new Program({
    OVERGRAPH_DATA_DIR: dataDir,
    OVERGRAPH_PORT: String(port),
    OVERGRAPH_LOG_LEVEL: 'warn',
    ...env,
  });
  programs.push(program);
  return program;
}

/** Processes that have the data directory in their command line. */
async function servers(): Promise<string[]> {
  const found: string[] = [];
  const names = await readdir('/proc').catch(() => []);
  for (const pid of names.filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (line.includes('postgres') && line.includes(dataDir)) found.push(pid);
  }
  return found;
}

const hasProc = process.platform === 'linux' ? test : test.skip;

interface Reply {
  readonly status: number;
  readonly fingerprint: string;
}

/** Logs in with the password and says whose certificate answered. */
function login(password: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: '/edge/management/v1/authenticate?method=password',
        headers: { 'content-type': 'application/json' },
        rejectUnauthorized: false,
        agent: false,
      },
      (response) => {
        const { fingerprint256 } = (
          response.socket as unknown as {
            getPeerCertificate(): { fingerprint256: string };
          }
        ).getPeerCertificate();
        response.resume();
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, fingerprint: fingerprint256 });
        });
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify({ username: 'admin', password }));
  });
}

const passwordFile = (): string => join(dataDir, 'admin-password');
const password = async (): Promise<string> => (await readFile(passwordFile(), 'utf8')).trim();

let fingerprint: string;
let firstPassword: string;

describe('the first start', () => {
  let program: Program;
  let banner: string;

  beforeAll(async () => {
    program = start();
    banner = await program.ready();
  });

  test('prints the addresses, where everything is and how to log in', async () => {
    const at = `localhost:${String(port)}`;
    for (const line of [
      `Overgraph is ready on 127.0.0.1:${String(port)}`,
      `https://${at}/graphql`,
      `https://${at}/graphiql`,
      `https://${at}/edge/management/v1`,
      `https://${at}/edge/client/v1`,
      `https://${at}/docs`,
      dataDir,
      'embedded, in ',
      passwordFile(),
      `ziti edge login ${at} -u admin`,
      'curl -sk',
      await password(),
    ]) {
      expect(banner).toContain(line);
    }
    expect(program.stderr).toBe('');
    for (const line of banner.split('\n')) expect(line.length).toBeLessThan(200);
  });

  test('keeps the admin password where only the owner reads it', async () => {
    expect((await stat(passwordFile())).mode & 0o777).toBe(0o600);
    firstPassword = await password();
    expect(firstPassword.length).toBeGreaterThanOrEqual(16);
    const answer = await login(firstPassword);
    expect(answer.status).toBe(200);
    fingerprint = answer.fingerprint;
    expect((await login('wrong password')).status).toBe(401);
  });

  hasProc('runs one PostgreSQL, which ends with it on SIGTERM', async () => {
    expect((await servers()).length).toBeGreaterThan(0);
    expect(await program.end('SIGTERM')).toBe(0);
    expect(program.stderr).toBe('');
    expect(await servers()).toStrictEqual([]);
  });
});

describe('a second start', () => {
  test('uses everything again, and prints no password', async () => {
    const program = start();
    const banner = await program.ready();
    expect(banner).not.toContain(firstPassword);
    expect(banner).toContain(`password in ${passwordFile()}`);
    expect(await password()).toBe(firstPassword);
    expect(await login(firstPassword)).toStrictEqual({ status: 200, fingerprint });
    expect(await program.end('SIGINT')).toBe(0);
    expect(await servers()).toStrictEqual([]);
  });

  test('with a busy port fails in one line and leaves no PostgreSQL', async () => {
    const taken = createServer();
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const busy = (taken.address() as AddressInfo).port;
    const program = start({ OVERGRAPH_PORT: String(busy) });
    expect(await program.end()).toBe(1);
    expect(program.stderr).toMatch(/^overgraph: [^\n]* is in use[^\n]*OVERGRAPH_PORT[^\n]*\n$/);
    expect(program.stdout).toBe('');
    taken.close();
    await once(taken, 'close');
    expect(await servers()).toStrictEqual([]);
  });

  hasProc('stopped while it starts leaves nothing running', async () => {
    const program = start();
    await once(program.child, 'spawn');
    while ((await servers()).length === 0 && !program.hasEnded) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await program.end('SIGTERM');
    expect(program.stderr).toBe('');
    expect(await servers()).toStrictEqual([]);
  });
});
