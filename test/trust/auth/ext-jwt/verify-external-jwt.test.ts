import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto';
import {
  verifyExternalJwt,
  type JwtSigner,
  type SignerKeys,
  type VerifiedExternalJwt,
} from '../../../../src/trust/auth/ext-jwt/index.js';
import type { VerificationKey } from '../../../../src/trust/auth/ext-jwt/verification-key.js';
import { fingerprint } from '../../../../src/trust/pki/index.js';
import { makeRoot } from '../../pki/support.js';
import {
  claims,
  ecPair,
  ed25519Pair,
  encode,
  makeToken,
  NOW,
  NOW_S,
  rsaPair,
  signer,
  type KeyPair,
} from './support.js';
import { runs } from '../../../support/runs.js';

const p256 = ecPair('P-256');
const p384 = ecPair('P-384');
const p521 = ecPair('P-521');
const rsa = rsaPair();
const ed25519 = ed25519Pair();
const pairs: Readonly<Record<string, KeyPair>> = { p256, p384, p521, rsa, ed25519 };

/** Keys of the endpoint: each pair under its name, and one that says what it is for. */
const known = new Map<string, VerificationKey>([
  ...Object.entries(pairs).map(([kid, { publicKey }]) => [kid, { key: publicKey }] as const),
  ['only-ps256', { key: rsa.publicKey, alg: 'PS256' }],
]);
const asked: string[] = [];
const keys: SignerKeys = {
  find: ({ jwksEndpoint }, kid) => {
    asked.push(`${String(jwksEndpoint)} ${kid}`);
    return Promise.resolve(jwksEndpoint === null ? undefined : known.get(kid));
  },
  findNewer: () => Promise.resolve(undefined),
  leewayMs: 0,
};

const verify = (
  token: string | undefined,
  signers: readonly JwtSigner[] = [signer],
  now: Date = NOW,
) => verifyExternalJwt(token, signers, { clock: () => now, keys });

/** By P-256, with members of header and claims replaced (undefined: left out). */
const token = (changed: Record<string, unknown> = {}, header: Record<string, unknown> = {}) =>
  makeToken({ alg: 'ES256', kid: 'p256', ...header }, { ...claims, ...changed }, p256.privateKey);

const outcome = async (...args: Parameters<typeof verify>): Promise<unknown> => {
  const result = await verify(...args);
  return result.ok ? result.claim : { error: result.error, reason: result.reason };
};
const missing = (reason: string) => ({ error: 'missing', reason });
const invalid = (reason: string) => ({ error: 'invalid', reason });
const expired = { error: 'expired', reason: 'EXPIRED_TOKEN' };

describe('a token of an external signer', () => {
  test.each([
    ['ES256', 'p256'],
    ['ES384', 'p384'],
    ['ES512', 'p521'],
    ['RS256', 'rsa'],
    ['RS384', 'rsa'],
    ['RS512', 'rsa'],
    ['PS256', 'rsa'],
    ['PS384', 'rsa'],
    ['PS512', 'rsa'],
    ['PS256', 'only-ps256'],
    ['EdDSA', 'ed25519'],
    ['Ed25519', 'ed25519'],
  ])('signed %s verifies by the key %s', async (alg, kid) => {
    const { privateKey } = pairs[kid] ?? rsa;
    const result = await verify(makeToken({ alg, kid }, claims, privateKey));
    expect(result).toEqual({ ok: true, signer, claim: 'identity-1', claims });
  });

  it('gives the signer as the caller knows it', async () => {
    const row = { ...signer, name: 'idp' };
    const result = await verifyExternalJwt(token(), [row], { clock: () => NOW, keys });
    expect((result as VerifiedExternalJwt<typeof row>).signer).toBe(row);
  });

  test.each<[Record<string, unknown>, unknown]>([
    [{ iss: undefined }, missing('UNKNOWN_ISSUER')],
    [{ iss: 'https://idp.example.com/' }, missing('UNKNOWN_ISSUER')],
    [{ iss: 'HTTPS://idp.example.com' }, missing('UNKNOWN_ISSUER')],
    [{ iss: ['https://idp.example.com'] }, missing('UNKNOWN_ISSUER')],
    [{ aud: undefined }, invalid('WRONG_AUDIENCE')],
    [{ aud: null }, invalid('WRONG_AUDIENCE')],
    [{ aud: 'other' }, invalid('WRONG_AUDIENCE')],
    [{ aud: 'overgraph other' }, invalid('WRONG_AUDIENCE')],
    [{ aud: [] }, invalid('WRONG_AUDIENCE')],
    [{ aud: ['other', 'overgraph'] }, 'identity-1'],
    [{ exp: undefined }, invalid('MISSING_EXPIRY')],
    [{ exp: String(NOW_S + 60) }, invalid('INVALID_TIME')],
    [{ exp: null }, invalid('INVALID_TIME')],
    [{ exp: NOW_S + 1 }, 'identity-1'],
    [{ exp: NOW_S }, expired],
    [{ exp: NOW_S - 1 }, expired],
    [{ exp: -1 }, expired],
    [{ exp: NOW_S - 1, aud: 'other' }, invalid('WRONG_AUDIENCE')],
    [{ nbf: NOW_S }, 'identity-1'],
    [{ nbf: NOW_S + 1 }, invalid('TOKEN_NOT_YET_VALID')],
    [{ nbf: 'now' }, invalid('INVALID_TIME')],
    [{ sub: undefined }, invalid('MISSING_CLAIM')],
    [{ sub: '' }, invalid('MISSING_CLAIM')],
    [{ sub: 7 }, invalid('MISSING_CLAIM')],
    [{ sub: ['identity-1'] }, invalid('MISSING_CLAIM')],
  ])('with %j gives %j', async (changed, expected) => {
    expect(await outcome(token(changed))).toEqual(expected);
  });

  it('is judged by the time of the caller', async () => {
    const timed = token({ nbf: NOW_S });
    const at = (seconds: number) =>
      outcome(timed, [signer], new Date(NOW.getTime() + seconds * 1000));
    expect(await at(-1)).toEqual(invalid('TOKEN_NOT_YET_VALID'));
    expect(await at(0)).toBe('identity-1');
    expect(await at(59)).toBe('identity-1');
    expect(await at(60)).toEqual(expired);
  });

  test.each<[Record<string, unknown>, unknown]>([
    [{ kid: undefined }, invalid('MISSING_KEY_ID')],
    [{ kid: '' }, invalid('MISSING_KEY_ID')],
    [{ kid: 7 }, invalid('MISSING_KEY_ID')],
    [{ kid: 'nobody' }, invalid('UNKNOWN_KEY_ID')],
    [{ kid: '__proto__' }, invalid('UNKNOWN_KEY_ID')],
    [{ kid: 'p384' }, invalid('WRONG_SIGNATURE')],
    [{ kid: 'rsa' }, invalid('WRONG_SIGNATURE')],
    [{ crit: ['exp'], exp: 1 }, invalid('WRONG_SIGNATURE')],
    [{ b64: false, crit: ['b64'] }, invalid('WRONG_SIGNATURE')],
  ])('with the header %j gives %j', async (header, expected) => {
    expect(await outcome(token({}, header))).toEqual(expected);
  });

  test.each([undefined, '', 'x', 'a.b.c', '..', 'a.b', 'a.b.c.d.e', 'e30.e30.', 'bnVsbA.bnVsbA.'])(
    '%j is no token of anybody',
    async (text) => {
      expect(await verify(text)).toMatchObject({
        ok: false,
        error: 'missing',
        description: 'no matching token was provided',
        candidates: [signer],
      });
    },
  );

  it('is refused beyond 16 KiB', async () => {
    const size = token({ pad: '' }).length;
    const padding = Math.floor(((16 * 1024 - size) * 3) / 4) - 2;
    expect(await outcome(token({ pad: 'x'.repeat(padding) }))).toBe('identity-1');
    expect(await outcome(token({ pad: 'x'.repeat(padding + 8) }))).toEqual(
      missing('MALFORMED_TOKEN'),
    );
  });
});

describe('an algorithm', () => {
  const publicPem = p256.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const rsaPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();

  const hmacToken = (alg: string, kid: string, secret: string | Buffer): string => {
    const input = `${encode({ alg, kid })}.${encode(claims)}`;
    const mac = createHmac(`sha${alg.slice(2)}`, secret).update(input);
    return `${input}.${mac.digest('base64url')}`;
  };

  test.each([
    ['HS256', 'p256', publicPem],
    ['HS256', 'rsa', rsaPem],
    ['HS384', 'rsa', rsaPem],
    ['HS512', 'rsa', rsa.publicKey.export({ type: 'spki', format: 'der' })],
  ])('%s keyed with the public key %s is refused', async (alg, kid, secret) => {
    expect(await outcome(hmacToken(alg, kid, secret))).toEqual(invalid('ALGORITHM_NOT_ALLOWED'));
  });

  test.each(['none', 'None', 'NONE', '', 'ES256K', 'Ed448', 'RSA-OAEP', 'dir', 'ML-DSA-44'])(
    '%j is refused, signed or not',
    async (alg) => {
      const unsigned = `${encode({ alg, kid: 'p256' })}.${encode(claims)}.`;
      expect(await outcome(unsigned)).toEqual(invalid('ALGORITHM_NOT_ALLOWED'));
      const signed = makeToken({ alg, kid: 'p256' }, claims, p256.privateKey, 'ES256');
      expect(await outcome(signed)).toEqual(invalid('ALGORITHM_NOT_ALLOWED'));
    },
  );

  it('is looked at before any key is asked for', async () => {
    asked.length = 0;
    await verify(hmacToken('HS256', 'nobody', publicPem));
    expect(asked).toEqual([]);
    await verify(token());
    expect(asked).toEqual(['https://idp.example.com/keys p256']);
  });

  test.each([
    ['RS256', 'p256', 'ES256'],
    ['PS256', 'p256', 'ES256'],
    ['EdDSA', 'p256', 'ES256'],
    ['ES256', 'rsa', 'RS256'],
    ['EdDSA', 'rsa', 'RS256'],
    ['PS256', 'rsa', 'RS256'],
    ['RS256', 'rsa', 'PS256'],
    ['RS512', 'rsa', 'RS256'],
    ['ES256', 'ed25519', 'EdDSA'],
    ['RS256', 'ed25519', 'EdDSA'],
    ['ES384', 'p256', 'ES384'],
    ['ES256', 'p384', 'ES256'],
    ['ES512', 'p384', 'ES512'],
  ])('%s named for the key %s that signed %s is refused', async (alg, kid, signedAs) => {
    const { privateKey } = pairs[kid] ?? rsa;
    const confused = makeToken({ alg, kid }, claims, privateKey, signedAs);
    expect(await outcome(confused)).toEqual(invalid('WRONG_SIGNATURE'));
  });

  it('other than the one a key is for is refused', async () => {
    const other = makeToken({ alg: 'RS256', kid: 'only-ps256' }, claims, rsa.privateKey);
    expect(await outcome(other)).toEqual(invalid('ALGORITHM_NOT_ALLOWED'));
  });

  it('of RSA is refused with keys under 2048 bits (RFC 7518 3.3)', async () => {
    const weak = rsaPair(1024);
    known.set('weak', { key: weak.publicKey });
    const signed = makeToken({ alg: 'RS256', kid: 'weak' }, claims, weak.privateKey);
    expect(await outcome(signed)).toEqual(invalid('WRONG_SIGNATURE'));
  });

  it('is not taken from a key inside the token', async () => {
    const own = ecPair('P-256');
    const header = { alg: 'ES256', kid: 'p256', jwk: own.publicKey.export({ format: 'jwk' }) };
    expect(await outcome(makeToken(header, claims, own.privateKey))).toEqual(
      invalid('WRONG_SIGNATURE'),
    );
  });
});

describe('the signer of a token', () => {
  const other = { ...signer, id: 's2', issuer: 'https://other.example.com' };
  const off = { ...signer, id: 's3', issuer: 'https://off.example.com', enabled: false };

  it('is the enabled one that issued it', async () => {
    expect(await verify(token({ iss: other.issuer }), [signer, off, other])).toMatchObject({
      ok: true,
      signer: other,
    });
  });

  it('does not count while disabled, and is not named', async () => {
    expect(await verify(token({ iss: off.issuer }), [signer, off, other])).toEqual({
      ok: false,
      error: 'missing',
      description: 'no matching token was provided',
      reason: 'UNKNOWN_ISSUER',
      candidates: [signer, other],
    });
    expect(await verify(token({ iss: off.issuer }), [off])).toMatchObject({ candidates: [] });
  });

  test.each([null, ''])('without an audience (%j) is believed nothing', async (audience) => {
    const signers = [{ ...signer, audience }];
    expect(await outcome(token(), signers)).toEqual(invalid('WRONG_AUDIENCE'));
    expect(await outcome(token({ aud: audience }), signers)).toEqual(invalid('WRONG_AUDIENCE'));
  });

  it('without a source of keys is believed nothing', async () => {
    const signers = [{ ...signer, jwksEndpoint: null }];
    expect(await outcome(token(), signers)).toEqual(invalid('UNKNOWN_KEY_ID'));
  });

  test.each<[string, unknown, unknown]>([
    ['sub', {}, 'identity-1'],
    ['/sub', {}, 'identity-1'],
    ['email', { email: 'a@example.com' }, 'a@example.com'],
    ['/user/ids/1', { user: { ids: ['a', 'b'] } }, 'b'],
    ['user/name', { user: { name: 'n' } }, 'n'],
    ['/https:~1~1example.com~1id', { 'https://example.com/id': 'x' }, 'x'],
    ['/a~0b', { 'a~b': 'y' }, 'y'],
    ['/~01', { '~1': 'z' }, 'z'],
    ['/user', { user: { name: 'n' } }, invalid('MISSING_CLAIM')],
    ['/user/missing', { user: {} }, invalid('MISSING_CLAIM')],
    ['/constructor/name', {}, invalid('MISSING_CLAIM')],
    ['/__proto__', {}, invalid('MISSING_CLAIM')],
    ['/sub/length', {}, invalid('MISSING_CLAIM')],
    ['/sub/0', {}, invalid('MISSING_CLAIM')],
    ['', {}, invalid('MISSING_CLAIM')],
    ['/', { '': 'blank name' }, 'blank name'],
  ])('with the claim %j in %j gives %j', async (claimsProperty, more, expected) => {
    const signers = [{ ...signer, claimsProperty }];
    expect(await outcome(token(more as Record<string, unknown>), signers)).toEqual(expected);
  });
});

describe('a signer with a certificate', () => {
  test.each([
    ['P-256', 'ES256'],
    ['P-384', 'ES384'],
    ['P-521', 'ES512'],
    ['RSA', 'RS256'],
    ['RSA', 'PS256'],
  ] as const)('of %s verifies %s by its key id alone', async (kind, alg) => {
    const { cert, privateKey } = await makeRoot(kind);
    const signers = [{ ...signer, jwksEndpoint: null, certPem: cert.toString(), kid: 'k1' }];
    const signed = (kid: string) => makeToken({ alg, kid }, claims, privateKey);
    expect(await outcome(signed('k1'), signers)).toBe('identity-1');
    expect(await outcome(signed('k1'), signers)).toBe('identity-1');
    expect(await outcome(signed('k2'), signers)).toEqual(invalid('UNKNOWN_KEY_ID'));
    expect(await outcome(signed(fingerprint(cert)), signers)).toEqual(invalid('UNKNOWN_KEY_ID'));
    const header = { alg: 'ES256', kid: 'k1' };
    const forged = makeToken(header, claims, p256.privateKey);
    expect(await outcome(forged, signers)).toEqual(invalid('WRONG_SIGNATURE'));
  });

  it('without a key id is known by the fingerprint', async () => {
    const { cert, privateKey } = await makeRoot('P-256');
    const second = await makeRoot('P-256', 'second');
    const certPem = cert.toString() + second.cert.toString();
    const signers = [{ ...signer, jwksEndpoint: null, certPem }];
    const kid = fingerprint(cert);
    expect(await outcome(makeToken({ alg: 'ES256', kid }, claims, privateKey), signers)).toBe(
      'identity-1',
    );
    const bySecond = makeToken({ alg: 'ES256', kid }, claims, second.privateKey);
    expect(await outcome(bySecond, signers)).toEqual(invalid('WRONG_SIGNATURE'));
  });

  it('that can not be read is believed nothing', async () => {
    const signers = [{ ...signer, jwksEndpoint: null, certPem: 'PEM', kid: 'p256' }];
    expect(await outcome(token(), signers)).toEqual(invalid('UNKNOWN_KEY_ID'));
  });
});

describe('any change of a token', () => {
  // 96 bytes of signature are 128 characters without spare bits: every other text is other bytes.
  const genuine = makeToken({ alg: 'ES384', kid: 'p384' }, claims, p384.privateKey);
  const anyChar = fc.oneof(
    fc.constantFrom('A', 'g', 'z', '0', '-', '_', '.', '=', '+', '/', ' ', '\n'),
    fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
  );
  const change = fc
    .tuple(fc.nat({ max: genuine.length }), fc.nat({ max: 3 }), fc.array(anyChar, { maxLength: 3 }))
    .map(([at, removed, put]) => genuine.slice(0, at) + put.join('') + genuine.slice(at + removed));

  it('makes it fail, and never throws', async () => {
    expect(await outcome(genuine)).toBe('identity-1');
    expect(await outcome(`${genuine}\n`)).toEqual(missing('MALFORMED_TOKEN'));
    expect(await outcome(genuine.replaceAll('.', '. '))).toEqual(missing('MALFORMED_TOKEN'));
    await fc.assert(
      fc.asyncProperty(change, async (text) => {
        fc.pre(text !== genuine);
        const result = await verify(text);
        expect(result.ok).toBe(false);
      }),
      runs(150),
    );
  });

  it('by other claims under the same signature makes it fail, and shows nothing of them', async () => {
    const [header = '', , signature = ''] = genuine.split('.');
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (more) => {
        const secret = 'not-for-logs';
        const payload = encode({ ...more, ...claims, sub: 'admin', secret });
        const result = await verify(`${header}.${payload}.${signature}`);
        expect(result).toMatchObject({ ok: false, error: 'invalid', reason: 'WRONG_SIGNATURE' });
        expect(JSON.stringify(result)).not.toContain(secret);
      }),
      runs(50),
    );
  });

  it('by any text in its place makes it fail', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string(), fc.array(fc.base64String(), { minLength: 3, maxLength: 3 })),
        async (text) => {
          const result = await verify(Array.isArray(text) ? text.join('.') : text);
          expect(result.ok).toBe(false);
        },
      ),
      runs(100),
    );
  });

  it('by a key of somebody else makes it fail', async () => {
    const stranger = createPrivateKey(
      ecPair('P-384').privateKey.export({ type: 'pkcs8', format: 'pem' }),
    );
    expect(createPublicKey(stranger).equals(p384.publicKey)).toBe(false);
    const forged = makeToken({ alg: 'ES384', kid: 'p384' }, claims, stranger);
    expect(await outcome(forged)).toEqual(invalid('WRONG_SIGNATURE'));
  });
});

describe('clocks that differ', () => {
  const withLeeway = async (changed: Record<string, unknown>): Promise<unknown> => {
    const context = { clock: () => NOW, keys: { ...keys, leewayMs: 30_000 } };
    const result = await verifyExternalJwt(token(changed), [signer], context);
    return result.ok ? result.claim : { error: result.error, reason: result.reason };
  };

  test.each<[Record<string, unknown>, unknown]>([
    [{ exp: NOW_S - 29 }, 'identity-1'],
    [{ exp: NOW_S - 30 }, expired],
    [{ nbf: NOW_S + 30 }, 'identity-1'],
    [{ nbf: NOW_S + 31 }, invalid('TOKEN_NOT_YET_VALID')],
    [{ iat: NOW_S + 30 }, 'identity-1'],
    [{ iat: NOW_S + 31 }, invalid('TOKEN_OF_THE_FUTURE')],
    [{ iat: NOW_S + 30, nbf: NOW_S + 30, exp: NOW_S + 31 }, 'identity-1'],
    [{ iat: 0, nbf: 0 }, 'identity-1'],
  ])('by up to 30 s are accepted: %j gives %j', async (changed, expected) => {
    expect(await withLeeway(changed)).toEqual(expected);
  });

  test.each<[Record<string, unknown>, unknown]>([
    [{ iat: NOW_S + 1 }, invalid('TOKEN_OF_THE_FUTURE')],
    [{ iat: NOW_S }, 'identity-1'],
    [{ iat: 'now' }, invalid('INVALID_TIME')],
    [{ iat: null }, invalid('INVALID_TIME')],
    [{ nbf: null }, invalid('INVALID_TIME')],
  ])('are not accepted without a leeway: %j gives %j', async (changed, expected) => {
    expect(await outcome(token(changed))).toEqual(expected);
  });
});
