import type { X509Certificate } from 'node:crypto';
import { certificateContents, type CertificateContents } from './certificate-contents.js';
import { isIssuedBy } from './certificate-chain.js';
import { isCurrent } from './certificate.js';
import { NameForm } from './extensions.js';
import { isStrongKey } from './public-key.js';

/** More intermediates than this between a leaf and its anchor do not occur in practice. */
const MAX_INTERMEDIATES = 8;

export interface TrustQuestion {
  readonly leaf: X509Certificate;
  /** Certificates that were sent with the leaf: possible issuers of it, nothing more. */
  readonly candidates: readonly X509Certificate[];
  /** CAs that are trusted directly; their own issuers do not count. */
  readonly anchors: readonly X509Certificate[];
  readonly now: Date;
}

/**
 * Gives the anchor that a leaf leads to, through candidates as far as needed. All certificates but the
 * leaf must be valid now; the caller checks the dates and usages of the leaf. The certificate of an
 * authority is no leaf: the holder of its key vouches for others and is none of them.
 *
 * The search visits every candidate once, by distance from the leaf. A nearer certificate has fewer
 * below it, so a limit on the path that refuses it at the first visit would refuse it at any other:
 * the work grows with the square of the certificates, however they are cross-signed.
 */
export function findTrustAnchor(question: TrustQuestion): X509Certificate | undefined {
  const leaf = member(question.leaf);
  if (!leaf?.contents.isUnderstood || leaf.contents.isAuthority) return undefined;
  const usable = (certificates: readonly X509Certificate[]): Member[] =>
    certificates.flatMap((certificate) => issuer(certificate, leaf, question.now) ?? []);
  const anchors = usable(question.anchors);
  let waiting = usable(question.candidates).filter(({ contents }) => contents.maySignCertificates);
  let level: readonly Member[] = [leaf];
  for (let below = 0; below <= MAX_INTERMEDIATES && level.length > 0; below++) {
    const issued = level;
    const certifies = (candidate: Member): boolean =>
      (candidate.contents.pathLimit ?? below) >= below &&
      issued.some((subject) => isSignedBy(subject, candidate));
    const anchor = anchors.find(certifies);
    if (anchor) return anchor.certificate;
    level = waiting.filter(certifies);
    waiting = waiting.filter((candidate) => !level.includes(candidate));
  }
  return undefined;
}

interface Member {
  readonly certificate: X509Certificate;
  readonly contents: CertificateContents;
}

function member(certificate: X509Certificate): Member | undefined {
  const contents = certificateContents(certificate);
  return contents && { certificate, contents };
}

/** Gives the certificate as an issuer in the path of `leaf`, undefined when it can not be one. */
function issuer(certificate: X509Certificate, leaf: Member, now: Date): Member | undefined {
  // `ca` implies that a key usage, if present, lets the key sign certificates.
  if (!certificate.ca || !isCurrent(certificate, now)) return undefined;
  const candidate = member(certificate);
  // Runs before any signature check with the key, because the sender has chosen the key.
  if (!candidate || !isStrongKey(candidate.contents.publicKey)) return undefined;
  const { isUnderstood, constrainedForms } = candidate.contents;
  return isUnderstood && isFree(leaf, constrainedForms) ? candidate : undefined;
}

/**
 * Constraints concern names of one form (RFC 5280 4.2.1.10). They are not evaluated: a CA that
 * constrains a form of the leaf's names is refused. Every subject is a directory name, and an address
 * in it counts as e-mail.
 */
const isFree = ({ contents }: Member, constrained: ReadonlySet<number>): boolean =>
  !constrained.has(NameForm.directory) &&
  !constrained.has(NameForm.email) &&
  [...constrained].every((form) => !contents.alternativeNames.forms.has(form));

const isSignedBy = (subject: Member, candidate: Member): boolean =>
  subject.contents.signature !== undefined &&
  isIssuedBy(subject.certificate, candidate.certificate);
