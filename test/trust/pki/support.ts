import { afterAll } from '@jest/globals';
import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type X509Certificate,
} from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootTemplate, serverTemplate } from '../../../src/trust/pki/certificate-profiles.js';
import { toPem } from '../../../src/trust/pki/certificate.js';
import {
  loadKeyMaterial,
  type KeyMaterial,
  type KeyMaterialFiles,
  type KeyMaterialOptions,
} from '../../../src/trust/pki/index.js';
import {
  issueCertificate,
  type CertificateIssuer,
} from '../../../src/trust/pki/issue-certificate.js';
import { serverNames } from '../../../src/trust/pki/server-names.js';

export const NOW = new Date('2026-11-20T12:00:00Z');
export const DAY_MS = 24 * 60 * 60_000;
export const after = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS);

const folders: string[] = [];

afterAll(async () => {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'overgraph-pki-'));
  folders.push(folder);
  return folder;
}

/** Loads (and so makes) the material of `directory` for the host `controller.example.com`. */
export const load = (
  directory: string,
  options: Partial<KeyMaterialOptions> = {},
): Promise<KeyMaterial> =>
  loadKeyMaterial({
    directory,
    advertiseHost: 'controller.example.com',
    clock: () => NOW,
    ...options,
  });

export type KeyKind = 'P-256' | 'P-384' | 'P-521' | 'RSA';

export const makeKey = (kind: KeyKind): KeyObject =>
  kind === 'RSA'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    : generateKeyPairSync('ec', { namedCurve: kind }).privateKey;

export async function makeRoot(kind: KeyKind, tag = 'test', now = NOW): Promise<CertificateIssuer> {
  const privateKey = makeKey(kind);
  const template = rootTemplate(createPublicKey(privateKey), tag, now);
  return { cert: await issueCertificate(template, { privateKey }), privateKey };
}

export async function makeServer(
  root: CertificateIssuer,
  kind: KeyKind,
  host = 'controller.example.com',
  now = NOW,
): Promise<CertificateIssuer> {
  const privateKey = makeKey(kind);
  const template = serverTemplate(
    createPublicKey(privateKey),
    serverNames([host]),
    'spiffe://test/controller/c1',
    { now, latest: new Date('2099-01-01T00:00:00Z') },
  );
  return { cert: await issueCertificate(template, root), privateKey };
}

/** Writes PEM files into a new folder; the options of `load` that point at them. */
export async function pemFiles<Name extends keyof KeyMaterialFiles>(
  contents: Readonly<Record<Name, readonly X509Certificate[] | KeyObject>>,
): Promise<Record<Name, string>> {
  const folder = await temporaryFolder();
  const paths: Partial<Record<Name, string>> = {};
  for (const name in contents) {
    const content = contents[name];
    const pem =
      'export' in content
        ? content.export({ type: 'pkcs8', format: 'pem' }).toString()
        : toPem(content);
    const path = join(folder, `${name}.pem`);
    await writeFile(path, pem, { mode: 0o600 });
    paths[name] = path;
  }
  // Every name of the input was assigned above.
  return paths as Record<Name, string>;
}
