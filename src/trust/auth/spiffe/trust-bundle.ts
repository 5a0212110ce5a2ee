import type { X509Certificate } from 'node:crypto';
import { parseJson } from '../../../base/json-text.js';
import { isObject } from '../../../base/row.js';
import { alternativeNames, decodeCertificate, isUsableAuthority } from '../../pki/index.js';
import { DownloadFault } from '../ext-jwt/index.js';
import { trustDomainIn } from '../rules/index.js';

/** The bundle of a trust domain (SPIFFE Trust Domain and Bundle 4), as far as certificates need it. */
export interface TrustBundle {
  /** Grows with each change of the bundle; null if the bundle has none. */
  readonly sequence: number | null;
  /** Seconds after which it should be read again. */
  readonly refreshHint: number | null;
  /** The authorities, as PEM. */
  readonly roots: string;
}

/** A trust domain has a few; more are the work of somebody who wants to keep logins busy. */
const MAX_ROOTS = 32;

/**
 * Reads the bundle of a trust domain. One wrong certificate refuses all of it: half a bundle would be neither the old
 * nor the new state of the trust domain.
 * @throws DownloadFault
 */
export function parseTrustBundle(text: string, trustDomain: string): TrustBundle {
  const set = readObject(text);
  if (!Array.isArray(set.keys)) throw new DownloadFault('answered without a list of keys');
  // Keys with another use are for others (4.2.2).
  const keys = (set.keys as unknown[]).filter(isForCertificates);
  if (keys.length === 0) throw new DownloadFault('the bundle has no certificates');
  if (keys.length > MAX_ROOTS) {
    throw new DownloadFault(`the bundle has more than ${String(MAX_ROOTS)} certificates`);
  }
  const roots = keys.map((key) => rootIn(key, trustDomain));
  return {
    sequence: wholeNumber(set.spiffe_sequence, 'spiffe_sequence'),
    refreshHint: wholeNumber(set.spiffe_refresh_hint, 'spiffe_refresh_hint'),
    roots: [...new Set(roots.map(String))].join(''),
  };
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw new DownloadFault('answered with something else than JSON');
  }
  if (isObject(value)) return value;
  throw new DownloadFault('answered with something else than a bundle');
}

const isForCertificates = (key: unknown): key is Readonly<Record<string, unknown>> =>
  isObject(key) && key.use === 'x509-svid';

/** The bundle does not name its trust domain, but its authorities may: then they must name this one. */
function rootIn({ x5c }: Readonly<Record<string, unknown>>, trustDomain: string): X509Certificate {
  const chain: readonly unknown[] = Array.isArray(x5c) ? (x5c as unknown[]) : [];
  const [encoded] = chain;
  if (chain.length !== 1 || typeof encoded !== 'string') {
    throw new DownloadFault('a key of the bundle does not have exactly one certificate');
  }
  const certificate = decodeCertificate(Buffer.from(encoded, 'base64'));
  if (!certificate) throw new DownloadFault('a certificate of the bundle can not be read');
  if (!isUsableAuthority(certificate)) {
    throw new DownloadFault('a certificate of the bundle is not that of a usable authority');
  }
  const isOfAnother = alternativeNames(certificate)
    .uris.flatMap((uri) => trustDomainIn(uri) ?? [])
    .some((named) => named !== trustDomain);
  if (isOfAnother) throw new DownloadFault('the bundle belongs to another trust domain');
  return certificate;
}

function wholeNumber(value: unknown, name: string): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw new DownloadFault(`${name} of the bundle is not a whole number`);
}
