import { certificateFields } from './certificate-fields.js';
import { derMembers, derValue, expectTag, ifDer, Tag, type DerValue } from './der.js';

/*
 * Keys are checked by their encoding (SubjectPublicKeyInfo, RFC 5280 4.1.2.7) before a library reads
 * them: the sender of a key decides how much time its use takes.
 */

/** 1.2.840.113549.1.1.1; 10 is for keys that sign only by PSS. */
const RSA = '2a864886f70d010101';
const RSA_PSS = '2a864886f70d01010a';
/** 1.2.840.10045.2.1 */
const EC = '2a8648ce3d0201';
/** 1.3.101.112 */
const ED25519 = '2b6570';
/** P-256, P-384 and P-521: 1.2.840.10045.3.1.7, 1.3.132.0.34 and 35 */
const CURVES: ReadonlySet<string> = new Set(['2a8648ce3d030107', '2b81040022', '2b81040023']);

const MIN_RSA_BITS = 2048;
/** Checking a signature of a larger key would block other requests. */
const MAX_RSA_BITS = 8192;
/** The time of a check grows with the exponent; usual exponents have 17 bits. */
const MAX_EXPONENT_BITS = 64;

/** The description of an RSA key without bounds, for people. */
export const UNBOUNDED = `above ${String(MAX_RSA_BITS)} bits, or has an exponent above ${String(MAX_EXPONENT_BITS)}`;

const UNCOMPRESSED = 0x04;

interface KeyInfo {
  readonly algorithm: string;
  readonly parameters: DerValue | undefined;
  readonly bits: Buffer;
}

function readKeyInfo(spki: Buffer): KeyInfo {
  const [algorithm, key] = derMembers(derValue(spki, Tag.sequence), Tag.sequence);
  const [id, parameters] = derMembers(algorithm, Tag.sequence);
  return {
    algorithm: expectTag(id, Tag.objectIdentifier).content.toString('hex'),
    parameters,
    // The first byte counts unused bits; a key has none.
    bits: expectTag(key, Tag.bitString).content.subarray(1),
  };
}

/** Whether a key is strong enough for certificates, and not too expensive. */
export const isStrongKey = (spki: Buffer): boolean =>
  ifDer(() => {
    const info = readKeyInfo(spki);
    if (info.algorithm === RSA) return isStrongRsa(info.bits);
    return info.algorithm === EC ? isPlainPoint(info) : info.algorithm === ED25519;
  }) ?? false;

/** Whether the use of a key has bounded costs; only RSA keys of unusual size do not. */
export const isBoundedKey = (spki: Buffer): boolean =>
  ifDer(() => {
    const { algorithm, bits } = readKeyInfo(spki);
    return (algorithm !== RSA && algorithm !== RSA_PSS) || isBoundedRsa(readRsa(bits));
  }) ?? false;

interface RsaKey {
  readonly modulusBits: number;
  readonly exponentBits: number;
  readonly isExponentOdd: boolean;
}

function readRsa(key: Buffer): RsaKey {
  const [modulus, exponent] = derMembers(derValue(key, Tag.sequence), Tag.sequence);
  return {
    modulusBits: bitsOf(expectTag(modulus, Tag.integer)),
    exponentBits: bitsOf(expectTag(exponent, Tag.integer)),
    isExponentOdd: ((exponent?.content.at(-1) ?? 0) & 1) === 1,
  };
}

const bitsOf = ({ content }: DerValue): number => {
  const start = content.findIndex((byte) => byte !== 0);
  return start < 0 ? 0 : (content.length - start) * 8 - Math.clz32(content[start] ?? 0) + 24;
};

const isBoundedRsa = ({ modulusBits, exponentBits }: RsaKey): boolean =>
  modulusBits <= MAX_RSA_BITS && exponentBits <= MAX_EXPONENT_BITS;

/** With the exponent 1, a signature proves nothing: anyone can make it. */
function isStrongRsa(bits: Buffer): boolean {
  const key = readRsa(bits);
  const { modulusBits, exponentBits, isExponentOdd } = key;
  return isBoundedRsa(key) && modulusBits >= MIN_RSA_BITS && exponentBits > 1 && isExponentOdd;
}

/**
 * Whether an EC key names its curve and gives its point uncompressed (RFC 5480 2.1.1, 2.2). A curve
 * that is spelled out can be a look-alike, and clients in Go read neither that nor short points.
 */
const isPlainPoint = ({ parameters, bits }: KeyInfo): boolean =>
  parameters?.tag === Tag.objectIdentifier &&
  CURVES.has(parameters.content.toString('hex')) &&
  bits[0] === UNCOMPRESSED;

const PUBLIC_KEY = 5;

/** Gives the encoded public key of a certificate (RFC 5280 4.1), or undefined. */
export const publicKeyIn = (certificate: Buffer): Buffer | undefined =>
  ifDer(() => expectTag(certificateFields(certificate)[PUBLIC_KEY], Tag.sequence).raw);
