import { describe, expect, it, test } from '@jest/globals';
import {
  checkExternalJwtSigner,
  claimsPointer,
  isForbiddenJwksHost,
} from '../../../../src/trust/auth/rules/index.js';
import { refusal } from '../../../support/refusal.js';

const base = { name: 'n', enabled: true, issuer: 'i', audience: 'a' };
const byUrl = { ...base, jwksEndpoint: 'https://example.com/jwks.json' };
const byCert = { ...base, certPem: 'PEM', kid: 'k' };

const unset = {
  certPem: null,
  kid: null,
  jwksEndpoint: null,
  externalAuthUrl: null,
  clientId: null,
  claimsProperty: 'sub',
  useExternalId: false,
  scopes: [],
  conditions: [],
  adminClaims: [],
  roleAttributeClaims: [],
  roleAttributePrefix: null,
  roleAttributeMinutes: 10_080,
  createsIdentities: false,
  maxCreatedIdentities: 1_000,
  idleDaysBeforeDeletion: null,
  targetToken: 'ACCESS',
  enrollToCertEnabled: false,
  enrollToTokenEnabled: false,
  enrollAuthPolicyId: null,
  enrollNameClaimsSelector: null,
  enrollAttributeClaimsSelector: null,
};

describe('an external JWT signer', () => {
  test.each<[Record<string, unknown>, Record<string, unknown>]>([
    [byUrl, { ...unset, ...byUrl }],
    [byCert, { ...unset, ...byCert }],
    [
      { ...byUrl, kid: '', certPem: null, claimsProperty: ' ', scopes: null, targetToken: null },
      { ...unset, ...byUrl },
    ],
    [
      {
        ...byUrl,
        claimsProperty: 'email',
        scopes: ['email'],
        targetToken: 'ID',
        useExternalId: true,
      },
      {
        ...unset,
        ...byUrl,
        claimsProperty: 'email',
        scopes: ['email'],
        targetToken: 'ID',
        useExternalId: true,
      },
    ],
  ])('%j gets its defaults', (body, settings) => {
    expect(checkExternalJwtSigner(body)).toEqual(settings);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ ...byUrl, name: '' }, 'name'],
    [{ ...byUrl, enabled: null }, 'enabled'],
    [{ ...byUrl, issuer: ' ' }, 'issuer'],
    [{ ...byUrl, audience: null }, 'audience'],
    [base, 'certPem'],
    [{ ...base, certPem: '', jwksEndpoint: '' }, 'certPem'],
    [{ ...byCert, kid: null }, 'kid'],
    [{ ...byCert, ...byUrl }, 'jwksEndpoint'],
    [{ ...base, jwksEndpoint: 'ftp://example.com' }, 'jwksEndpoint'],
    [{ ...base, jwksEndpoint: 'nowhere' }, 'jwksEndpoint'],
    [{ ...base, jwksEndpoint: 'http://169.254.169.254/latest/meta-data' }, 'jwksEndpoint'],
    [{ ...base, jwksEndpoint: 'http://2852039166/' }, 'jwksEndpoint'],
    [{ ...base, jwksEndpoint: 'http://[::ffff:169.254.169.254]/' }, 'jwksEndpoint'],
    [{ ...byUrl, externalAuthUrl: 'not a url' }, 'externalAuthUrl'],
    [{ ...byUrl, scopes: ['a', 1] }, 'scopes[1]'],
    [{ ...byUrl, targetToken: 'REFRESH' }, 'targetToken'],
    [{ ...byUrl, useExternalId: 'yes' }, 'useExternalId'],
    [{ ...byUrl, roleAttributeClaims: ['groups'] }, 'roleAttributePrefix'],
    [{ ...byUrl, roleAttributeMinutes: 0 }, 'roleAttributeMinutes'],
    [{ ...byUrl, roleAttributeMinutes: 525_601 }, 'roleAttributeMinutes'],
    [{ ...byUrl, createsIdentities: true }, 'useExternalId'],
    [{ ...byUrl, maxCreatedIdentities: 0 }, 'maxCreatedIdentities'],
    [{ ...byUrl, maxCreatedIdentities: 1_000_001 }, 'maxCreatedIdentities'],
    [{ ...byUrl, idleDaysBeforeDeletion: 0 }, 'idleDaysBeforeDeletion'],
    [{ ...byUrl, idleDaysBeforeDeletion: 3_651 }, 'idleDaysBeforeDeletion'],
    [{ ...byUrl, conditions: [{ values: ['a'] }] }, 'conditions[0].claim'],
    [{ ...byUrl, conditions: [{ claim: 'a' }] }, 'conditions[0]'],
    [{ ...byUrl, conditions: [{ claim: 'a', values: ['b'], pattern: 'b' }] }, 'conditions[0]'],
    [{ ...byUrl, conditions: [{ claim: 'a', values: [1] }] }, 'conditions[0].values[0]'],
    [{ ...byUrl, conditions: [{ claim: 'a', pattern: '(' }] }, 'conditions[0].pattern'],
    [{ ...byUrl, conditions: [{ claim: 'a', pattern: '(?=a)b' }] }, 'conditions[0].pattern'],
    [{ ...byUrl, conditions: [{ claim: 'a', pattern: '(ab){200}' }] }, 'conditions[0].pattern'],
    [{ ...byUrl, conditions: Array(21).fill({ claim: 'a', values: ['b'] }) }, 'conditions'],
  ])('%j is refused at %s', (body, field) => {
    expect(refusal(checkExternalJwtSigner, body)?.field).toBe(field);
  });
});

describe('a change of an external JWT signer', () => {
  const current = checkExternalJwtSigner({ ...byCert, claimsProperty: 'email', scopes: ['s'] });

  test.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{}, {}],
    [{ name: 'm' }, { name: 'm' }],
    [
      { enabled: false, scopes: [] },
      { enabled: false, scopes: [] },
    ],
    [
      { targetToken: null, claimsProperty: null },
      { targetToken: 'ACCESS', claimsProperty: 'sub' },
    ],
    [
      { certPem: '', kid: null, jwksEndpoint: 'https://example.com' },
      { certPem: null, kid: null, jwksEndpoint: 'https://example.com' },
    ],
  ])('by %j changes %j', (patch, changes) => {
    expect(checkExternalJwtSigner(patch, current)).toEqual({ ...current, ...changes });
  });

  test.each<[Record<string, unknown>, string]>([
    [{ name: null }, 'name'],
    [{ kid: '' }, 'kid'],
    [{ certPem: null }, 'certPem'],
    [{ jwksEndpoint: 'https://example.com' }, 'jwksEndpoint'],
  ])('by %j is refused at %s', (patch, field) => {
    expect(refusal(checkExternalJwtSigner, patch, current)?.field).toBe(field);
  });
});

describe('the host of a key set', () => {
  test.each([
    ['169.254.169.254', true],
    ['169.254.0.1', true],
    ['100.100.100.200', true],
    ['[fe80::1]', true],
    ['fd00:ec2::254', true],
    ['::ffff:a9fe:a9fe', true],
    ['64:ff9b::a9fe:a9fe', true],
    ['Metadata.Google.Internal.', true],
    ['example.com', false],
    ['10.0.0.1', false],
    ['::1', false],
  ])('%s is forbidden: %s', (host, forbidden) => {
    expect(isForbiddenJwksHost(host)).toBe(forbidden);
  });
});

it('points at the claim with or without the leading slash', () => {
  expect(['sub', '/sub', 'a/b'].map(claimsPointer)).toEqual(['/sub', '/sub', '/a/b']);
});
