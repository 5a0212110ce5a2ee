import type { X509Certificate } from 'node:crypto';
import { certificateContents } from './certificate-contents.js';
import { isAuthority, signsDataAlone } from './extensions.js';
import { isStrongKey } from './public-key.js';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';

/** Without extended usages a certificate may serve any purpose (RFC 5280 4.2.1.12). */
export function isForClients({ keyUsage: usages }: Partial<X509Certificate>): boolean {
  return usages === undefined || usages.includes(CLIENT_AUTH) || usages.includes(ANY_USAGE);
}

/** Whether a certificate is a leaf whose key signs data alone (X509-SVID 4.3). */
export function isSigningLeaf(certificate: X509Certificate): boolean {
  const extensions = certificateContents(certificate)?.extensions;
  return extensions !== undefined && !isAuthority(extensions) && signsDataAlone(extensions);
}

/** Whether a certificate can be the authority at the end of a path; its dates do not count. */
export function isUsableAuthority(certificate: X509Certificate): boolean {
  const contents = certificateContents(certificate);
  return certificate.ca && contents?.isUnderstood === true && isStrongKey(contents.publicKey);
}
