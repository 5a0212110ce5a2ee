import { decodeCertificate } from '../../pki/index.js';
import type { BundleAuthority } from '../../../data/rows/certificate-authority/index.js';
import { downloadJwks, resolveHost, type ResolveHost } from '../ext-jwt/index.js';
import { parseTrustBundle, type TrustBundle } from './trust-bundle.js';
import { svidIn } from './x509-svid.js';

export interface BundleDownloadOptions {
  /** Whether bundles may be on loopback and private addresses. */
  readonly allowPrivate: boolean;
  /** Default: 5000. */
  readonly timeoutMs?: number;
  readonly resolve?: ResolveHost;
}

const TIMEOUT_MS = 5_000;

type BundleSource = Pick<BundleAuthority, 'bundleEndpoint' | 'bundleRoots'>;

/**
 * Downloads the bundle of a trust domain (SPIFFE Federation 5.2).
 * @throws DownloadFault
 */
export async function downloadBundle(
  source: BundleSource,
  { allowPrivate, timeoutMs = TIMEOUT_MS, resolve = resolveHost }: BundleDownloadOptions,
): Promise<TrustBundle> {
  const { url, trustDomain } = source.bundleEndpoint;
  const text = await downloadJwks(url, {
    ...{ timeoutMs, allowPrivate, resolve },
    // A bundle is as trustworthy as the server at the URL that an administrator has entered (7.5.1).
    maxRedirects: 0,
    ...serverCheck(source),
  });
  return parseTrustBundle(text, trustDomain);
}

/** The proof that the server owes, and the authorities of it. */
function serverCheck({ bundleEndpoint, bundleRoots }: BundleSource) {
  const { profile, ca, endpointSpiffeId } = bundleEndpoint;
  if (profile === 'HTTPS_WEB') return { ca: ca ?? undefined };
  return {
    ca: bundleRoots ?? ca ?? '',
    checkServerIdentity: (_host: string, { raw }: { readonly raw: Buffer }) =>
      isServer(raw, endpointSpiffeId) ? undefined : new Error('another SPIFFE ID'),
  };
}

function isServer(der: Buffer, endpointSpiffeId: string | null): boolean {
  const certificate = decodeCertificate(der);
  const svid = certificate && svidIn(certificate);
  return svid !== undefined && `spiffe://${svid.trustDomain}${svid.path}` === endpointSpiffeId;
}
