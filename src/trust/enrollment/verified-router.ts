import { notAfter, notBefore, parseCertificatePem } from '../pki/index.js';
import type { Resource } from '../../kernel/declare/resource.js';

export type RouterKind = 'EdgeRouter' | 'TransitRouter';

/** The values of a router with a certificate that it has. */
export const verified = (
  resource: Resource<RouterKind>,
  print: string,
  certPem: string | null,
) => ({
  fingerprint: print,
  unverifiedFingerprint: null,
  unverifiedCertPem: null,
  // Transit routers have no attribute for the certificate itself.
  ...(resource.attributes.has('certPem') ? { certPem } : validityOf(certPem)),
});

function validityOf(certPem: string | null) {
  if (certPem === null) return {};
  const [certificate] = parseCertificatePem(certPem);
  return { notBefore: notBefore(certificate), notAfter: notAfter(certificate) };
}
