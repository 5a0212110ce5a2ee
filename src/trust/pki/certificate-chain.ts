import type { X509Certificate } from 'node:crypto';
import { isCurrent, type CertificateChain } from './certificate.js';

/** Longer chains do not occur in practice; the bound stops endless walks in cross-signed pools. */
const MAX_DEPTH = 8;

/** Whether `issuer` is a CA that signed `certificate`; dates do not count. */
export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    // This program can not read the kind of the issuer's key.
    return false;
  }
}

/**
 * Whether `certificate` leads to `authority`, directly or through `between`. Dates and limits on paths
 * do not count: it finds the owner of the certificate, and does not decide about trust.
 */
export function isBelow(
  certificate: X509Certificate,
  authority: X509Certificate,
  between: readonly X509Certificate[],
): boolean {
  let waiting = between;
  for (let level = [certificate]; level.length > 0;) {
    const reached = level;
    if (reached.some((one) => isIssuedBy(one, authority))) return true;
    level = waiting.filter((issuer) => reached.some((one) => isIssuedBy(one, issuer)));
    waiting = waiting.filter((issuer) => !level.includes(issuer));
  }
  return false;
}

/**
 * Gives the chain from `certificate` to a self-signed CA of `pool`, both included, or undefined. It
 * prefers certificates valid at `now`, and a root over the same CA certified by another root; the
 * caller must check the dates.
 */
export function chainToRoot(
  certificate: X509Certificate,
  pool: readonly X509Certificate[],
  now: Date,
): CertificateChain | undefined {
  const [roots, others] = [true, false].map((wanted) =>
    pool.filter((candidate) => isIssuedBy(candidate, candidate) === wanted),
  ) as [X509Certificate[], X509Certificate[]];
  const all = [...roots, ...others];
  const current = all.filter((candidate) => isCurrent(candidate, now));
  return walk(certificate, current, 0) ?? walk(certificate, all, 0);
}

function walk(
  certificate: X509Certificate,
  pool: readonly X509Certificate[],
  depth: number,
): CertificateChain | undefined {
  if (isIssuedBy(certificate, certificate)) return [certificate];
  if (depth === MAX_DEPTH) return undefined;
  for (const issuer of pool.filter((candidate) => isIssuedBy(certificate, candidate))) {
    const rest = walk(issuer, pool, depth + 1);
    if (rest) return [certificate, ...rest];
  }
  return undefined;
}
