import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { newCsr, newKey, withKey, type ClientCertificate } from '../auth/certificates.js';
import {
  authenticate,
  authPolicy,
  bearersOf,
  call,
  outcome,
  sessionIn,
  unique,
} from '../auth/client.js';
import { OutsideSigner } from '../auth/signers.js';
import { startController, type TestController } from '../../support/controller.js';
import { identitiesWhere, identityOf, issuedIn, losersOf } from './enrolling.js';

/* How identities join by JWTs of others. */

let controller: TestController & { dataDir: string };

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());

const NOT_ALLOWED = [409, 'INVALID_ENROLLMENT_NOT_ALLOWED'];
const GARBAGE = '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----';

const logsIn = async (certificate: ClientCertificate): Promise<string | undefined> => {
  const answer = await authenticate(controller, 'cert', { certificate });
  return answer.status === 200 ? sessionIn(answer).identityId : undefined;
};

describe('the JWT of an external signer', () => {
  let signer: OutsideSigner;

  beforeEach(async () => {
    signer = await OutsideSigner.create(unique('issuer'));
  });

  const allow = (settings: Record<string, unknown>): Promise<string> =>
    controller.create('external-jwt-signers', {
      ...signer.settings,
      useExternalId: true,
      ...settings,
    });
  const join = (jwt: string, body: unknown = {}, headers: Record<string, string> = {}) =>
    call(controller, 'POST', '/enroll/token', {
      body,
      headers: { authorization: bearersOf([jwt]), ...headers },
    });

  test('makes an identity that logs in with it', async () => {
    const id = await allow({
      enrollToTokenEnabled: true,
      enrollNameClaimsSelector: '/profile/name',
      enrollAttributeClaimsSelector: 'groups',
    });
    const name = unique('named');
    const claims = { profile: { name }, groups: ['b', 'a'] };
    const jwt = await signer.jwt(unique('subject'), claims);
    expect((await join(jwt, {}, { 'ziti-token-issuer-id': id })).status).toBe(200);
    const [identity] = await identitiesWhere(controller, `name = "${name}"`);
    expect(identity?.roleAttributes).toEqual(['a', 'b']);
    const login = await authenticate(controller, 'ext-jwt', {
      headers: { authorization: bearersOf([jwt]) },
    });
    expect(sessionIn(login).identityId).toBe(identity?.id);
    expect(outcome(await join(jwt))).toEqual([409, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED']);
  });

  test('makes an identity with a certificate', async () => {
    await allow({ enrollToCertEnabled: true });
    const key = newKey();
    const subject = unique('subject');
    const answer = await join(await signer.jwt(subject), { clientCsr: await newCsr(key) });
    const [identity] = await identitiesWhere(controller, `externalId = "${subject}"`);
    expect(identity?.name).toBe(subject);
    await expect(logsIn(withKey(issuedIn(answer).cert, key))).resolves.toBe(identity?.id);
  });

  test.each([true, false])(
    'makes one that waits where the signer says so: %s',
    async (isPending) => {
      await allow({
        ...{ enrollToTokenEnabled: true, enrollToCertEnabled: true },
        ...{ newIdentitiesArePending: isPending },
      });
      const [byToken, byCertificate] = [unique('subject'), unique('subject')];
      const jwt = await signer.jwt(byToken);
      expect((await join(jwt)).status).toBe(200);
      const key = newKey();
      const answer = await join(await signer.jwt(byCertificate), { clientCsr: await newCsr(key) });
      for (const subject of [byToken, byCertificate]) {
        const joined = await identitiesWhere(controller, `externalId = "${subject}"`);
        expect(joined).toMatchObject([{ isPending }]);
      }
      const headers = { authorization: bearersOf([jwt]) };
      expect((await authenticate(controller, 'ext-jwt', { headers })).status).toBe(200);
      await expect(logsIn(withKey(issuedIn(answer).cert, key))).resolves.toEqual(
        expect.any(String),
      );
    },
  );

  test('serves one of several at once', async () => {
    await allow({ enrollToTokenEnabled: true });
    const jwt = await signer.jwt(unique('subject'));
    await losersOf([1, 2, 3].map(() => join(jwt)));
    expect(outcome(await join(jwt))).toEqual([409, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED']);
  });

  test('makes nothing when the request can not be used', async () => {
    await allow({ enrollToCertEnabled: true });
    const subject = unique('subject');
    const jwt = await signer.jwt(subject);
    expect(outcome(await join(jwt, { clientCsr: GARBAGE }))).toEqual([
      400,
      'COULD_NOT_PROCESS_CSR',
    ]);
    await expect(identitiesWhere(controller, `externalId = "${subject}"`)).resolves.toEqual([]);
    expect((await join(jwt, { clientCsr: await newCsr(newKey()) })).status).toBe(200);
  });

  test('does only what the signer allows', async () => {
    await allow({ enrollToCertEnabled: true });
    expect(outcome(await join(await signer.jwt('anyone')))).toEqual(NOT_ALLOWED);
  });

  test('may stand among others', async () => {
    await allow({ enrollToTokenEnabled: true });
    const answer = await call(controller, 'POST', '/enroll/token', {
      headers: { authorization: bearersOf(['nonsense', await signer.jwt(unique('subject'))]) },
    });
    expect(answer.status).toBe(200);
  });

  test('tells who comes with a request the controller to talk to', async () => {
    await allow({ enrollToCertEnabled: true });
    const jwt = await signer.jwt(unique('subject'));
    const { body } = await join(jwt, { clientCsr: await newCsr(newKey()) });
    expect(body.data).toMatchObject({ controllers: [{ name: expect.any(String) }] });
  });

  test.each<[string, Record<string, unknown>, (id: string) => Record<string, unknown>]>([
    ['to a token', { extJwt: { allowed: false } }, () => ({})],
    ['to a token, by the list of signers', {}, (id) => ({ extJwt: { allowedSigners: [id] } })],
  ])('does not join %s where the auth policy forbids such logins', async (_, change, listOf) => {
    const other = await OutsideSigner.create(unique('issuer'));
    const otherId = await controller.create('external-jwt-signers', other.settings);
    const policy = authPolicy({ ...change, ...listOf(otherId) });
    const enrollAuthPolicyId = await controller.create('auth-policies', policy);
    await allow({ enrollToTokenEnabled: true, enrollAuthPolicyId });
    const subject = unique('subject');
    expect(outcome(await join(await signer.jwt(subject)))).toEqual(NOT_ALLOWED);
    await expect(identitiesWhere(controller, `externalId = "${subject}"`)).resolves.toEqual([]);
  });

  test('does not join to a certificate where the auth policy forbids such logins', async () => {
    const policy = authPolicy({ cert: { allowed: false } });
    const enrollAuthPolicyId = await controller.create('auth-policies', policy);
    await allow({ enrollToCertEnabled: true, enrollAuthPolicyId });
    const answer = await join(await signer.jwt(unique('subject')), {
      clientCsr: await newCsr(newKey()),
    });
    expect(outcome(answer)).toEqual(NOT_ALLOWED);
  });

  describe('where the signer tells ids of identities', () => {
    const subjects: [string, () => string][] = [
      ['a UUID', () => randomUUID()],
      ['a number', () => String(10n ** 20n + BigInt(randomBytes(6).readUIntBE(0, 6)))],
    ];

    test.each(subjects)('joins with %s, which becomes the id', async (_, make) => {
      await allow({ useExternalId: false, enrollToTokenEnabled: true, enrollToCertEnabled: true });
      const subject = make();
      const jwt = await signer.jwt(subject);
      expect((await join(jwt)).status).toBe(200);
      const login = await authenticate(controller, 'ext-jwt', {
        headers: { authorization: bearersOf([jwt]) },
      });
      expect(sessionIn(login).identityId).toBe(subject);
      expect((await identityOf(controller, subject)).externalId ?? null).toBeNull();
      for (const body of [{}, { clientCsr: await newCsr(newKey()) }]) {
        expect(outcome(await join(jwt, body))).toEqual([
          409,
          'ENROLLMENT_IDENTITY_ALREADY_ENROLLED',
        ]);
      }
    });

    test('does not take the place of somebody who is there', async () => {
      await allow({ useExternalId: false, enrollToTokenEnabled: true });
      const id = await controller.create('identities', {
        name: unique('victim'),
        type: 'Default',
        isAdmin: true,
      });
      const answer = await join(await signer.jwt(id));
      expect(outcome(answer)).toEqual([409, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED']);
    });

    test('joins again who was deleted', async () => {
      await allow({ useExternalId: false, enrollToTokenEnabled: true });
      const subject = randomUUID();
      const jwt = await signer.jwt(subject);
      expect((await join(jwt)).status).toBe(200);
      await controller.rest('DELETE', `/identities/${subject}`);
      expect((await join(jwt)).status).toBe(200);
      expect((await identityOf(controller, subject)).id).toBe(subject);
    });

    test.each(['ada@example.com', 'short', '-starts-badly', 'auth0|0123456789', '../../../etc'])(
      'joins %s by certificate alone, since it can be no id',
      async (subject) => {
        await allow({
          useExternalId: false,
          enrollToTokenEnabled: true,
          enrollToCertEnabled: true,
        });
        const jwt = await signer.jwt(subject);
        expect(outcome(await join(jwt))).toEqual(NOT_ALLOWED);
        const key = newKey();
        const answer = await join(jwt, { clientCsr: await newCsr(key) });
        const id = await logsIn(withKey(issuedIn(answer).cert, key));
        expect((await identityOf(controller, String(id))).externalId).toBe(subject);
      },
    );
  });
});
