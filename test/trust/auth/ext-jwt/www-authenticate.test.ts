import { describe, expect, it, test } from '@jest/globals';
import { validateHeaderValue } from 'node:http';
import { verifyExternalJwt, wwwAuthenticate } from '../../../../src/trust/auth/ext-jwt/index.js';
import { NOW, signer } from './support.js';

const first = { id: 's1', issuer: 'https://one.example.com' };
const second = { id: 's2', issuer: 'https://two.example.com' };
const missing = { error: 'missing', description: 'no matching token was provided' } as const;
const invalid = { error: 'invalid', description: 'token is invalid' } as const;
const expired = { error: 'expired', description: 'token expired' } as const;

describe('the challenge for a token of an external signer', () => {
  test.each([
    [
      'primary',
      missing,
      [first, second],
      'Bearer realm="openziti-primary-ext-jwt" error="missing" error_description="no matching token was provided" id="s1|s2" issuer="https://one.example.com|https://two.example.com"',
    ],
    [
      'primary',
      invalid,
      [first],
      'Bearer realm="openziti-primary-ext-jwt" error="invalid" error_description="token is invalid" id="s1" issuer="https://one.example.com"',
    ],
    [
      'secondary',
      expired,
      [second],
      'Bearer realm="openziti-secondary-ext-jwt" error="expired" error_description="token expired" id="s2" issuer="https://two.example.com"',
    ],
  ] as const)('as %s factor with %j of %j', (kind, failure, signers, header) => {
    expect(wwwAuthenticate(kind, failure, signers)).toBe(header);
  });

  it('is left out when there is nobody to ask', () => {
    expect(wwwAuthenticate('primary', missing, [])).toBeUndefined();
  });

  it('follows from a failed verification', async () => {
    const nothing = () => Promise.resolve(undefined);
    const keys = { find: nothing, findNewer: nothing, leewayMs: 0 };
    const context = { clock: () => NOW, keys };
    const result = await verifyExternalJwt(undefined, [signer], context);
    if (result.ok) throw new Error('nothing was sent');
    expect(wwwAuthenticate('primary', result, result.candidates)).toBe(
      'Bearer realm="openziti-primary-ext-jwt" error="missing" error_description="no matching token was provided" id="s1" issuer="https://idp.example.com"',
    );
  });

  test.each([
    ['quote"d', 'issuer="quote\\"d"'],
    ['back\\slash', 'issuer="back\\\\slash"'],
    ['new\r\nSet-Cookie: a=b', 'issuer="newSet-Cookie: a=b"'],
    ['nul\0tab\tdel\u007fnel\u0085', 'issuer="nultabdelnel"'],
  ])('writes the issuer %j as %s', (issuer, part) => {
    const header = wwwAuthenticate('primary', missing, [{ id: 's1', issuer }]) ?? '';
    expect(header.endsWith(` ${part}`)).toBe(true);
  });

  test.each([
    ['https://münchen.example.com', 'https://münchen.example.com'],
    ['https://例え.example.com', 'https://例え.example.com'],
    ['🙂', '🙂'],
    ['half \ud800', 'half \ufffd'],
  ])('can be sent for the issuer %s, in UTF-8', (issuer, received) => {
    const header = wwwAuthenticate('primary', missing, [{ id: 's1', issuer }]) ?? '';
    validateHeaderValue('WWW-Authenticate', header);
    expect(Buffer.from(header, 'latin1').toString('utf8')).toContain(`issuer="${received}"`);
  });

  it('names only as many signers as clients take in a header', () => {
    const many = Array.from({ length: 1000 }, (_, i) => ({ ...first, id: `s${i}` }));
    const header = wwwAuthenticate('primary', missing, many) ?? '';
    expect(header.length).toBeLessThan(8192);
    expect(header).toContain('id="s0|s1|');
    const long = [{ id: 's1', issuer: 'x'.repeat(5000) }, second];
    expect(wwwAuthenticate('primary', missing, long)).toContain('id="s1" issuer="xxx');
  });
});
