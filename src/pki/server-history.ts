import type { X509Certificate } from 'node:crypto';
import { StartError } from '../base/start-error.js';
import { decodeCertificates, distinct, toPem } from './certificate.js';
import type { KeyDirectory } from './key-directory.js';

/** Server certificates that tokens may have been signed under, newest first. */
export const SERVER_HISTORY_FILE = 'server-history.pem';

/**
 * An enrollment can be configured to last ten years, tokens for a CA have no end, and a certificate
 * that lasts a year is replaced after two thirds of it: 16 of them reach back over ten years.
 */
const KEPT = 16;

export async function readServerHistory(directory: KeyDirectory): Promise<X509Certificate[]> {
  const pem = await directory.read(SERVER_HISTORY_FILE);
  if (!pem) return [];
  const path = directory.pathOf(SERVER_HISTORY_FILE);
  return [
    ...decodeCertificates(
      pem.toString('latin1'),
      (reason) => new StartError(`${path}: ${reason}`, 'restore it from a backup, or delete it'),
    ),
  ];
}

/**
 * Notes that tokens carry the fingerprint of this certificate as `kid`. Done before another takes its
 * place, so that no moment of a crash loses it.
 */
export async function rememberServer(
  directory: KeyDirectory,
  leaf: X509Certificate,
): Promise<void> {
  const known = await readServerHistory(directory);
  if (known[0]?.raw.equals(leaf.raw)) return;
  await directory.write(SERVER_HISTORY_FILE, toPem(distinct([leaf, ...known]).slice(0, KEPT)));
}
