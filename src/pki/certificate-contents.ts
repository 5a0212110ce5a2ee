import type { X509Certificate } from 'node:crypto';
import { derMembers, derValue, ifDer, Tag } from './der.js';
import {
  constrainedForms,
  ExtensionId,
  maySignCertificates,
  pathLimit,
  readAlternativeNames,
  readExtensions,
  type AlternativeNames,
  type Extensions,
} from './extensions.js';
import { readSignatureScheme, type SignatureScheme } from './signature-scheme.js';

/** What `X509Certificate` does not tell about a certificate, read from its encoding. */
export interface CertificateContents {
  readonly extensions: Extensions;
  readonly alternativeNames: AlternativeNames;
  /** Undefined for an algorithm that is not trusted. */
  readonly signature: SignatureScheme | undefined;
  /** Whether nothing critical is left that is not understood (RFC 5280 4.2). */
  readonly isUnderstood: boolean;
  readonly maySignCertificates: boolean | undefined;
  readonly pathLimit: number | undefined;
  readonly constrainedForms: ReadonlySet<number>;
}

const EXTENSIONS_FIELD = 0xa3;
const UNDERSTOOD: ReadonlySet<string> = new Set(Object.values(ExtensionId));

/** The contents, undefined where an extension that is read here is malformed. */
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
      pathLimit: pathLimit(extensions),
      constrainedForms: constrainedForms(extensions),
    };
  });

/** URIs and e-mail addresses among the alternative names; none where they can not be read. */
export const alternativeNames = (
  certificate: X509Certificate,
): Pick<AlternativeNames, 'uris' | 'emails'> =>
  certificateContents(certificate)?.alternativeNames ?? { uris: [], emails: [] };
