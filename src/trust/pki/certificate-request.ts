import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { failure, type ApiError } from '../../base/errors.js';
import { DerError, derMembers, derValue, expectTag, ifDer, Tag, type DerValue } from './der.js';
import { readExtensions, type Extensions } from './extensions.js';
import { decodePemBody } from './pem.js';
import { isStrongKey } from './public-key.js';
import { readSignatureScheme, type SignatureScheme } from './signature-scheme.js';

/** A request for a certificate (PKCS#10, RFC 2986); its signature proves the possession of the key. */
export interface CertificateRequest {
  /** The requested name, in the bytes of the request. */
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  /** The requested extensions (RFC 2985 5.4.2). */
  readonly extensions: Extensions;
}

const MAX_CHARACTERS = 32_768;
const PEM_BEGIN = /-----BEGIN /g;
/** keytool and Windows write the older label. */
const PEM_REQUEST = /-----BEGIN ((?:NEW )?CERTIFICATE REQUEST)-----([^-]*)-----END \1-----/;

const ATTRIBUTES_FIELD = 0xa0;
/** 1.2.840.113549.1.9.14 */
const EXTENSION_REQUEST = '2a864886f70d01090e';

export const unusableCsr = (reason: string): ApiError => failure('COULD_NOT_PROCESS_CSR', reason);

/** Reads the only request of a PEM text; 400 `COULD_NOT_PROCESS_CSR` unless it is fully valid. */
export function parseCertificateRequest(csrPem: string): CertificateRequest {
  const der = decodePem(csrPem);
  const request = ifDer(() => readRequest(der));
  if (!request) throw unusableCsr('it is not a certificate request in DER');
  const { subject, extensions, scheme, signed, signature } = request;
  const publicKey = isStrongKey(request.publicKey) && decodePublicKey(request.publicKey);
  if (!publicKey) {
    throw unusableCsr(
      'its key has to be RSA of 2048 to 8192 bits, EC on P-256, P-384 or P-521, or Ed25519',
    );
  }
  if (scheme?.keyType !== publicKey.asymmetricKeyType || scheme?.isPss !== false) {
    throw unusableCsr('it is not signed by an algorithm of its key with SHA-2');
  }
  if (!isSigned(signed, publicKey, scheme, signature)) {
    throw unusableCsr('its signature does not match its key');
  }
  return { subject, publicKey, extensions };
}

function decodePem(csrPem: string): Buffer {
  if (csrPem.length > MAX_CHARACTERS) throw unusableCsr('it is too long');
  const block = PEM_REQUEST.exec(csrPem)?.[2];
  const der = block === undefined ? undefined : decodePemBody(block);
  if (!der || csrPem.match(PEM_BEGIN)?.length !== 1) {
    throw unusableCsr('expected exactly one PEM block of type CERTIFICATE REQUEST');
  }
  return der;
}

interface RawRequest {
  readonly subject: Buffer;
  readonly publicKey: Buffer;
  readonly extensions: Extensions;
  readonly signed: Buffer;
  readonly scheme: SignatureScheme | undefined;
  readonly signature: Buffer;
}

function readRequest(der: Buffer): RawRequest {
  const members = derMembers(derValue(der, Tag.sequence), Tag.sequence);
  const [body, algorithm, signature] = members;
  if (members.length !== 3) throw new DerError('more than a request');
  const [version, subject, publicKey, attributes] = derMembers(body, Tag.sequence);
  expectTag(version, Tag.integer);
  return {
    subject: expectTag(subject, Tag.sequence).raw,
    publicKey: expectTag(publicKey, Tag.sequence).raw,
    extensions: requestedExtensions(attributes),
    signed: expectTag(body, Tag.sequence).raw,
    scheme: readSignatureScheme(algorithm),
    signature: wholeBytes(expectTag(signature, Tag.bitString)),
  };
}

/** The bytes of a BIT STRING, whose first byte counts the unused bits at its end. */
function wholeBytes({ content }: DerValue): Buffer {
  if (content[0] !== 0) throw new DerError('a signature of odd bits');
  return content.subarray(1);
}

function requestedExtensions(attributes: DerValue | undefined): Extensions {
  if (!attributes) return new Map();
  for (const attribute of derMembers(attributes, ATTRIBUTES_FIELD)) {
    const [id, values] = derMembers(attribute, Tag.sequence);
    if (id?.content.toString('hex') === EXTENSION_REQUEST) {
      return readExtensions(derValue(expectTag(values, Tag.set).content, Tag.sequence));
    }
  }
  return new Map();
}

function decodePublicKey(spki: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

function isSigned(
  signed: Buffer,
  publicKey: KeyObject,
  { digest }: SignatureScheme,
  signature: Buffer,
): boolean {
  try {
    return verify(digest, signed, publicKey, signature);
  } catch {
    return false;
  }
}
