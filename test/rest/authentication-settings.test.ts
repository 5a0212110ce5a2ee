import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import type { Row } from '../../src/base/row.js';
import { startController, type TestController } from '../support/controller.js';
import { certificatePem } from './support/certificates.js';
import { invalid, NOT_FOUND, refusal } from './support/refusals.js';

/** Auth policies, external JWT signers and certificate authorities. */

let controller: TestController;
let count = 0;
const unique = (): string => `setting ${String(++count)}`;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());

const read = async (path: string): Promise<Row> => (await controller.rest('GET', path)).body.data;
const fingerprintOf = (pem: string): string =>
  new X509Certificate(pem).fingerprint.replaceAll(':', '').toLowerCase();

describe('the default auth policy', () => {
  test('allows every way to log in', async () => {
    expect(await read('/auth-policies/default')).toMatchObject({
      name: 'Default',
      primary: {
        cert: { allowed: true, allowExpiredCerts: true },
        extJwt: { allowed: true, allowedSigners: [] },
        updb: { allowed: true, minPasswordLength: 5, maxAttempts: 0, lockoutDurationMinutes: 0 },
      },
      secondary: { requireTotp: false },
    });
  });
});

describe('an auth policy', () => {
  const settings = (): Row & { primary: Row & { updb: Row; extJwt: Row }; secondary: Row } => ({
    name: unique(),
    primary: {
      cert: { allowed: false, allowExpiredCerts: false },
      extJwt: { allowed: false, allowedSigners: [] },
      updb: {
        allowed: true,
        lockoutDurationMinutes: 3,
        maxAttempts: 4,
        minPasswordLength: 8,
        requireMixedCase: true,
        requireNumberChar: true,
        requireSpecialChar: true,
      },
    },
    secondary: { requireTotp: true },
  });

  test('comes back as it was sent', async () => {
    const sent = settings();
    const path = `/auth-policies/${await controller.create('auth-policies', sent)}`;
    expect(await read(path)).toMatchObject(sent);
    expect((await read(path)).secondary).toEqual({ requireTotp: true });
  });

  test.each([
    { secondary: { extra: 1 } },
    { primary: { extra: { deep: [1] } } },
    { primary: { updb: { extra: null, maxAttempts: 4 } } },
  ])('takes no notice of members that nobody declared: %j', async (more) => {
    const sent = settings();
    const path = `/auth-policies/${await controller.create('auth-policies', sent)}`;
    expect((await controller.rest('PATCH', path, more)).status).toBe(200);
    expect(await read(path)).toMatchObject(sent);
    const query =
      'mutation ($id: ID!, $input: UpdateAuthPolicyInput!) { updateAuthPolicy(id: $id, input: $input) { id } }';
    const id = path.split('/').at(-1);
    const { errors } = await controller.graphql(query, { id, input: more });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'COULD_NOT_VALIDATE', status: 400 });
  });

  test('has numbers in range', async () => {
    const sent = settings();
    Object.assign(sent.primary.updb, {
      lockoutDurationMinutes: -3,
      maxAttempts: -1,
      minPasswordLength: 2,
    });
    const path = `/auth-policies/${await controller.create('auth-policies', sent)}`;
    expect((await read(path)).primary).toMatchObject({
      updb: { lockoutDurationMinutes: 0, maxAttempts: 0, minPasswordLength: 5 },
    });
    await controller.rest('PATCH', path, { primary: { updb: { minPasswordLength: 1 } } });
    expect((await read(path)).primary).toMatchObject({ updb: { minPasswordLength: 5 } });
  });

  test.each([
    [{ primary: { cert: { allowed: true } } }],
    [{ primary: { updb: { maxAttempts: 9 } } }],
    [{ secondary: { requireTotp: false } }],
    [{ primary: { cert: null, extJwt: { allowed: null }, updb: { requireMixedCase: false } } }],
  ])('is changed by %j in just that', async (change) => {
    const sent = settings();
    const path = `/auth-policies/${await controller.create('auth-policies', sent)}`;
    expect((await controller.rest('PATCH', path, change)).status).toBe(200);
    expect(await read(path)).toMatchObject(merged(sent, change));
  });

  test('names signers that exist', async () => {
    const primary = settings();
    primary.primary.extJwt.allowedSigners = ['nothing'];
    const secondary = settings();
    secondary.secondary.requireExtJwtSigner = 'nothing';
    for (const sent of [primary, secondary]) {
      const answer = await controller.rest('POST', '/auth-policies', sent);
      expect(refusal(answer)).toEqual(NOT_FOUND);
    }
    const path = `/auth-policies/${await controller.create('auth-policies', settings())}`;
    const change = { secondary: { requireExtJwtSigner: 'nothing' } };
    expect(refusal(await controller.rest('PATCH', path, change))).toEqual(NOT_FOUND);
  });

  test('is held against new passwords', async () => {
    const authPolicyId = await controller.create('auth-policies', settings());
    const attempt = async (password: string): Promise<unknown[] | number> => {
      const identityId = await controller.create('identities', {
        name: unique(),
        type: 'Device',
        isAdmin: false,
        authPolicyId,
      });
      const answer = await controller.rest('POST', '/authenticators', {
        identityId,
        method: 'updb',
        username: unique(),
        password,
      });
      return answer.status === 201 ? 201 : refusal(answer);
    };
    for (const weak of ['Ab1!', 'abcdefg1!', 'ABCDEFG1!', 'Abcdefgh!', 'Abcdefg12']) {
      expect([weak, await attempt(weak)]).toEqual([weak, invalid('password')]);
    }
    expect(await attempt('Abcdefg1!')).toBe(201);
  });
});

/** Members that are null in the change stay as they were. */
function merged(value: Row, change: Row): Row {
  return Object.fromEntries(
    [...new Set([...Object.keys(value), ...Object.keys(change)])].map((name) => {
      const [before, after] = [value[name], change[name]];
      if (after === undefined || after === null) return [name, before];
      const nested = typeof after === 'object' && !Array.isArray(after);
      return [name, nested ? merged(before as Row, after as Row) : after];
    }),
  );
}

describe('an external JWT signer', () => {
  const withCertificate = async (): Promise<Row> => ({
    name: unique(),
    issuer: unique(),
    audience: 'us',
    enabled: true,
    certPem: await certificatePem('signer'),
    kid: unique(),
  });
  const withKeySet = (more: Row = {}): Row => ({
    name: unique(),
    issuer: unique(),
    audience: 'us',
    enabled: true,
    jwksEndpoint: 'https://login.example.com/keys',
    ...more,
  });

  test('with a certificate shows what it says', async () => {
    const sent = await withCertificate();
    const path = `/external-jwt-signers/${await controller.create('external-jwt-signers', sent)}`;
    const certificate = new X509Certificate(String(sent.certPem));
    expect(await read(path)).toMatchObject({
      kid: sent.kid,
      fingerprint: fingerprintOf(String(sent.certPem)),
      commonName: 'Overgraph Root CA signer',
      notBefore: new Date(certificate.validFrom).toISOString(),
      notAfter: new Date(certificate.validTo).toISOString(),
      claimsProperty: 'sub',
      targetToken: 'ACCESS',
      useExternalId: false,
      scopes: [],
      jwksEndpoint: null,
    });
  });

  test('with a key set has no certificate', async () => {
    const path = `/external-jwt-signers/${await controller.create('external-jwt-signers', withKeySet())}`;
    expect(await read(path)).toMatchObject({
      jwksEndpoint: 'https://login.example.com/keys',
      certPem: null,
      kid: null,
      fingerprint: null,
      commonName: null,
      notBefore: null,
      notAfter: null,
    });
  });

  test.each([
    ['neither certificate nor key set', { jwksEndpoint: undefined }, 'certPem'],
    ['a certificate that is none', { jwksEndpoint: undefined, certPem: 'x', kid: 'k' }, 'certPem'],
    ['a key set that is no http', { jwksEndpoint: 'ftp://login.example.com/keys' }, 'jwksEndpoint'],
    [
      'the key set of a metadata service',
      { jwksEndpoint: 'http://169.254.169.254/keys' },
      'jwksEndpoint',
    ],
    ['a wrong token', { targetToken: 'REFRESH' }, 'targetToken'],
    ['no issuer', { issuer: undefined }, 'issuer'],
    ['no word on whether it counts', { enabled: undefined }, 'enabled'],
  ])('is not made with %s', async (_, more, field) => {
    const answer = await controller.rest('POST', '/external-jwt-signers', withKeySet(more));
    expect(refusal(answer)).toEqual(invalid(field));
  });

  test('with a certificate needs the id of its key', async () => {
    const { kid, ...sent } = await withCertificate();
    expect(kid).toBeDefined();
    expect(refusal(await controller.rest('POST', '/external-jwt-signers', sent))).toEqual(
      invalid('kid'),
    );
  });

  test.each([
    ['certPem', 'certPem'],
    ['kid', 'kid'],
    ['issuer', 'issuer'],
  ])('shares its %s with no other', async (name, field) => {
    const first = await withCertificate();
    await controller.create('external-jwt-signers', first);
    const second = { ...(await withCertificate()), [name]: first[name] };
    expect(refusal(await controller.rest('POST', '/external-jwt-signers', second))).toEqual(
      invalid(field),
    );
  });

  test.each([
    { enabled: false },
    { audience: 'them' },
    { claimsProperty: '/email' },
    { scopes: ['email', 'openid'] },
    { targetToken: 'ID' },
    { useExternalId: true },
    { clientId: 'overgraph', externalAuthUrl: 'https://login.example.com' },
    { enrollToCertEnabled: true, enrollNameClaimsSelector: '/name' },
  ])('is changed by %j in just that', async (change) => {
    const path = `/external-jwt-signers/${await controller.create('external-jwt-signers', await withCertificate())}`;
    const { updatedAt, ...before } = await read(path);
    expect((await controller.rest('PATCH', path, change)).status).toBe(200);
    const after = await read(path);
    expect(after).toEqual({ ...before, ...change, updatedAt: after.updatedAt });
    expect(after.updatedAt).not.toBe(updatedAt);
  });

  test('sends access tokens when nothing is said', async () => {
    const sent = withKeySet({ targetToken: null, claimsProperty: '' });
    const path = `/external-jwt-signers/${await controller.create('external-jwt-signers', sent)}`;
    expect(await read(path)).toMatchObject({ targetToken: 'ACCESS', claimsProperty: 'sub' });
  });
});

describe('a certificate authority', () => {
  const sent = async (more: Row = {}): Promise<Row> => ({
    name: unique(),
    certPem: await certificatePem(unique()),
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: false,
    isOttCaEnrollmentEnabled: true,
    identityRoles: ['b', 'a', 'b'],
    ...more,
  });
  const create = async (more: Row = {}): Promise<string> =>
    `/cas/${await controller.create('cas', await sent(more))}`;

  test('is new and not verified', async () => {
    const body = await sent();
    const path = `/cas/${await controller.create('cas', body)}`;
    expect(await read(path)).toMatchObject({
      isVerified: false,
      verificationToken: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      fingerprint: fingerprintOf(String(body.certPem)),
      identityRoles: ['a', 'b'],
      identityNameFormat: '[caName]-[commonName]',
      _links: { self: { href: `.${path}` }, verify: { href: `.${path}/verify` } },
    });
  });

  test('links to its token while it enrolls identities', async () => {
    const path = await create({ isAutoCaEnrollmentEnabled: true });
    expect(await read(path)).toMatchObject({ _links: { jwt: { href: `.${path}/jwt` } } });
  });

  test.each(['text', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])(
    'is not made of %j',
    async (certPem) => {
      const answer = await controller.rest('POST', '/cas', await sent({ certPem }));
      expect(refusal(answer)).toEqual(invalid('certPem'));
    },
  );

  test('shares its certificate with no other', async () => {
    const certPem = await certificatePem('shared');
    await create({ certPem });
    const answer = await controller.rest('POST', '/cas', await sent({ certPem }));
    expect(refusal(answer)).toEqual(invalid('certPem'));
  });

  test('keeps certificate, token and verification', async () => {
    const path = await create();
    const before = await read(path);
    const change = { ...(await sent()), isVerified: true, verificationToken: 'mine' };
    expect((await controller.rest('PUT', path, change)).status).toBe(200);
    expect((await controller.rest('PATCH', path, change)).status).toBe(200);
    const { certPem, fingerprint, isVerified, verificationToken } = before;
    expect(await read(path)).toMatchObject({ certPem, fingerprint, isVerified, verificationToken });
  });

  const claim = {
    location: 'SAN_URI',
    matcher: 'SCHEME',
    matcherCriteria: 'spiffe',
    parser: 'SPLIT',
    parserCriteria: '/',
    index: 2,
  };

  test('has a claim that is merged by a PATCH', async () => {
    const path = await create({ externalIdClaim: claim });
    const claimOf = async () => (await read(path)).externalIdClaim;
    expect(await claimOf()).toEqual(claim);
    await controller.rest('PATCH', path, { externalIdClaim: { index: 1, parser: null } });
    expect(await claimOf()).toEqual({ ...claim, index: 1 });
    await controller.rest('PATCH', path, { externalIdClaim: {} });
    expect(await claimOf()).toEqual({ ...claim, index: 1 });
    const wrong = { externalIdClaim: { matcher: 'PREFIX' } };
    expect((await controller.rest('PATCH', path, wrong)).status).toBe(400);
    await controller.rest('PUT', path, await sent());
    expect(await claimOf()).toBeUndefined();
  });

  test.each([[{}], [{ externalIdClaim: null }], [{ isAuthEnabled: false }]])(
    'loses its claim by a PATCH of %j, and nothing else',
    async (patch) => {
      const path = await create({ externalIdClaim: claim });
      const before = await read(path);
      expect((await controller.rest('PATCH', path, patch)).status).toBe(200);
      const { updatedAt, ...after } = await read(path);
      expect({ ...after, updatedAt, externalIdClaim: claim, ...patch }).toEqual({
        ...before,
        updatedAt,
        ...patch,
      });
      expect(after).not.toHaveProperty('externalIdClaim');
    },
  );

  test('keeps its claim in updates of the graph that do not name it', async () => {
    const path = await create({ externalIdClaim: claim });
    const id = path.split('/').at(-1);
    const update = async (input: Row) =>
      controller.graphql(
        'mutation ($id: ID!, $input: UpdateCertificateAuthorityInput!) { updateCertificateAuthority(id: $id, input: $input) { id } }',
        { id, input },
      );
    await update({ isAuthEnabled: false });
    expect((await read(path)).externalIdClaim).toEqual(claim);
    await update({ externalIdClaim: null });
    expect(await read(path)).not.toHaveProperty('externalIdClaim');
  });

  test.each([
    { ...claim, location: 'ELSEWHERE' },
    { ...claim, matcher: 'SOME' },
    { ...claim, matcherCriteria: '' },
    { ...claim, parser: 'CUT' },
    { ...claim, parserCriteria: '' },
    { ...claim, index: -1 },
    { ...claim, location: 'COMMON_NAME' },
    {},
  ])('has no claim like %j', async (externalIdClaim) => {
    const answer = await controller.rest('POST', '/cas', await sent({ externalIdClaim }));
    expect(answer.status).toBe(400);
    expect(answer.body.error.cause?.field).toMatch(/^externalIdClaim/);
  });
});
