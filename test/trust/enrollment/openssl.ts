import { afterAll, describe } from '@jest/globals';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/* Keys, requests and certificates as people make them at a prompt. */

/** Left out where there is no openssl. */
export const withOpenssl =
  spawnSync('openssl', ['version']).status === 0 ? describe : describe.skip;

const folder = mkdtempSync(join(tmpdir(), 'overgraph-openssl-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Not waited for by blocking: connections that are kept meanwhile would be found dead afterwards. */
export async function openssl(args: readonly string[], input?: string): Promise<string> {
  const running = promisify(execFile)('openssl', [...args], { cwd: folder });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

let files = 0;
/** A file of its own; gives its path. */
export function file(content: string, name = 'file'): string {
  const path = join(folder, `${String((files += 1))}-${name}`);
  writeFileSync(path, content);
  return path;
}

const curve = (name: string, ...more: string[]): string[] => [
  ...['EC', '-pkeyopt', `ec_paramgen_curve:${name}`],
  ...more,
];
const rsa = (bits: number): string[] => ['RSA', '-pkeyopt', `rsa_keygen_bits:${String(bits)}`];

export const KEY_KINDS = {
  'P-256': curve('P-256'),
  'P-384': curve('P-384'),
  'P-521': curve('P-521'),
  'RSA 2048': rsa(2048),
  'RSA 3072': rsa(3072),
  'RSA 4096': rsa(4096),
  Ed25519: ['ED25519'],
  'RSA 1024': rsa(1024),
  'RSA 2040': rsa(2040),
  'P-192': curve('prime192v1'),
  'P-224': curve('secp224r1'),
  secp256k1: curve('secp256k1'),
  brainpoolP256r1: curve('brainpoolP256r1'),
  'P-256 spelled out': curve('P-256', '-pkeyopt', 'ec_param_enc:explicit'),
  Ed448: ['ED448'],
} as const;

export type KeyKind = keyof typeof KEY_KINDS;

export const newKeyPem = (kind: KeyKind): Promise<string> =>
  openssl(['genpkey', '-algorithm', ...KEY_KINDS[kind]]);

/** A key for DSA, which no part of TLS takes any more. */
export async function newDsaKeyPem(): Promise<string> {
  const parameters = await openssl([
    ...['genpkey', '-genparam', '-algorithm', 'DSA'],
    ...['-pkeyopt', 'dsa_paramgen_bits:1024'],
  ]);
  return openssl(['genpkey', '-paramfile', file(parameters)]);
}

export const requestPem = (key: string, subject: string, ...options: string[]): Promise<string> =>
  openssl(['req', '-new', '-key', file(key, 'key'), '-subj', subject, ...options]);

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** An authority signed by itself. */
export async function newAuthorityPair(kind: KeyKind, subject: string): Promise<Pair> {
  const key = await newKeyPem(kind);
  const cert = await openssl([
    ...['req', '-x509', '-new', '-key', file(key, 'key'), '-subj', subject, '-days', '2'],
    ...['-addext', 'keyUsage=critical,keyCertSign'],
  ]);
  return { cert, key };
}

/** A certificate under an authority, with the extensions of a configuration text. */
export async function issuedPair(
  issuer: Pair,
  kind: KeyKind,
  subject: string,
  extensions = '',
): Promise<Pair> {
  const key = await newKeyPem(kind);
  const request = file(await requestPem(key, subject), 'request');
  const cert = await openssl([
    ...['x509', '-req', '-in', request, '-days', '1'],
    ...['-CA', file(issuer.cert, 'ca'), '-CAkey', file(issuer.key, 'key'), '-CAcreateserial'],
    ...(extensions === '' ? [] : ['-extfile', file(extensions, 'extensions')]),
  ]);
  return { cert, key };
}
