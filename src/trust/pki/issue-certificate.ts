import { X509Certificate, randomBytes, webcrypto, type KeyObject } from 'node:crypto';
import { signingAlgorithm } from './signing-algorithm.js';
import { x509 } from './x509.js';

/** The contents of a certificate. Serial number and key identifiers are added on issue. */
export interface CertificateTemplate {
  readonly subject: x509.X509CertificateCreateParamsName;
  readonly publicKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly extensions: readonly x509.Extension[];
}

/** A CA and its key; the key's kind (EC P-256/P-384/P-521 or RSA) decides the signature. */
export interface CertificateIssuer {
  readonly cert: X509Certificate;
  readonly privateKey: KeyObject;
}

/** Signs a template with the issuer, or with its own key (`{ privateKey }`) for a root. */
export async function issueCertificate(
  template: CertificateTemplate,
  issuer: CertificateIssuer | { readonly privateKey: KeyObject },
): Promise<X509Certificate> {
  const publicKey = template.publicKey.export({ type: 'spki', format: 'der' });
  const authority = 'cert' in issuer ? new x509.X509Certificate(issuer.cert.raw) : undefined;
  const { signingKey, hash } = await signingKeyOf(issuer.privateKey);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: randomSerial(),
    subject: template.subject,
    issuer: authority?.subjectName ?? template.subject,
    notBefore: template.notBefore,
    notAfter: template.notAfter,
    publicKey,
    signingKey,
    signingAlgorithm: { name: signingKey.algorithm.name, hash },
    extensions: [
      ...template.extensions,
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      ...authorityKeyIdentifier(authority),
    ],
  });
  return new X509Certificate(Buffer.from(certificate.rawData));
}

/** Copied from the issuer, whose identifier may be computed in another way (RFC 5280 4.2.1.1). */
function authorityKeyIdentifier(authority: x509.X509Certificate | undefined): x509.Extension[] {
  const subjectKey = authority?.getExtension(x509.SubjectKeyIdentifierExtension);
  return subjectKey ? [new x509.AuthorityKeyIdentifierExtension(subjectKey.keyId)] : [];
}

/** 20 bytes, positive, the first one not zero, so that the DER integer is minimal (RFC 5280 4.1.2.2). */
function randomSerial(): string {
  const serial = randomBytes(20);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial.toString('hex');
}

interface SigningKey {
  readonly signingKey: webcrypto.CryptoKey;
  readonly hash: string;
}

/** Cached by key: importing a key for each certificate would cost as much as signing. */
const imported = new WeakMap<KeyObject, Promise<SigningKey>>();

function signingKeyOf(privateKey: KeyObject): Promise<SigningKey> {
  const signingKey = imported.get(privateKey) ?? importSigningKey(privateKey);
  imported.set(privateKey, signingKey);
  return signingKey;
}

async function importSigningKey(privateKey: KeyObject): Promise<SigningKey> {
  const signing = signingAlgorithm(privateKey);
  if (!signing) throw new Error('this kind of key can not sign certificates');
  const hash = `SHA-${signing.digest.slice('sha'.length)}`;
  const algorithm = signing.curve
    ? { name: 'ECDSA', namedCurve: signing.curve }
    : { name: 'RSASSA-PKCS1-v1_5', hash };
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' });
  const signingKey = await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']);
  return { signingKey, hash };
}
