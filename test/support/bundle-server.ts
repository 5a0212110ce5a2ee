import { createPublicKey, type X509Certificate } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { CertificateIssuer } from '../../src/trust/pki/index.js';
import { issueCertificate } from '../../src/trust/pki/issue-certificate.js';
import { x509 } from '../../src/trust/pki/x509.js';
import { newKey } from '../trust/auth/certificates.js';

/* Trust domains of others: their authorities, workloads, and the bundle endpoint. */

const HOUR = 3_600_000;

interface CertificateParts {
  readonly issuer?: CertificateIssuer;
  readonly names?: readonly x509.JsonGeneralName[];
  readonly isCa?: boolean;
  readonly usage?: x509.KeyUsageFlags | undefined;
  readonly extendedUsages?: readonly string[];
  /** Over since an hour. */
  readonly isExpired?: boolean;
}

/** A certificate with its key; self-signed without an issuer. */
async function certify(parts: CertificateParts): Promise<CertificateIssuer> {
  const { issuer, names = [], isCa = false, usage, extendedUsages = [], isExpired } = parts;
  const privateKey = newKey();
  const cert = await issueCertificate(
    {
      subject: [{ O: ['SPIRE'] }],
      publicKey: createPublicKey(privateKey),
      notBefore: new Date(Date.now() - 12 * HOUR),
      notAfter: new Date(Date.now() + (isExpired === true ? -HOUR : 12 * HOUR)),
      extensions: [
        new x509.BasicConstraintsExtension(isCa, undefined, true),
        ...(usage === undefined ? [] : [new x509.KeyUsagesExtension(usage, true)]),
        ...(extendedUsages.length > 0
          ? [new x509.ExtendedKeyUsageExtension([...extendedUsages])]
          : []),
        ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension([...names])] : []),
      ],
    },
    issuer ?? { privateKey },
  );
  return { cert, privateKey };
}

const uris = (...values: readonly string[]): x509.JsonGeneralName[] =>
  values.map((value) => ({ type: 'url', value }));

const { keyCertSign, digitalSignature } = x509.KeyUsageFlags;

/** The authority of a trust domain, or an intermediate of it. */
export const newRoot = (
  trustDomain: string,
  issuer?: CertificateIssuer,
): Promise<CertificateIssuer> =>
  certify({
    isCa: true,
    usage: keyCertSign,
    names: uris(`spiffe://${trustDomain}`),
    ...(issuer ? { issuer } : {}),
  });

/** An X509-SVID; `parts` make it a wrong one. */
export const newSvid = (
  spiffeId: string,
  issuer: CertificateIssuer,
  parts: Omit<CertificateParts, 'issuer' | 'names'> & { readonly others?: readonly string[] } = {},
): Promise<CertificateIssuer> =>
  certify({
    usage: digitalSignature,
    extendedUsages: [x509.ExtendedKeyUsage.clientAuth, x509.ExtendedKeyUsage.serverAuth],
    ...parts,
    issuer,
    names: uris(spiffeId, ...(parts.others ?? [])),
  });

/** A certificate of a server at 127.0.0.1. */
export const newServerCertificate = (issuer: CertificateIssuer): Promise<CertificateIssuer> =>
  certify({
    issuer,
    usage: digitalSignature,
    extendedUsages: [x509.ExtendedKeyUsage.serverAuth],
    names: [{ type: 'ip', value: '127.0.0.1' }],
  });

export const pemOf = ({ cert }: { readonly cert: X509Certificate }): string => cert.toString();

/** A key of a bundle. */
export const bundleKey = ({ cert }: Pick<CertificateIssuer, 'cert'>): object => ({
  ...cert.publicKey.export({ format: 'jwk' }),
  use: 'x509-svid',
  x5c: [cert.raw.toString('base64')],
});

/** The document of a bundle. */
export const bundleOf = (
  roots: readonly Pick<CertificateIssuer, 'cert'>[],
  more: object = { spiffe_sequence: 1, spiffe_refresh_hint: 600 },
): string => JSON.stringify({ keys: roots.map(bundleKey), ...more });

export interface BundleServer {
  readonly url: string;
  /** Its next answer. */
  answer: string | RequestListener;
  /** How often it was asked. */
  readonly requests: () => number;
  close(): Promise<void>;
}

/** A bundle endpoint on loopback with TLS. */
export async function serveBundle(
  answer: BundleServer['answer'],
  { cert, privateKey }: CertificateIssuer,
): Promise<BundleServer> {
  let count = 0;
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const server = createServer({ cert: cert.toString(), key }, (request, response) => {
    count += 1;
    if (typeof bundle.answer === 'string') response.end(bundle.answer);
    else bundle.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const bundle: BundleServer = {
    url: `https://127.0.0.1:${String(port)}/bundle`,
    answer,
    requests: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return bundle;
}
