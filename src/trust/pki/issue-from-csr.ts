import type { X509Certificate } from 'node:crypto';
import { certificateContents } from './certificate-contents.js';
import {
  parseCertificateRequest,
  unusableCsr,
  type CertificateRequest,
} from './certificate-request.js';
import { earlier, fingerprint, notAfter, notBefore, toPem } from './certificate.js';
import { ExtensionId, readAlternativeNames, type Extensions } from './extensions.js';
import { issueCertificate } from './issue-certificate.js';
import type { KeyMaterial } from './key-material.js';
import { checkRouterNames, type RouterNameRule } from './router-names.js';
import { x509 } from './x509.js';

/**
 * The holder of a certificate, which decides the parts of a request that go into it:
 * - identity: the subject; the only name is the SPIFFE id of the identity;
 * - renewal: the subject; the names are those of the current certificate;
 * - routerClient, routerServer: subject and names, unless they belong to another host; the
 *   client's common name is the router's id;
 * - apiSession: the key alone; without the id of a certificate, it is for the login of the session and
 *   its renewals.
 */
export type CsrProfile =
  | { readonly kind: 'identity'; readonly identityId: string }
  | { readonly kind: 'renewal'; readonly current: X509Certificate }
  | {
      readonly kind: 'routerClient' | 'routerServer';
      readonly routerId: string;
      readonly names: RouterNameRule;
    }
  | {
      readonly kind: 'apiSession';
      readonly identityId: string;
      readonly apiSessionId: string;
      readonly certificateId?: string;
    };

type RouterProfile = Extract<CsrProfile, { readonly routerId: string }>;

export interface CsrOrder {
  readonly csrPem: string;
  readonly signer: Pick<KeyMaterial, 'signer' | 'intermediates' | 'trustDomain'>;
  readonly profile: CsrProfile;
  readonly now: Date;
}

export interface IssuedCertificate {
  readonly certificatePem: string;
  /** The certificate and its intermediates, without the root. */
  readonly chainPem: string;
  /** Lower-case hex SHA-1 of the DER. */
  readonly fingerprint: string;
  /** For people: `CN=a, O=b` in the order of the certificate. */
  readonly subject: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const YEAR_MS = 365 * 24 * HOUR_MS;
const API_SESSION_MS = 12 * HOUR_MS;

/** Certifies the key of a request; 400 `COULD_NOT_PROCESS_CSR` when the request can not be used. */
export async function issueFromCsr(order: CsrOrder): Promise<IssuedCertificate> {
  const { signer: network, profile, now } = order;
  const request = parseCertificateRequest(order.csrPem);
  const subject = subjectOf(profile, request);
  const names = namesOf(profile, request, network.trustDomain);
  const certificate = await issueCertificate(
    {
      subject,
      publicKey: request.publicKey,
      // Clocks of verifiers may run a little behind ours.
      notBefore: new Date(now.getTime() - MINUTE_MS),
      notAfter: earlier(
        new Date(now.getTime() + lifetimeOf(profile)),
        notAfter(network.signer.cert),
      ),
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        KEY_USAGE,
        new x509.ExtendedKeyUsageExtension([purposeOf(profile)]),
        // Without a subject, the names identify the holder (RFC 5280 4.2.1.6).
        ...(names ? [subjectAltName(names, subject.toJSON().length === 0)] : []),
      ],
    },
    network.signer,
  );
  return {
    certificatePem: toPem([certificate]),
    chainPem: toPem([certificate, ...network.intermediates]),
    fingerprint: fingerprint(certificate),
    subject: subject.toString(),
    notBefore: notBefore(certificate),
    notAfter: notAfter(certificate),
  };
}

const lifetimeOf = (profile: CsrProfile): number =>
  profile.kind === 'apiSession' && profile.certificateId !== undefined ? API_SESSION_MS : YEAR_MS;

const KEY_USAGE = new x509.KeyUsagesExtension(
  x509.KeyUsageFlags.digitalSignature |
    x509.KeyUsageFlags.keyEncipherment |
    x509.KeyUsageFlags.dataEncipherment,
  true,
);

const purposeOf = ({ kind }: CsrProfile): string =>
  kind === 'routerServer' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;

const subjectAltName = (encoded: Buffer, critical: boolean): x509.Extension =>
  new x509.Extension('2.5.29.17', critical, encoded);

function subjectOf(profile: CsrProfile, request: CertificateRequest): x509.Name {
  if (profile.kind === 'apiSession')
    return new x509.Name([{ CN: [{ utf8String: profile.identityId }] }]);
  const subject = copiedName(request.subject);
  if (profile.kind === 'routerClient' || profile.kind === 'routerServer') {
    checkRouter(profile, request, subject);
  }
  return subject;
}

function checkRouter(
  profile: RouterProfile,
  request: CertificateRequest,
  subject: x509.Name,
): void {
  const { kind, routerId, names } = profile;
  const commonNames = subject.getField('CN');
  if (kind === 'routerClient' && (commonNames.length !== 1 || commonNames[0] !== routerId)) {
    throw unusableCsr('its common name is not the id of the router');
  }
  checkRouterNames(request, subject, routerId, names);
}

/** Keeps the encoding of the name: another encoding would be another name for some clients. */
function copiedName(encoded: Buffer): x509.Name {
  try {
    const name = new x509.Name(encoded);
    if (Buffer.from(name.toArrayBuffer()).equals(encoded)) return name;
  } catch {
    // Refused below, like other names that are read but not kept.
  }
  throw unusableCsr('its subject can not be read');
}

/** The encoded alternative names, undefined for none. */
function namesOf(
  profile: CsrProfile,
  request: CertificateRequest,
  trustDomain: string,
): Buffer | undefined {
  switch (profile.kind) {
    case 'identity':
      return spiffeName(trustDomain, `identity/${profile.identityId}`);
    case 'apiSession': {
      const { identityId, apiSessionId, certificateId } = profile;
      const session = `identity/${identityId}/apiSession/${apiSessionId}`;
      const below = certificateId === undefined ? '' : `/apiSessionCertificate/${certificateId}`;
      return spiffeName(trustDomain, session + below);
    }
    case 'renewal':
      return certificateContents(profile.current)?.extensions.get(ExtensionId.subjectAltName)
        ?.value;
    default:
      return requestedNames(request.extensions);
  }
}

/** A certificate must not contain an empty list of names (RFC 5280 4.2.1.6). */
const requestedNames = (extensions: Extensions): Buffer | undefined =>
  readAlternativeNames(extensions).forms.size > 0
    ? extensions.get(ExtensionId.subjectAltName)?.value
    : undefined;

function spiffeName(trustDomain: string, path: string): Buffer {
  const value = `spiffe://${trustDomain}/${path}`;
  const { value: encoded } = new x509.SubjectAlternativeNameExtension([{ type: 'url', value }]);
  return Buffer.from(encoded);
}
