import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { keyDirectoryAt, trustedRoots } from '../../trust/pki/index.js';
import { usageError } from './command-error.js';
import type { Options } from './options.js';

/** A password, or a JWT of an external signer. */
export type LoginBy =
  { readonly username: string; readonly password: string } | { readonly jwt: string };

/** Where to find the controller, and as whom to log in. */
export interface Connection {
  readonly url: URL;
  readonly login: LoginBy;
  readonly tls: { readonly ca?: string[]; readonly rejectUnauthorized: boolean };
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Values without an option come from the environment and the local data directory. */
export async function connectionOf(options: Options, env: Environment): Promise<Connection> {
  const dataDir = env.OVERGRAPH_DATA_DIR ?? 'data';
  return {
    url: urlOf(options.url ?? 'https://localhost:1280'),
    login: await loginOf(options, env, dataDir),
    tls: {
      ...(await authorities(options, dataDir)),
      rejectUnauthorized: options.insecure !== true,
    },
  };
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') throw usageError(`--url must be an https address, is "${text}"`);
  return url;
}

async function loginOf(options: Options, env: Environment, dataDir: string): Promise<LoginBy> {
  const jwt = await jwtOf(options, env);
  if (jwt !== undefined) return { jwt };
  return {
    username: options.username ?? env.OVERGRAPH_ADMIN_USERNAME ?? 'admin',
    password: await passwordOf(options, env, dataDir),
  };
}

/** Of several ways to log in, the options name one; the environment counts only where they name none. */
async function jwtOf(options: Options, env: Environment): Promise<string | undefined> {
  const file = options['jwt-file'];
  const hasPassword = (options.password ?? options['password-file']) !== undefined;
  if (file === undefined) return hasPassword ? undefined : env.OVERGRAPH_JWT;
  if (hasPassword) throw usageError('--jwt-file logs in without a password');
  return firstLine(await readNamed(file, '--jwt-file'));
}

async function passwordOf(options: Options, env: Environment, dataDir: string): Promise<string> {
  if (options.password !== undefined) return options.password;
  const file = options['password-file'];
  if (file !== undefined) return firstLine(await readNamed(file, '--password-file'));
  if (env.OVERGRAPH_ADMIN_PASSWORD !== undefined) return env.OVERGRAPH_ADMIN_PASSWORD;
  const kept = await readIfThere(join(dataDir, 'admin-password'));
  if (kept !== undefined) return firstLine(kept);
  throw usageError('no password: give --password, --password-file or OVERGRAPH_ADMIN_PASSWORD');
}

const firstLine = (text: string): string => text.split(/\r?\n/)[0] ?? '';

async function authorities(options: Options, dataDir: string): Promise<{ ca?: string[] }> {
  if (options.ca !== undefined) return { ca: [await readNamed(options.ca, '--ca')] };
  // Those of a controller elsewhere are asked for by --ca, so whatever is wrong here is no fault.
  const roots = await trustedRoots(keyDirectoryAt(join(dataDir, 'pki'))).catch(() => []);
  return roots.length === 0 ? {} : { ca: [...roots.map(String), ...rootCertificates] };
}

async function readNamed(file: string, option: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw usageError(`${option} ${file} can not be read: ${codeOf(error)}`);
  }
}

/** Default files count only if they exist and may be read. */
const readIfThere = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch(() => undefined);

export const codeOf = (error: unknown): string => {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? code : String(message);
};
