import {
  createPublicKey,
  generateKeyPairSync,
  webcrypto,
  type KeyObject,
  type X509Certificate,
} from 'node:crypto';
import { issueFromCsr, type KeyMaterial } from '../../../src/trust/pki/index.js';
import {
  issueCertificate,
  type CertificateIssuer,
} from '../../../src/trust/pki/issue-certificate.js';
import { x509 } from '../../../src/trust/pki/x509.js';
import { keysIn } from '../../support/key-material.js';

/*
 * Certificates as clients bring them: of authorities of others, and of the network's own signer.
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What a client shows and proves in a TLS handshake. */
export interface ClientCertificate {
  /** The leaf, with whatever else is sent along. */
  readonly cert: string;
  readonly key: string;
}

export type KeyKind = 'ec' | 'rsa';

export const newKey = (kind: KeyKind = 'ec'): KeyObject =>
  kind === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A self-signed authority, or one below another. */
export async function newAuthority(
  commonName: string,
  issuer?: CertificateIssuer,
): Promise<CertificateIssuer> {
  const privateKey = newKey();
  const cert = await issueCertificate(
    {
      subject: [{ CN: [commonName] }],
      publicKey: createPublicKey(privateKey),
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + DAY_MS),
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      ],
    },
    issuer ?? { privateKey },
  );
  return { cert, privateKey };
}

interface LeafOptions {
  readonly names?: readonly x509.JsonGeneralName[];
  /** Over since an hour. */
  readonly isExpired?: boolean;
}

/** A client certificate of an authority; without one it is self-signed. */
export async function newLeaf(
  commonName: string,
  issuer: CertificateIssuer | undefined,
  { names = [], isExpired = false }: LeafOptions = {},
): Promise<ClientCertificate> {
  const privateKey = newKey();
  const cert = await issueCertificate(
    {
      subject: [{ CN: [commonName] }],
      publicKey: createPublicKey(privateKey),
      notBefore: new Date(Date.now() - DAY_MS / 2),
      notAfter: new Date(Date.now() + (isExpired ? -HOUR_MS : HOUR_MS)),
      extensions: [
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
        ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension([...names])] : []),
      ],
    },
    issuer ?? { privateKey },
  );
  return { cert: cert.toString(), key: pemOf(privateKey) };
}

/** The same client, with more certificates in its handshake. */
export const sending = (
  { cert, key }: ClientCertificate,
  ...more: (X509Certificate | string)[]
): ClientCertificate => ({ cert: [cert, ...more.map(String)].join('\n'), key });

/** A PKCS#10 request as PEM. */
export async function newCsr(
  key: KeyObject,
  subject = 'CN=client, O=Example',
  names: x509.JsonGeneralNames = [],
): Promise<string> {
  const isRsa = key.asymmetricKeyType === 'rsa';
  const algorithm = isRsa
    ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
    : { name: 'ECDSA', namedCurve: 'P-256' };
  const [privateKey, publicKey] = await Promise.all([
    importKey('pkcs8', key, algorithm, 'sign'),
    importKey('spki', createPublicKey(key), algorithm, 'verify'),
  ]);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys: { privateKey, publicKey },
    signingAlgorithm: isRsa ? algorithm : { name: 'ECDSA', hash: 'SHA-256' },
    extensions: names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : [],
  });
  return request.toString('pem');
}

const importKey = (
  format: 'pkcs8' | 'spki',
  key: KeyObject,
  algorithm: { name: string },
  use: 'sign' | 'verify',
): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey(format, key.export({ type: format, format: 'der' }), algorithm, true, [
    use,
  ]);

/** The key material of a controller, read from its data directory. */
export const keysOf = ({ dataDir }: { readonly dataDir: string }): Promise<KeyMaterial> =>
  keysIn(dataDir);

export interface NetworkCertificate extends ClientCertificate {
  /** The certificate alone. */
  readonly leaf: string;
}

/** What an identity gets when it enrolls: a certificate of the network with its chain. */
export async function networkCertificate(
  keys: KeyMaterial,
  identityId: string,
  now = new Date(),
): Promise<NetworkCertificate> {
  const key = newKey();
  const issued = await issueFromCsr({
    csrPem: await newCsr(key),
    signer: keys,
    profile: { kind: 'identity', identityId },
    now,
  });
  return { leaf: issued.certificatePem, cert: issued.chainPem, key: pemOf(key) };
}

/** With a key of one's own, for answers of the controller. */
export const withKey = (cert: string, key: KeyObject): ClientCertificate => ({
  cert,
  key: pemOf(key),
});
