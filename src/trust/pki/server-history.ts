import type { X509Certificate } from 'node:crypto';
import { StartError } from '../../base/start-error.js';
import { decodeCertificates, distinct, toPem } from './certificate.js';
import type { KeyDirectory } from './key-directory.js';

/** Server certificates whose keys may have signed outstanding tokens, newest first. */
export const SERVER_HISTORY_FILE = 'server-history.pem';

/**
 * Enrollments may last ten years, tokens for a CA do not expire, and a certificate of one year is
 * renewed after two thirds of it: 16 certificates cover more than ten years.
 */
const MAX_CERTIFICATES = 16;

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
 * Records that tokens have the fingerprint of this certificate as `kid`. It runs before another
 * certificate replaces this one, so that no crash loses it.
 */
export async function rememberServer(
  directory: KeyDirectory,
  leaf: X509Certificate,
): Promise<void> {
  const history = await readServerHistory(directory);
  if (history[0]?.raw.equals(leaf.raw)) return;
  await directory.write(
    SERVER_HISTORY_FILE,
    toPem(distinct([leaf, ...history]).slice(0, MAX_CERTIFICATES)),
  );
}
