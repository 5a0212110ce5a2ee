import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile, chmod } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { StartError } from '../../../base/start-error.js';
import { give } from './account.js';
import type { Home } from './home.js';

/** The address of a server: a unix socket, or a loopback port on Windows. */
export type Endpoint =
  | { readonly kind: 'socket'; readonly directory: string; readonly temporary: boolean }
  | { readonly kind: 'loopback'; readonly port: number; readonly password: string };

/** Only part of the socket's name; no server listens on this port. */
export const SOCKET_PORT = 5432;

/** `sun_path` has 104 bytes on macOS and 108 on Linux, including the final NUL. */
const MAX_SOCKET_PATH = 103;

export const isLoopbackOnly = process.platform === 'win32';

export async function newEndpoint(home: Home): Promise<Endpoint> {
  if (isLoopbackOnly) {
    return { kind: 'loopback', port: await freePort(), password: await password(home) };
  }
  const inside = join(home.path, 'run');
  if (Buffer.byteLength(join(inside, `.s.PGSQL.${SOCKET_PORT}`)) <= MAX_SOCKET_PATH) {
    await mkdir(inside, { recursive: true, mode: 0o700 });
    await give(inside, home.account);
    return { kind: 'socket', directory: inside, temporary: false };
  }
  return { kind: 'socket', directory: await shortDirectory(home), temporary: true };
}

/** Makes a directory with a short path; `os.tmpdir()` can be too long. */
async function shortDirectory(home: Home): Promise<string> {
  try {
    const directory = await mkdtemp('/tmp/overgraph-');
    await chmod(directory, 0o700);
    await give(directory, home.account);
    return directory;
  } catch {
    throw new StartError(
      `the path ${home.path} is too long for a unix socket and /tmp is not writable`,
      'set OVERGRAPH_DATA_DIR to a shorter path',
    );
  }
}

export async function discardEndpoint(endpoint: Endpoint): Promise<void> {
  if (endpoint.kind === 'socket' && endpoint.temporary) {
    await rm(endpoint.directory, { recursive: true, force: true });
  }
}

/** A URL for `pg` and libpq. It sets `sslmode`, since environment variables could request TLS. */
export function urlOf(endpoint: Endpoint, database: string): string {
  const name = encodeURIComponent(database);
  return endpoint.kind === 'socket'
    ? `postgresql://postgres@/${name}?host=${encodeURIComponent(endpoint.directory)}&sslmode=disable`
    : `postgresql://postgres:${endpoint.password}@127.0.0.1:${endpoint.port}/${name}?sslmode=disable`;
}

/** The server settings for an endpoint. */
export function listenSettings(endpoint: Endpoint): Record<string, string> {
  return endpoint.kind === 'socket'
    ? {
        listen_addresses: '',
        port: `${SOCKET_PORT}`,
        unix_socket_directories: `"${endpoint.directory.replaceAll('"', '""')}"`,
        unix_socket_permissions: '0700',
      }
    : { listen_addresses: '127.0.0.1', port: `${endpoint.port}`, unix_socket_directories: '' };
}

export const passwordFile = (home: Home): string => join(home.path, 'password');

/**
 * Reads or makes the password, which is needed since all users of a machine can reach its loopback.
 */
export async function password(home: Home): Promise<string> {
  const stored = await readFile(passwordFile(home), 'utf8').catch(() => undefined);
  if (stored !== undefined) return stored;
  const created = randomBytes(24).toString('hex');
  await writeFile(passwordFile(home), created, { mode: 0o600 });
  return created;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('no free port'));
      });
    });
  });
}
