import { derMembers, expectTag, Tag, type DerValue } from './der.js';

/** The signature scheme of a certificate or a request, for `crypto.verify`. */
export interface SignatureScheme {
  readonly keyType: 'rsa' | 'ec' | 'ed25519';
  /** Undefined when the scheme includes the digest. */
  readonly digest: 'sha256' | 'sha384' | 'sha512' | undefined;
  readonly isPss: boolean;
}

type Digest = Exclude<SignatureScheme['digest'], undefined>;

const scheme = (
  keyType: SignatureScheme['keyType'],
  digest: SignatureScheme['digest'],
  isPss = false,
): SignatureScheme => ({ keyType, digest, isPss });

/** By the encoded identifier of the algorithm. MD5 and SHA-1 are left out: they can be forged. */
const SCHEMES: ReadonlyMap<string, SignatureScheme> = new Map([
  // 1.2.840.113549.1.1.11 to 13
  ['2a864886f70d01010b', scheme('rsa', 'sha256')],
  ['2a864886f70d01010c', scheme('rsa', 'sha384')],
  ['2a864886f70d01010d', scheme('rsa', 'sha512')],
  // 1.2.840.10045.4.3.2 to 4
  ['2a8648ce3d040302', scheme('ec', 'sha256')],
  ['2a8648ce3d040303', scheme('ec', 'sha384')],
  ['2a8648ce3d040304', scheme('ec', 'sha512')],
  // 1.3.101.112
  ['2b6570', scheme('ed25519', undefined)],
]);

/** 1.2.840.113549.1.1.10 */
const RSASSA_PSS = '2a864886f70d01010a';

const NULL = Buffer.from([0x05, 0x00]);

/** 2.16.840.1.101.3.4.2.1 to 3 */
const DIGESTS: ReadonlyMap<string, Digest> = new Map([
  ['608648016503040201', 'sha256'],
  ['608648016503040202', 'sha384'],
  ['608648016503040203', 'sha512'],
]);

/** Gives the scheme of an AlgorithmIdentifier, undefined for one that is not trusted. */
export function readSignatureScheme(algorithm: DerValue | undefined): SignatureScheme | undefined {
  const [id, parameters] = derMembers(algorithm, Tag.sequence);
  const oid = expectTag(id, Tag.objectIdentifier).content.toString('hex');
  if (oid === RSASSA_PSS) {
    const digest = pssDigest(parameters);
    return digest && scheme('rsa', digest, true);
  }
  const isPlain = parameters === undefined || parameters.raw.equals(NULL);
  return isPlain ? SCHEMES.get(oid) : undefined;
}

/** RFC 4055 3.1: field 0 has the digest; without it, the digest is SHA-1. */
function pssDigest(parameters: DerValue | undefined): Digest | undefined {
  const field = derMembers(parameters, Tag.sequence).find(({ tag }) => tag === 0xa0);
  const [algorithm] = field ? derMembers(field, 0xa0) : [];
  const [id] = algorithm ? derMembers(algorithm, Tag.sequence) : [];
  return DIGESTS.get(id?.content.toString('hex') ?? '');
}
