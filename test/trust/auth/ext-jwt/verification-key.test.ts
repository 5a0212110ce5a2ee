import { describe, expect, it, test } from '@jest/globals';
import { parseKeySet } from '../../../../src/trust/auth/ext-jwt/verification-key.js';
import { makeRoot } from '../../pki/support.js';
import { ecPair, ed25519Pair, jwkOf, rsaPair } from './support.js';

const ec = ecPair('P-256');
const rsa = rsaPair();
const ed = ed25519Pair();

const setOf = (...keys: unknown[]) => parseKeySet(JSON.stringify({ keys }));
const idsOf = (...keys: unknown[]) => [...(setOf(...keys)?.keys() ?? [])];

describe('a key set', () => {
  it('holds EC, RSA and EdDSA keys, with what they are for', () => {
    const set = setOf(
      jwkOf('ec', ec),
      jwkOf('rsa', rsa, { use: 'sig', alg: 'RS256' }),
      jwkOf('ed', ed, { key_ops: ['verify'] }),
    );
    expect(set?.get('ec')?.key.equals(ec.publicKey)).toBe(true);
    expect(set?.get('ec')?.alg).toBeUndefined();
    expect(set?.get('rsa')?.key.equals(rsa.publicKey)).toBe(true);
    expect(set?.get('rsa')?.alg).toBe('RS256');
    expect(set?.get('ed')?.key.equals(ed.publicKey)).toBe(true);
  });

  test.each<[string, unknown]>([
    ['for encryption', jwkOf('x', ec, { use: 'enc' })],
    ['for other operations', jwkOf('x', ec, { key_ops: ['encrypt'] })],
    ['without id', { ...jwkOf('x', ec), kid: undefined }],
    ['with an id that is no text', { ...jwkOf('x', ec), kid: 7 }],
    ['that are secrets', { kty: 'oct', k: 'c2VjcmV0', kid: 'x' }],
    ['of unknown kinds', { kty: 'AKP', kid: 'x' }],
    ['of unknown curves', { ...jwkOf('x', ec), crv: 'P-999' }],
    ['with half of their members', { ...jwkOf('x', ec), y: undefined }],
    ['off their curve', { ...jwkOf('x', ec), y: jwkOf('y', ecPair('P-256')).y }],
    ['with members of other types', { ...jwkOf('x', rsa), n: 7 }],
    ['that are no objects', 'x'],
    ['that are null', null],
  ])('leaves out keys %s', (_, key) => {
    expect(idsOf(key, jwkOf('good', rsa))).toEqual(['good']);
  });

  it('prefers the certificate of a key to its members', async () => {
    const { cert } = await makeRoot('P-384');
    const x5c = [cert.raw.toString('base64'), 'AAAA'];
    const set = setOf(jwkOf('both', ec, { x5c }), { kty: 'EC', kid: 'alone', x5c });
    expect(set?.get('both')?.key.equals(cert.publicKey)).toBe(true);
    expect(set?.get('alone')?.key.equals(cert.publicKey)).toBe(true);
  });

  test.each([[['AAAA']], [[]], [[7]], ['AAAA'], [null]])(
    'takes the members where the certificate is %j',
    (x5c) => {
      expect(
        setOf(jwkOf('k', ec, { x5c }))
          ?.get('k')
          ?.key.equals(ec.publicKey),
      ).toBe(true);
    },
  );

  it('holds public keys even where private ones are published', () => {
    const jwk = { ...rsa.privateKey.export({ format: 'jwk' }), kid: 'k' };
    expect(setOf(jwk)?.get('k')?.key.type).toBe('public');
  });

  it('counts the first of several keys with one id', () => {
    const set = setOf(jwkOf('k', ec, { use: 'enc' }), jwkOf('k', rsa), jwkOf('k', ed));
    expect(set?.get('k')?.key.equals(rsa.publicKey)).toBe(true);
  });

  it('is read no further than 256 keys', () => {
    const many = Array.from({ length: 300 }, (_, i) => jwkOf(`k${i}`, ec));
    expect(idsOf(...many)).toHaveLength(256);
  });

  test.each(['', 'null', '[]', '{}', '{"keys":{}}', '<html></html>', '{"keys":[', '"keys"'])(
    'is not what %j is',
    (text) => {
      expect(parseKeySet(text)).toBeUndefined();
    },
  );

  it('may be empty', () => {
    expect(setOf()?.size).toBe(0);
  });
});
