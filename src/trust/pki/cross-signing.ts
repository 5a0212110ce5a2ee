import type { X509Certificate } from 'node:crypto';
import { isIssuedBy } from './certificate-chain.js';
import { distinct, isCurrent } from './certificate.js';

/*
 * A new root certified by an old one is the same CA for clients that trust only the old one, and
 * proves that the old one accepted it as its successor.
 */

/** Gives certificates with key and name of `root` that another root of the pool issued. */
const crossSigned = (
  root: X509Certificate,
  pool: readonly X509Certificate[],
): { readonly cross: X509Certificate; readonly by: X509Certificate }[] =>
  pool.flatMap((cross) => {
    if (!isOf(cross, root)) return [];
    const by = pool.find(
      (issuer) => isSelfSigned(issuer) && !isOf(issuer, root) && isIssuedBy(cross, issuer),
    );
    return by ? [{ cross, by }] : [];
  });

/** Gives the certificates to send to clients that trust only a predecessor of the root. */
export const crossCertificates = (
  root: X509Certificate,
  pool: readonly X509Certificate[],
  now: Date,
): X509Certificate[] =>
  distinct(
    crossSigned(root, pool)
      .filter(({ cross, by }) => isCurrent(cross, now) && isCurrent(by, now))
      .map(({ cross }) => cross),
  );

/** Gives roots that vouched for this one, directly or through each other, the nearest first. */
export function predecessorsOf(
  root: X509Certificate,
  pool: readonly X509Certificate[],
): X509Certificate[] {
  const predecessors: X509Certificate[] = [];
  for (let level = [root]; level.length > 0;) {
    const roots = [root, ...predecessors];
    level = distinct(level.flatMap((one) => crossSigned(one, pool).map(({ by }) => by))).filter(
      ({ raw }) => !roots.some((other) => other.raw.equals(raw)),
    );
    predecessors.push(...level);
  }
  return predecessors;
}

const isSelfSigned = (certificate: X509Certificate): boolean =>
  isIssuedBy(certificate, certificate);

const isOf = (certificate: X509Certificate, root: X509Certificate): boolean =>
  certificate.ca &&
  certificate.subject === root.subject &&
  certificate.publicKey.equals(root.publicKey);
