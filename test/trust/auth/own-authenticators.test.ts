import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import type { KeyMaterial } from '../../../src/trust/pki/index.js';
import { startController, type TestController } from '../../support/controller.js';
import {
  keysOf,
  networkCertificate,
  newCsr,
  newKey,
  withKey,
  type KeyKind,
  type NetworkCertificate,
} from './certificates.js';
import {
  authenticate,
  authPolicy,
  call,
  loggedIn,
  newPerson,
  outcome,
  PASSWORD,
  passwordLogin,
  runSql,
  sessionIn,
  unique,
  type Call,
  type Person,
} from './client.js';

/* What identities do with their own authenticators. */

const OWN = '/current-identity/authenticators';

let controller: TestController & { dataDir: string };
let keys: KeyMaterial;
let person: Person;
let token: string;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  keys = await keysOf(controller);
});
afterAll(() => controller.stop());
beforeEach(async () => {
  person = await newPerson(controller);
  ({ token } = await loggedIn(controller, person));
});

const send = (method: string, path: string, body?: unknown, more: Call = {}) =>
  call(controller, method, `${OWN}${path}`, {
    headers: { 'zt-session': token },
    ...(body === undefined ? {} : { body }),
    ...more,
  });

describe('the own authenticators', () => {
  test('are listed, without those of others', async () => {
    const { status, body } = await send('GET', '');
    expect(status).toBe(200);
    expect(body.meta.pagination).toEqual({ limit: 10, offset: 0, totalCount: 1 });
    expect(body.data).toMatchObject([
      {
        id: person.authenticatorId,
        identityId: person.id,
        method: 'updb',
        username: person.username,
        _links: { self: { href: `./authenticators/${person.authenticatorId}` } },
      },
    ]);
    expect(JSON.stringify(body.data)).not.toMatch(/argon2|password/i);
  });

  test('are shown one by one', async () => {
    const { status, body } = await send('GET', `/${person.authenticatorId}`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id: person.authenticatorId });
  });

  test.each(['GET', 'PUT', 'PATCH'])(
    'of others, and made-up ones, are not found by %s',
    async (method) => {
      const other = await newPerson(controller);
      const body = {
        username: unique('stolen'),
        password: 'other pass',
        currentPassword: PASSWORD,
      };
      for (const id of [other.authenticatorId, 'nobody']) {
        const sent = method === 'GET' ? undefined : body;
        expect(outcome(await send(method, `/${id}`, sent))).toEqual([404, 'NOT_FOUND']);
      }
      expect((await passwordLogin(controller, other)).status).toBe(200);
    },
  );

  test.each([
    ['POST', ''],
    ['DELETE', '/x'],
  ])('know no %s', async (method, path) => {
    expect((await send(method, path)).status).toBe(405);
  });
});

describe('a change of the own password', () => {
  const change = (method: string, body: object) => send(method, `/${person.authenticatorId}`, body);

  test('replaces username and password', async () => {
    const [username, password] = [unique('renamed'), 'another one'];
    const answer = await change('PUT', { username, password, currentPassword: PASSWORD });
    expect([answer.status, answer.body.data]).toEqual([200, {}]);
    expect((await passwordLogin(controller, { username }, password)).status).toBe(200);
    expect((await passwordLogin(controller, person)).status).toBe(401);
  });

  test('changes one of them', async () => {
    const username = unique('renamed');
    expect((await change('PATCH', { username, currentPassword: PASSWORD })).status).toBe(200);
    expect((await passwordLogin(controller, { username })).status).toBe(200);
    const body = { username: null, password: 'another one', currentPassword: PASSWORD };
    expect((await change('PATCH', body)).status).toBe(200);
    expect((await passwordLogin(controller, { username }, 'another one')).status).toBe(200);
  });

  const NEW = { username: 'new name', password: 'new password' };

  test.each<[string, object, number, string, string]>([
    ['PUT', { ...NEW, currentPassword: 'wrong one' }, 401, 'UNAUTHORIZED', 'currentPassword'],
    ['PATCH', { ...NEW, currentPassword: 'wrong one' }, 401, 'UNAUTHORIZED', 'currentPassword'],
    ['PATCH', { ...NEW, currentPassword: '' }, 401, 'UNAUTHORIZED', 'currentPassword'],
    ['PUT', NEW, 400, 'COULD_NOT_VALIDATE', 'currentPassword'],
    ['PATCH', NEW, 400, 'COULD_NOT_VALIDATE', 'currentPassword'],
    [
      'PUT',
      { username: 'new name', currentPassword: PASSWORD },
      400,
      'COULD_NOT_VALIDATE',
      'password',
    ],
    [
      'PUT',
      { password: 'new password', currentPassword: PASSWORD },
      400,
      'COULD_NOT_VALIDATE',
      'username',
    ],
    [
      'PATCH',
      { password: '1234', currentPassword: PASSWORD },
      400,
      'COULD_NOT_VALIDATE',
      'password',
    ],
    [
      'PATCH',
      { username: 'abc', currentPassword: PASSWORD },
      400,
      'COULD_NOT_VALIDATE',
      'username',
    ],
    [
      'PATCH',
      { username: 'admin', currentPassword: PASSWORD },
      400,
      'COULD_NOT_VALIDATE',
      'username',
    ],
    [
      'PATCH',
      { password: 12345678, currentPassword: PASSWORD },
      400,
      'COULD_NOT_VALIDATE',
      'password',
    ],
  ])('by %s with %j is %d %s', async (method, body, status, code, field) => {
    const answer = await change(method, body);
    expect(outcome(answer)).toEqual([status, code]);
    expect(answer.body.error.cause).toMatchObject({ field });
    expect(answer.text).not.toMatch(/wrong one|new password|battery staple|1234/);
    expect((await passwordLogin(controller, person)).status).toBe(200);
  });

  test('is not possible for a certificate', async () => {
    const { id } = await withCertificate();
    const answer = await send('PATCH', `/${id}`, {
      password: 'whatever',
      currentPassword: PASSWORD,
    });
    expect(outcome(answer)).toEqual([409, 'CAN_NOT_UPDATE_AUTHENTICATOR']);
  });
});

interface Registered {
  readonly id: string;
  readonly certificate: NetworkCertificate;
}

/** A certificate of the network, registered for the person as an enrollment would have. */
async function withCertificate(isIssuedByNetwork = true, at = new Date()): Promise<Registered> {
  const certificate = await networkCertificate(keys, person.id, at);
  const body = { identityId: person.id, method: 'cert', certPem: certificate.leaf };
  const id = await controller.create('authenticators', body);
  await runSql(controller, 'update authenticator set is_issued_by_network = $2 where id = $1', [
    id,
    isIssuedByNetwork,
  ]);
  return { id, certificate };
}

const namesOf = (pem: string): string | undefined => new X509Certificate(pem).subjectAltName;

describe('the extension of a certificate', () => {
  let registered: Registered;
  const logsIn = async (certificate: { cert: string; key: string }): Promise<boolean> =>
    (await authenticate(controller, 'cert', { certificate })).status === 200;

  beforeEach(async () => {
    registered = await withCertificate();
    const { certificate } = registered;
    ({ token } = sessionIn(await authenticate(controller, 'cert', { certificate })));
  });

  const extend = async (key: KeyObject, { id, certificate } = registered) =>
    send(
      'POST',
      `/${id}/extend`,
      { clientCertCsr: await newCsr(key, 'CN=renewed') },
      { certificate },
    );
  const confirm = (clientCert: string, { id, certificate } = registered) =>
    send('POST', `/${id}/extend-verify`, { clientCert }, { certificate });
  const shown = async (): Promise<Record<string, unknown>> =>
    (await controller.rest('GET', `/authenticators/${registered.id}`)).body.data;

  test.each<KeyKind>(['ec', 'rsa'])(
    'goes to a new key (%s) and takes force when confirmed',
    async (kind) => {
      await controller.rest('POST', `/authenticators/${registered.id}/request-extend`, {
        rollKeys: true,
      });
      const key = newKey(kind);
      const extended = await extend(key);
      expect(outcome(extended)).toEqual([200, undefined]);
      const { ca, clientCert } = extended.body.data as { ca: string; clientCert: string };
      expect(ca).toBe(keys.caBundlePem);
      const issued = new X509Certificate(clientCert);
      expect(issued.subject).toBe('CN=renewed');
      expect(namesOf(clientCert)).toBe(namesOf(registered.certificate.leaf));
      expect(issued.checkPrivateKey(key)).toBe(true);

      const renewed = withKey(clientCert, key);
      await expect(logsIn(registered.certificate)).resolves.toBe(true);
      await expect(logsIn(renewed)).resolves.toBe(false);
      const confirmed = await confirm(clientCert);
      expect([confirmed.status, confirmed.body.data]).toEqual([200, {}]);
      await expect(logsIn(registered.certificate)).resolves.toBe(false);
      await expect(logsIn(renewed)).resolves.toBe(true);

      await expect(shown()).resolves.toMatchObject({
        fingerprint: issued.fingerprint.replaceAll(':', '').toLowerCase(),
        certPem: issued.toString(),
        isIssuedByNetwork: true,
        isExtendRequested: false,
        isKeyRollRequested: false,
        lastExtendRolledKeys: true,
      });
      // The session that did it goes on.
      expect((await send('GET', '')).status).toBe(200);
    },
  );

  test('may keep the key', async () => {
    const key = createPrivateKey(registered.certificate.key);
    const { body } = await extend(key);
    const { clientCert } = body.data as { clientCert: string };
    expect((await confirm(clientCert)).status).toBe(200);
    await expect(logsIn(withKey(clientCert, key))).resolves.toBe(true);
    await expect(shown()).resolves.toMatchObject({ lastExtendRolledKeys: false });
  });

  test('may begin anew before it is confirmed', async () => {
    const [first, second] = [newKey(), newKey()];
    const early = (await extend(first)).body.data as { clientCert: string };
    const late = (await extend(second)).body.data as { clientCert: string };
    expect(outcome(await confirm(early.clientCert))).toEqual([400, 'INVALID_CLIENT_CERT']);
    expect((await confirm(late.clientCert)).status).toBe(200);
  });

  test('is not confirmed by another certificate', async () => {
    await extend(newKey());
    const { certificate } = registered;
    for (const wrong of ['', 'nonsense', certificate.leaf, keys.root.toString()]) {
      expect(outcome(await confirm(wrong))).toEqual([400, 'INVALID_CLIENT_CERT']);
    }
    expect((await send('POST', `/${registered.id}/extend-verify`, {})).status).toBe(400);
    await expect(logsIn(certificate)).resolves.toBe(true);
  });

  test('is not confirmed before it was asked for', async () => {
    expect(outcome(await confirm(registered.certificate.leaf))).toEqual([
      409,
      'CAN_NOT_UPDATE_AUTHENTICATOR',
    ]);
  });

  test('needs the certificate on the connection', async () => {
    const body = { clientCertCsr: await newCsr(newKey()) };
    const path = `/${registered.id}/extend`;
    expect(outcome(await send('POST', path, body))).toEqual([401, 'UNAUTHORIZED']);
    const certificate = await networkCertificate(keys, person.id);
    expect(outcome(await send('POST', path, body, { certificate }))).toEqual([401, 'UNAUTHORIZED']);
  });

  test.each([
    '',
    'nonsense',
    '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----',
  ])('refuses %j for a request', async (clientCertCsr) => {
    const { id, certificate } = registered;
    const answer = await send('POST', `/${id}/extend`, { clientCertCsr }, { certificate });
    expect(outcome(answer)).toEqual([400, 'COULD_NOT_PROCESS_CSR']);
  });

  test('refuses a body without a request', async () => {
    const { id, certificate } = registered;
    const answer = await send('POST', `/${id}/extend`, {}, { certificate });
    expect(outcome(answer)).toEqual([400, 'COULD_NOT_VALIDATE']);
  });

  test('is not for those of others, nor for passwords', async () => {
    const { certificate } = registered;
    const updb = person.authenticatorId;
    person = await newPerson(controller);
    const theirs = await withCertificate();
    const body = { clientCertCsr: await newCsr(newKey()) };
    const options = { certificate: theirs.certificate };
    for (const verb of ['extend', 'extend-verify']) {
      const sent = verb === 'extend' ? body : { clientCert: theirs.certificate.cert };
      const answerOf = async (id: string) =>
        outcome(await send('POST', `/${id}/${verb}`, sent, options));
      expect(await answerOf(theirs.id)).toEqual([401, 'UNAUTHORIZED']);
      expect(await answerOf('nobody')).toEqual([404, 'NOT_FOUND']);
    }
    expect(outcome(await send('POST', `/${updb}/extend`, body, { certificate }))).toEqual([
      409,
      'CAN_NOT_UPDATE_AUTHENTICATOR',
    ]);
  });

  test.each([
    [true, 200],
    [false, 401],
  ])('of an expired one, where the policy says %s, is %d', async (allowExpiredCerts, expected) => {
    const policy = authPolicy({ cert: { allowExpiredCerts } });
    person = await newPerson(controller, {
      authPolicyId: await controller.create('auth-policies', policy),
    });
    registered = await withCertificate(true, new Date('2020-01-01T00:00:00Z'));
    ({ token } = await loggedIn(controller, person));
    expect((await extend(newKey())).status).toBe(expected);
  });

  test('is not for certificates of other authorities', async () => {
    person = await newPerson(controller);
    registered = await withCertificate(false);
    const { certificate } = registered;
    ({ token } = sessionIn(await authenticate(controller, 'cert', { certificate })));
    expect(outcome(await extend(newKey()))).toEqual([409, 'CAN_NOT_UPDATE_AUTHENTICATOR']);
  });
});
