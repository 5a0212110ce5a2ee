import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import type { KeyMaterial } from '../../../src/trust/pki/index.js';
import {
  keysOf,
  newCsr,
  newKey,
  withKey,
  type ClientCertificate,
  type KeyKind,
} from '../auth/certificates.js';
import {
  authenticate,
  call,
  outcome,
  passwordLogin,
  sessionIn,
  unique,
  withToken,
} from '../auth/client.js';
import { startController, type TestController } from '../../support/controller.js';
import {
  enrollByText,
  identityOf,
  invite,
  issuedIn,
  tlsLeaf,
  trusting,
  wellKnownAuthorities,
  type Invited,
  expectOneToServe,
} from './enrolling.js';

/* How identities join, from the invitation to the first login. */

let controller: TestController & { dataDir: string };
let keys: KeyMaterial;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  keys = await keysOf(controller);
});
afterAll(() => controller.stop());

const GARBAGE = '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----';
const PASSWORD = 'horse battery';

const enroll = (query: string, body?: unknown, certificate?: ClientCertificate) =>
  call(controller, 'POST', `/enroll${query}`, { body, certificate });

const authenticatorsOf = async (id: string): Promise<Record<string, unknown>[]> =>
  (await controller.rest('GET', `/identities/${id}/authenticators`)).body.data;
const enrollmentsOf = async (id: string): Promise<unknown[]> =>
  (await controller.rest('GET', `/identities/${id}/enrollments`)).body.data;

describe('a one-time token', () => {
  let invited: Invited;
  let query: string;

  beforeEach(async () => {
    invited = await invite(controller, { ott: true });
    query = `?method=ott&token=${invited.token}`;
  });

  test('is signed with the key of the TLS server', async () => {
    const leaf = await tlsLeaf(controller);
    const { payload } = await jwtVerify(invited.jwt, leaf.publicKey);
    expect(payload).toMatchObject({
      sub: invited.identityId,
      aud: [''],
      jti: invited.token,
      em: 'ott',
    });
    expect(payload.iss).toMatch(/^https:\/\/[^/]+$/);
    expect(decodeProtectedHeader(invited.jwt)).toMatchObject({
      typ: 'JWT',
      kid: leaf.fingerprint.replaceAll(':', '').toLowerCase(),
    });
    await expect(jwtVerify(invited.jwt, newKey())).rejects.toThrow();
  });

  test.each<[KeyKind, string]>([
    ['ec', 'text/plain'],
    ['ec', 'application/x-pem-file'],
    ['ec', 'application/pkcs10'],
    ['ec', 'application/pkcs7'],
    ['rsa', 'text/plain'],
    ['rsa', 'application/x-pem-file; charset=utf-8'],
  ])('certifies an %s key of a request in %s', async (kind, contentType) => {
    const key = newKey(kind);
    const answer = await enrollByText(controller, query, await newCsr(key), contentType);
    expect(answer.headers['content-type']).toBe('application/json');
    await expectJoined(issuedIn(answer), key);
  });

  test.each<[KeyKind, string]>([
    ['ec', 'clientCsr'],
    ['rsa', 'clientCsr'],
    ['ec', 'certCsr'],
  ])('certifies an %s key of a request in the JSON member %s', async (kind, member) => {
    const key = newKey(kind);
    const answer = await enroll(query, { [member]: await newCsr(key) });
    await expectJoined(issuedIn(answer), key);
  });

  test('may stand in the body, for the path of its own', async () => {
    const key = newKey();
    const { token } = invited;
    const answer = await enroll('/ott', { token, clientCsr: await newCsr(key) });
    await expectJoined(issuedIn(answer), key);
  });

  test('tells the controller to talk to from now on', async () => {
    const answer = await enroll(query, { clientCsr: await newCsr(newKey()) });
    const { controllers } = answer.body.data as { controllers: unknown[] };
    const listed = await call(controller, 'GET', '/controllers', withToken(controller.token));
    expect(controllers).toHaveLength(1);
    expect(controllers).toEqual(listed.body.data);
  });

  test('may be used without saying the method', async () => {
    const key = newKey();
    const answer = await enrollByText(controller, `?token=${invited.token}`, await newCsr(key));
    await expectJoined(issuedIn(answer), key);
  });

  /** What was issued logs in, over connections that trust only what was answered. */
  async function expectJoined(
    { ca, cert }: { ca: string; cert: string },
    key: ReturnType<typeof newKey>,
  ): Promise<void> {
    const { identityId } = invited;
    const leaf = new X509Certificate(cert);
    expect(leaf.checkPrivateKey(key)).toBe(true);
    expect(leaf.subject.split('\n').sort()).toEqual(['CN=client', 'O=Example']);
    expect(leaf.subjectAltName).toBe(`URI:spiffe://${keys.trustDomain}/identity/${identityId}`);
    expect(leaf.ca).toBe(false);
    expect(cert).not.toContain(keys.root.toString().trim());

    const certificate = withKey(cert, key);
    for (const authorities of [ca, await wellKnownAuthorities(controller)]) {
      const agent = trusting(authorities, certificate);
      const login = await authenticate(controller, 'cert', { agent });
      agent.destroy();
      expect(sessionIn(login)).toMatchObject({ identityId, isCertExtendable: true });
    }
    await expect(authenticatorsOf(identityId)).resolves.toMatchObject([
      {
        method: 'cert',
        isIssuedByNetwork: true,
        fingerprint: leaf.fingerprint.replaceAll(':', '').toLowerCase(),
      },
    ]);
    await expect(enrollmentsOf(identityId)).resolves.toEqual([]);
  }

  test('serves once', async () => {
    const csr = await newCsr(newKey());
    expect((await enrollByText(controller, query, csr)).status).toBe(200);
    const again = await enrollByText(controller, query, csr);
    expect(again.body.error.code).toBe('INVALID_ENROLLMENT_TOKEN');
    await expect(authenticatorsOf(invited.identityId)).resolves.toHaveLength(1);
  });

  test('serves one of several at once', async () => {
    const requests = await Promise.all([1, 2, 3, 4].map(() => newCsr(newKey())));
    await expectOneToServe(requests.map((clientCsr) => enroll(query, { clientCsr })));
    await expect(authenticatorsOf(invited.identityId)).resolves.toHaveLength(1);
  });

  test('survives a failure, which leaves nothing behind', async () => {
    for (const bad of [GARBAGE, 'nonsense', `${await newCsr(newKey())}\n${GARBAGE}`]) {
      expect(outcome(await enrollByText(controller, query, bad))).toEqual([
        400,
        'COULD_NOT_PROCESS_CSR',
      ]);
    }
    expect((await enrollByText(controller, query, '')).status).toBe(400);
    await expect(authenticatorsOf(invited.identityId)).resolves.toEqual([]);
    await expect(enrollmentsOf(invited.identityId)).resolves.toHaveLength(1);
    const key = newKey();
    const answer = await enrollByText(controller, query, await newCsr(key));
    await expectJoined(issuedIn(answer), key);
  });

  test('needs no session and minds none', async () => {
    const answer = await call(controller, 'POST', `/enroll${query}`, {
      body: { clientCsr: await newCsr(newKey()) },
      headers: { 'zt-session': 'made up' },
    });
    expect(answer.status).toBe(200);
  });

  test('ends with its identity', async () => {
    await controller.rest('DELETE', `/identities/${invited.identityId}`);
    const answer = await enrollByText(controller, query, await newCsr(newKey()));
    expect(answer.body.error.code).toBe('INVALID_ENROLLMENT_TOKEN');
  });

  test('ends with its enrollment', async () => {
    expect((await controller.rest('DELETE', `/enrollments/${invited.id}`)).status).toBe(200);
    const answer = await enrollByText(controller, query, await newCsr(newKey()));
    expect(outcome(answer)).toEqual([404, 'INVALID_ENROLLMENT_TOKEN']);
    expect((await identityOf(controller, invited.identityId)).enrollment).toEqual({});
  });

  test('comes again with another certificate when the authenticator re-enrolls', async () => {
    const [key, newer] = [newKey(), newKey()];
    const first = issuedIn(await enrollByText(controller, query, await newCsr(key)));
    const logIn = (cert: string, by: typeof key) =>
      authenticate(controller, 'cert', { certificate: withKey(cert, by) });
    const { token: session, authenticatorId } = sessionIn(await logIn(first.cert, key));
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const path = `/authenticators/${authenticatorId}/re-enroll`;
    expect((await controller.rest('POST', path, { expiresAt })).status).toBe(201);
    expect((await call(controller, 'GET', '/current-api-session', withToken(session))).status).toBe(
      401,
    );
    expect(outcome(await logIn(first.cert, key))).toEqual([401, 'INVALID_AUTH']);
    const { enrollment } = await identityOf(controller, invited.identityId);
    const again = `?method=ott&token=${String(enrollment.ott?.token)}`;
    const second = issuedIn(await enrollByText(controller, again, await newCsr(newer)));
    expect(sessionIn(await logIn(second.cert, newer)).identityId).toBe(invited.identityId);
  });

  test('is replaced when the enrollment is refreshed', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const path = `/enrollments/${invited.id}/refresh`;
    expect((await controller.rest('POST', path, { expiresAt })).status).toBe(200);
    const { enrollment } = await identityOf(controller, invited.identityId);
    expect(enrollment.ott?.jwt).not.toBe(invited.jwt);
    const clientCsr = await newCsr(newKey());
    expect(outcome(await enroll(query, { clientCsr }))).toEqual([404, 'INVALID_ENROLLMENT_TOKEN']);
    const token = String(enrollment.ott?.token);
    const answer = await enroll('/ott', { token, clientCsr: await newCsr(newKey()) });
    expect(answer.status).toBe(200);
  });
});

describe('an invitation with a username', () => {
  let invited: Invited;
  let username: string;
  let query: string;

  beforeEach(async () => {
    username = unique('joining');
    invited = await invite(controller, { updb: username });
    query = `?method=updb&token=${invited.token}`;
  });

  test.each(['', '/updb'])('takes a password at /enroll%s', async (path) => {
    const answer = await enroll(path + query, { password: PASSWORD, username: 'of the body' });
    expect(answer.status).toBe(200);
    // The Go SDK logs in with the name of the answer.
    expect(answer.body.data).toEqual({ username });
    const login = await passwordLogin(controller, { username }, PASSWORD);
    expect(sessionIn(login).identityId).toBe(invited.identityId);
    await expect(enrollmentsOf(invited.identityId)).resolves.toEqual([]);
    expect((await passwordLogin(controller, { username: 'of the body' }, PASSWORD)).status).toBe(
      401,
    );
    expect(answer.text).not.toContain(PASSWORD);
  });

  test('serves once, of several at once too', async () => {
    const passwords = [1, 2, 3].map((n) => `${PASSWORD} ${String(n)}`);
    await expectOneToServe(passwords.map((password) => enroll(query, { password })));
    const logins = await Promise.all(
      passwords.map((p) => passwordLogin(controller, { username }, p)),
    );
    expect(logins.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test.each([undefined, '', 'abc', 12345678])('survives the password %j', async (password) => {
    const refused = await enroll(query, { password });
    expect(outcome(refused)).toEqual([400, 'COULD_NOT_VALIDATE']);
    await expect(authenticatorsOf(invited.identityId)).resolves.toEqual([]);
    expect((await enroll(query, { password: PASSWORD })).status).toBe(200);
  });
});
