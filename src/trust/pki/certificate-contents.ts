import type { X509Certificate } from 'node:crypto';
import { derMembers, derValue, ifDer, Tag } from './der.js';
import {
  constrainedForms,
  ExtensionId,
  isAuthority,
  maySignCertificates,
  pathLimit,
  readAlternativeNames,
  readExtensions,
  type AlternativeNames,
  type Extensions,
} from './extensions.js';
import { addressOf } from './host-names.js';
import { publicKeyIn } from './public-key.js';
import { readSignatureScheme, type SignatureScheme } from './signature-scheme.js';

/** The contents of a certificate that `X509Certificate` does not give, read from its encoding. */
export interface CertificateContents {
  readonly extensions: Extensions;
  readonly alternativeNames: AlternativeNames;
  /** Undefined for an algorithm that is not trusted. */
  readonly signature: SignatureScheme | undefined;
  /** Whether all critical extensions are understood (RFC 5280 4.2). */
  readonly isUnderstood: boolean;
  readonly maySignCertificates: boolean | undefined;
  readonly isAuthority: boolean;
  /** The encoded bytes. */
  readonly publicKey: Buffer;
  readonly pathLimit: number | undefined;
  readonly constrainedForms: ReadonlySet<number>;
}

const EXTENSIONS_FIELD = 0xa3;
const UNDERSTOOD: ReadonlySet<string> = new Set(Object.values(ExtensionId));

/** Gives the contents, undefined when an extension read here is malformed. */
export const certificateContents = (
  certificate: X509Certificate,
): CertificateContents | undefined =>
  ifDer(() => {
    const [body, algorithm] = derMembers(derValue(certificate.raw, Tag.sequence), Tag.sequence);
    const field = derMembers(body, Tag.sequence).find(({ tag }) => tag === EXTENSIONS_FIELD);
    const extensions: Extensions = field
      ? readExtensions(derValue(field.content, Tag.sequence))
      : new Map();
    return {
      extensions,
      alternativeNames: readAlternativeNames(extensions),
      signature: readSignatureScheme(algorithm),
      isUnderstood: [...extensions].every(([id, { critical }]) => !critical || UNDERSTOOD.has(id)),
      maySignCertificates: maySignCertificates(extensions),
      isAuthority: isAuthority(extensions),
      publicKey: publicKeyIn(certificate.raw) ?? Buffer.alloc(0),
      pathLimit: pathLimit(extensions),
      constrainedForms: constrainedForms(extensions),
    };
  });

/** Gives the URIs and e-mail addresses of the alternative names; none if they are malformed. */
export const alternativeNames = (
  certificate: X509Certificate,
): Pick<AlternativeNames, 'uris' | 'emails'> =>
  certificateContents(certificate)?.alternativeNames ?? { uris: [], emails: [] };

/** Gives the DNS names and addresses of the alternative names. */
export function hostNamesIn(certificate: X509Certificate): readonly string[] {
  const names = certificateContents(certificate)?.alternativeNames;
  if (!names) return [];
  return [...names.dnsNames, ...names.addresses.flatMap((bytes) => addressOf(bytes) ?? [])];
}
