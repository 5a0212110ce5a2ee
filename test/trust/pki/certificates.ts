import { createPublicKey, webcrypto, type KeyObject, type X509Certificate } from 'node:crypto';
import type { RouterNameRule } from '../../../src/trust/pki/index.js';
import {
  issueCertificate,
  type CertificateIssuer,
} from '../../../src/trust/pki/issue-certificate.js';
import { x509 } from '../../../src/trust/pki/x509.js';
import { after, makeKey, type KeyKind } from './support.js';

export interface CertificateWishes {
  readonly kind?: KeyKind;
  readonly subject?: string | x509.JsonName | x509.Name;
  readonly issuer?: CertificateIssuer;
  /** Basic constraints of a CA; `isCa: false` with a path length is what a cheat would write. */
  readonly isCa?: boolean;
  readonly pathLength?: number;
  /** Undefined leaves the extension out. */
  readonly keyUsage?: x509.KeyUsageFlags;
  readonly names?: x509.JsonGeneralNames;
  readonly extensions?: readonly x509.Extension[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly privateKey?: KeyObject;
}

let count = 0;

/** A certificate with its key, self-signed without an issuer, valid from yesterday to tomorrow. */
export async function make(wishes: CertificateWishes): Promise<CertificateIssuer> {
  const privateKey = wishes.privateKey ?? makeKey(wishes.kind ?? 'P-256');
  const { subject = `CN=subject ${String(++count)}`, isCa = false, names = [] } = wishes;
  const cert = await issueCertificate(
    {
      subject,
      publicKey: createPublicKey(privateKey),
      notBefore: wishes.notBefore ?? after(-1),
      notAfter: wishes.notAfter ?? after(1),
      extensions: [
        new x509.BasicConstraintsExtension(isCa, wishes.pathLength, true),
        ...(wishes.keyUsage === undefined
          ? []
          : [new x509.KeyUsagesExtension(wishes.keyUsage, true)]),
        ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
        ...(wishes.extensions ?? []),
      ],
    },
    wishes.issuer ?? { privateKey },
  );
  return { cert, privateKey };
}

/** A CA that may sign certificates. */
export const makeCa = (wishes: CertificateWishes = {}): Promise<CertificateIssuer> =>
  make({ isCa: true, keyUsage: x509.KeyUsageFlags.keyCertSign, ...wishes });

export const ders = (...pairs: readonly { readonly cert: X509Certificate }[]): Buffer[] =>
  pairs.map(({ cert }) => cert.raw);

/** How a key of a request is made and used, in terms of WebCrypto. */
export const REQUEST_KEYS = {
  'P-256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  'P-384': { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  'P-521': { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
  'RSA 2048': rsa(2048, 'SHA-256'),
  'RSA 3072': rsa(3072, 'SHA-512'),
  'RSA 1024': rsa(1024, 'SHA-256'),
  'RSA with SHA-1': rsa(2048, 'SHA-1'),
  Ed25519: { name: 'Ed25519' },
} as const;

function rsa(modulusLength: number, hash: string) {
  const publicExponent = new Uint8Array([1, 0, 1]);
  return { name: 'RSASSA-PKCS1-v1_5', modulusLength, publicExponent, hash } as const;
}

export interface RequestWishes {
  readonly key?: keyof typeof REQUEST_KEYS;
  readonly name?: string | x509.JsonName | x509.Name;
  readonly names?: x509.JsonGeneralNames;
  readonly extensions?: x509.Extension[];
}

/** The PEM of a certificate request. */
export async function makeCsr(wishes: RequestWishes = {}): Promise<string> {
  const algorithm = REQUEST_KEYS[wishes.key ?? 'P-256'];
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: wishes.name ?? 'CN=somebody',
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      ...(wishes.names ? [new x509.SubjectAlternativeNameExtension(wishes.names)] : []),
      ...(wishes.extensions ?? []),
    ],
  });
  return request.toString('pem');
}

/** For routers in a network without others. */
export const ANY_NAMES: RouterNameRule = { ownerOf: () => undefined, isPermitted: () => true };

export const armoured = (label: string, der: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64')}\n-----END ${label}-----\n`;

export const derOf = (pem: string): Buffer =>
  Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
