import { beforeAll, describe, expect, it, test } from '@jest/globals';
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { parseKeySet } from '../../../src/trust/auth/ext-jwt/verification-key.js';
import { ApiError } from '../../../src/base/errors.js';
import { decodeCertificate, issueFromCsr, parseAuthority } from '../../../src/trust/pki/index.js';
import { isBoundedKey, isStrongKey } from '../../../src/trust/pki/public-key.js';
import { ANY_NAMES, armoured, derOf, make, makeCa, makeCsr } from './certificates.js';
import { NOW } from './support.js';

/* Keys that cost those who check a signature more than those who send it. */

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const bytes = length < 0x80 ? [] : length < 0x100 ? [0x81] : [0x83, length >> 16, length >> 8];
  return Buffer.concat([Buffer.from([tag, ...bytes, length].map((b) => b & 0xff)), content]);
}

/** DER takes the fewest bytes for a length, which is three only above 65,535. */
const sequence = (...parts: Buffer[]): Buffer => minimal(der(0x30, ...parts));
const bitString = (content: Buffer): Buffer => minimal(der(0x03, Buffer.from([0]), content));
const minimal = (value: Buffer): Buffer =>
  value[1] === 0x83 && value[2] === 0
    ? Buffer.concat([value.subarray(0, 1), Buffer.from([0x82]), value.subarray(3)])
    : value;

const RSA_ENCRYPTION = Buffer.from('300d06092a864886f70d0101010500', 'hex');

/** A positive integer of so many bits, odd or even. */
function integer(bits: number, isOdd = true): Buffer {
  const bytes = Buffer.from(randomBytes(Math.ceil(bits / 8)));
  const top = (bits - 1) % 8;
  bytes[0] = ((bytes[0] ?? 0) & ((1 << top) - 1)) | (1 << top);
  const last = bytes.length - 1;
  bytes[last] = ((bytes[last] ?? 0) & 0xfe) | (isOdd ? 1 : 0);
  return minimal(der(0x02, ...(top === 7 ? [Buffer.alloc(1)] : []), bytes));
}

const F4: Buffer = Buffer.from('0203010001', 'hex');
const rsa = (bits: number, exponent = F4): Buffer =>
  sequence(RSA_ENCRYPTION, bitString(sequence(integer(bits), exponent)));

const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
const ec = (namedCurve: string): Buffer =>
  spkiOf(generateKeyPairSync('ec', { namedCurve }).publicKey);

test.each<[string, () => Buffer, boolean]>([
  ['RSA of 2048 bits', () => rsa(2048), true],
  ['RSA of 8192 bits', () => rsa(8192), true],
  ['RSA of 2047 bits', () => rsa(2047), false],
  ['RSA of 8193 bits', () => rsa(8193), false],
  ['RSA of 160,000 bits', () => rsa(160_000), false],
  ['RSA with the exponent 3', () => rsa(2048, Buffer.from('020103', 'hex')), true],
  ['RSA with the exponent 1', () => rsa(2048, Buffer.from('020101', 'hex')), false],
  ['RSA with the exponent 0', () => rsa(2048, Buffer.from('020100', 'hex')), false],
  ['RSA with an even exponent', () => rsa(2048, integer(17, false)), false],
  ['RSA with an exponent of 64 bits', () => rsa(2048, integer(64)), true],
  ['RSA with an exponent of 65 bits', () => rsa(2048, integer(65)), false],
  ['RSA with an exponent of 2047 bits', () => rsa(2048, integer(2047)), false],
  ['P-256', () => ec('P-256'), true],
  ['P-384', () => ec('P-384'), true],
  ['P-521', () => ec('P-521'), true],
  ['secp256k1', () => ec('secp256k1'), false],
  ['Ed25519', () => spkiOf(generateKeyPairSync('ed25519').publicKey), true],
  ['Ed448', () => spkiOf(generateKeyPairSync('ed448').publicKey), false],
  ['nothing', () => Buffer.alloc(0), false],
  ['nothing that is a key', () => Buffer.from('3000', 'hex'), false],
])('a key of %s is strong: %s', (_, spki, expected) => {
  expect(isStrongKey(spki())).toBe(expected);
});

test.each([2048, 3072])('a real key of RSA with %d bits is strong', (modulusLength) => {
  expect(isStrongKey(spkiOf(generateKeyPairSync('rsa', { modulusLength }).publicKey))).toBe(true);
});

describe('a request', () => {
  /** The request of another key, whose signature can not be right. */
  async function requestFor(publicKey: Buffer): Promise<string> {
    const original = derOf(await makeCsr({ key: 'P-256', name: 'CN=router1' }));
    const own = original.indexOf(Buffer.from('3059301306072a8648ce3d02', 'hex'));
    const bodyStart = original[1] === 0x82 ? 4 : 3;
    const inner = original.subarray(bodyStart);
    const start = inner[1] === 0x81 ? 3 : 2;
    const bodyEnd = start + (inner[1] === 0x81 ? (inner[2] ?? 0) : (inner[1] ?? 0));
    const at = own - bodyStart;
    const body = sequence(inner.subarray(start, at), publicKey, inner.subarray(at + 91, bodyEnd));
    return armoured('CERTIFICATE REQUEST', sequence(body, inner.subarray(bodyEnd)));
  }

  const reasonFor = async (csrPem: string): Promise<string> => {
    const ca = await makeCa();
    const signer = { signer: ca, intermediates: [], trustDomain: 'net.test' };
    const profile = { kind: 'routerServer', routerId: 'router1', names: ANY_NAMES } as const;
    try {
      await issueFromCsr({ csrPem, signer, profile, now: NOW });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return error.detail?.kind === 'message' ? error.detail.message : '';
    }
    return 'issued';
  };

  test.each<[string, () => Buffer, RegExp]>([
    ['RSA of 8192 bits, up to its signature', () => rsa(8192), /not signed by an algorithm/],
    ['RSA of 8193 bits', () => rsa(8193), /2048 to 8192 bits/],
    ['RSA of 100,000 bits', () => rsa(100_000), /2048 to 8192 bits/],
    ['RSA with a huge exponent', () => rsa(2048, integer(2047)), /2048 to 8192 bits/],
  ])('is read with a key of %s', async (_, spki, reason) => {
    await expect(requestFor(spki()).then(reasonFor)).resolves.toMatch(reason);
  });
});

/** Signs as fast as others check: private and public exponent have changed places. */
function costlyKey(): KeyObject {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n = '', p = '', q = '' } = privateKey.export({ format: 'jwk' });
  const number = (text: string): bigint =>
    BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`);
  const text = (value: bigint): string => {
    const hex = value.toString(16);
    return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString(
      'base64url',
    );
  };
  const [first, second] = [number(p), number(q)];
  const d = 65_537n;
  const e = inverse(d, (first - 1n) * (second - 1n));
  const jwk = {
    ...{ kty: 'RSA', n, p, q, e: text(e), d: text(d) },
    ...{ dp: text(d % (first - 1n)), dq: text(d % (second - 1n)) },
    qi: text(inverse(second, first)),
  };
  return createPrivateKey({ key: jwk, format: 'jwk' });
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [r, next, t, following] = [modulus, value % modulus, 0n, 1n];
  while (next !== 0n) {
    const times = r / next;
    [r, next] = [next, r - times * next];
    [t, following] = [following, t - times * following];
  }
  return ((t % modulus) + modulus) % modulus;
}

describe('a certificate whose signatures are dear to check', () => {
  let costly: Awaited<ReturnType<typeof makeCa>>;
  beforeAll(async () => {
    costly = await makeCa({ privateKey: costlyKey() });
  });

  it('is a sound one, for those who take the time', () => {
    expect(costly.cert.verify(costly.cert.publicKey)).toBe(true);
    const signature = sign('sha256', Buffer.from('x'), costly.privateKey);
    expect(signature).toHaveLength(256);
  });

  it('is read by nobody who logs in with it, or sends it along', async () => {
    expect(decodeCertificate(costly.cert.raw)).toBeUndefined();
    const { cert } = await make({ issuer: costly });
    expect(decodeCertificate(cert.raw)).toBeDefined();
  });

  it('is no authority', () => {
    expect(() => parseAuthority(costly.cert.toString())).toThrow(
      expect.objectContaining({
        code: 'COULD_NOT_VALIDATE',
        detail: expect.objectContaining({
          field: 'certPem',
          reason: expect.stringContaining('has an RSA key that is above 8192 bits'),
        }),
      }),
    );
  });

  it('has a key that signs no tokens', () => {
    const key = createPublicKey(costly.privateKey);
    const set = (jwk: object) => JSON.stringify({ keys: [{ kid: 'one', ...jwk }] });
    expect(parseKeySet(set(key.export({ format: 'jwk' })))?.size).toBe(0);
    const x5c = [costly.cert.raw.toString('base64')];
    expect(parseKeySet(set({ kty: 'RSA', x5c }))?.size).toBe(0);
    expect(isBoundedKey(spkiOf(key))).toBe(false);
  });
});
