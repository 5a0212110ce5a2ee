import { X509Certificate, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SocketClient } from '../../data/changes/subscribing.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { newCsr, newKey, withKey, type ClientCertificate } from '../auth/certificates.js';
import { newPerson, PASSWORD, runSql, type Person } from '../auth/client.js';
import { newDevice, tokensOf } from './device.js';
import { ask, claimsOf, LoginClient, type OidcAnswer, type Tokens } from './login-client.js';

/* Certificates that clients ask for with their login: tokens of the session count with them alone. */

let controller: TestController & { dataDir: string };
let other: TestController;

beforeAll(async () => {
  const env = { OVERGRAPH_LOGIN_LIMIT: '0' };
  controller = await startController({ env });
  other = await startController({ with: controller, env });
});
afterAll(async () => {
  await other.stop();
  await controller.stop();
});

const TYPE = 'urn:ietf:params:oauth:token-type:';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const DAY = 86_400_000;

const tokensIn = ({ body }: OidcAnswer): Tokens => body as unknown as Tokens;
const fingerprintOf = (pem: string): string =>
  new X509Certificate(pem).fingerprint.replaceAll(':', '').toLowerCase();
const shown = ({ session_cert: pem = '' }: Tokens, key: KeyObject): ClientCertificate =>
  withKey(pem, key);

const statusOf = async (token: string, certificate?: ClientCertificate): Promise<number> =>
  (
    await ask(controller.port, 'GET', '/edge/client/v1/current-identity', {
      headers: { authorization: `Bearer ${token}` },
      certificate,
    })
  ).status;

interface CertifiedLogin {
  readonly person: Person;
  readonly key: KeyObject;
  readonly tokens: Tokens;
  readonly certificate: ClientCertificate;
}

/** A login by password at one controller, whose code the other exchanges. */
async function logIn(form: 'form' | 'json' = 'form', identity = {}): Promise<CertifiedLogin> {
  const person = await newPerson(controller, identity);
  const key = newKey();
  const begun = new LoginClient(controller);
  const id = await begun.begin();
  const csrPem = await newCsr(key, 'CN=somebody else', [{ type: 'dns', value: 'admin.example' }]);
  const fields = { id, username: person.username, password: PASSWORD, csrPem };
  const proved = await begun.ask('POST', '/oidc/login/password', { [form]: fields });
  const finisher = Object.assign(new LoginClient(other), { verifier: begun.verifier });
  const tokens = await finisher.tokens(proved);
  return { person, key, tokens, certificate: shown(tokens, key) };
}

const refresh = (
  { tokens, certificate }: Pick<CertifiedLogin, 'tokens'> & { certificate?: ClientCertificate },
  change: Readonly<Record<string, string>> = {},
): Promise<OidcAnswer> =>
  new LoginClient(controller, certificate ? { certificate } : {}).refresh(
    tokens.refresh_token,
    change,
  );

describe('a login with a request for a certificate', () => {
  test.each(['form', 'json'] as const)(
    'gets one of its session alone, sent as %s',
    async (form) => {
      const { person, key, tokens } = await logIn(form);
      const certificate = new X509Certificate(tokens.session_cert ?? '');
      const session = String(claimsOf(tokens.access_token).z_asid);
      expect(certificate.subject).toBe(`CN=${person.id}`);
      expect(certificate.subjectAltName).toMatch(
        new RegExp(`^URI:spiffe://[^/]+/identity/${person.id}/apiSession/${session}$`),
      );
      expect(certificate.checkPrivateKey(key)).toBe(true);
      const days = (Date.parse(certificate.validTo) - Date.now()) / DAY;
      expect(Math.round(days)).toBe(365);
      expect(claimsOf(tokens.access_token)).toMatchObject({
        z_cfs: [fingerprintOf(tokens.session_cert ?? '')],
        amr: ['password'],
      });
    },
  );

  test('gets tokens that count with that certificate alone', async () => {
    const { tokens, certificate } = await logIn();
    const stranger = await logIn();
    expect(await statusOf(tokens.access_token, certificate)).toBe(200);
    expect(await statusOf(tokens.access_token)).toBe(401);
    expect(await statusOf(tokens.access_token, stranger.certificate)).toBe(401);
    const stolen = await refresh({ tokens });
    expect([stolen.status, stolen.body.error]).toEqual([400, 'access_denied']);
    const renewed = await refresh({ tokens, certificate });
    expect(renewed.status).toBe(200);
    expect(renewed.body).not.toHaveProperty('session_cert');
    const next = tokensIn(renewed);
    expect(await statusOf(next.access_token, certificate)).toBe(200);
    expect(await statusOf(next.access_token)).toBe(401);
  });

  test('opens WebSockets with that certificate alone', async () => {
    const permissions = ['change.read', 'service.read'];
    const { tokens, certificate } = await logIn('form', { permissions });
    const payload = { authorization: `Bearer ${tokens.access_token}` };
    const own = new SocketClient(controller.port, { payload, certificate });
    const { events } = own.follow({ types: ['Service'] });
    await eventually(async () => {
      await controller.create('services', {
        name: `s ${String(Math.random())}`,
        encryptionRequired: true,
      });
      expect(events.length).toBeGreaterThan(0);
    });
    const stolen = new SocketClient(controller.port, { payload });
    stolen.follow();
    await eventually(() => {
      expect(stolen.closes).toStrictEqual([4403]);
    });
    await own.client.dispose();
  });

  test('gets none that logs in, and none that outlives the session', async () => {
    const { tokens, certificate } = await logIn();
    const device = new LoginClient(controller, { certificate });
    await device.begin({ method: 'cert' });
    const proved = await device.ask('POST', `/oidc/login/cert?id=${device.id}`, { json: {} });
    expect(proved.status).toBe(401);
    await new LoginClient(controller).ask('POST', '/oidc/revoke', {
      form: { token: tokens.refresh_token, client_id: 'native' },
    });
    const asid = String(claimsOf(tokens.access_token).z_asid);
    const rows = await runSql(controller, 'select id from api_session_certificate where id = $1', [
      asid,
    ]);
    expect(rows).toEqual([]);
    expect(await statusOf(tokens.access_token, certificate)).toBe(401);
  });

  test.each([
    ['garbage', 'garbage'],
    ['a certificate', 'own'],
    ['two requests', 'two'],
  ])('gets nothing for %s', async (_, sent) => {
    const csr = await newCsr(newKey());
    const texts: Record<string, string> = {
      garbage: 'garbage',
      own: (await logIn()).tokens.session_cert ?? '',
      two: csr + csr,
    };
    const person = await newPerson(controller);
    const own = new LoginClient(controller);
    const id = await own.begin();
    const form = { id, username: person.username, password: PASSWORD, csrPem: texts[sent] ?? '' };
    const proved = await own.ask('POST', '/oidc/login/password', { form });
    const answer = await own.exchange(await own.code(proved));
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });

  test.each([
    ['too long', 'x'.repeat(32_769)],
    ['with a NUL', '\0'],
  ])('is refused if that is %s', async (_, csrPem) => {
    const person = await newPerson(controller);
    const own = new LoginClient(controller);
    const id = await own.begin();
    const form = { id, username: person.username, password: PASSWORD, csrPem };
    expect((await own.ask('POST', '/oidc/login/password', { form })).status).toBe(400);
  });

  test('of another identity replaces the request of the first', async () => {
    const [first, second] = [await newPerson(controller), await newPerson(controller)];
    const own = new LoginClient(controller);
    const id = await own.begin();
    const csrPem = await newCsr(newKey());
    await own.ask('POST', '/oidc/login/password', {
      form: { id, username: first.username, password: PASSWORD, csrPem },
    });
    const tokens = await own.tokens(await own.password(second.username, PASSWORD));
    expect(tokens).not.toHaveProperty('session_cert');
    expect(await statusOf(tokens.access_token)).toBe(200);
  });
});

describe('a renewal with a request for a certificate', () => {
  const exchange = (
    { tokens, certificate }: Pick<CertifiedLogin, 'tokens' | 'certificate'>,
    change: Readonly<Record<string, string>>,
  ): Promise<OidcAnswer> =>
    new LoginClient(controller, { certificate }).token({
      ...{ grant_type: EXCHANGE, subject_token: tokens.refresh_token },
      ...{ subject_token_type: `${TYPE}refresh_token`, ...change },
    });

  const RENEWALS: [string, (login: CertifiedLogin, csr: string) => Promise<OidcAnswer>][] = [
    ['a refresh', (login, csr_pem) => refresh(login, { csr_pem })],
    ['an exchange', (login, csr_pem) => exchange(login, { csr_pem })],
  ];
  test.each(RENEWALS)('by %s replaces the certificate', async (_, renew) => {
    const login = await logIn();
    const key = newKey();
    const answer = await renew(login, await newCsr(key, 'CN=admin'));
    expect(answer.status).toBe(200);
    const tokens = tokensIn(answer);
    expect(new X509Certificate(tokens.session_cert ?? '').subject).toBe(`CN=${login.person.id}`);
    expect(claimsOf(tokens.access_token).z_cfs).toEqual([fingerprintOf(tokens.session_cert ?? '')]);
    expect(await statusOf(tokens.access_token, shown(tokens, key))).toBe(200);
    expect(await statusOf(tokens.access_token, login.certificate)).toBe(401);
    const late = await refresh({ tokens, certificate: login.certificate });
    expect([late.status, late.body.error]).toEqual([400, 'access_denied']);
    // The client may show the new certificate with its earlier tokens.
    expect(await statusOf(login.tokens.access_token, shown(tokens, key))).toBe(200);
  });

  test('that is refused leaves all as it was', async () => {
    const login = await logIn();
    for (const answer of [
      await refresh(login, { csr_pem: 'garbage' }),
      await exchange(login, { csr_pem: 'garbage' }),
      await exchange(login, {
        csr_pem: await newCsr(newKey()),
        requested_token_type: 'odd',
      }),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    }
    expect(await statusOf(login.tokens.access_token, login.certificate)).toBe(200);
    const used = await runSql(controller, 'select jti from used_refresh_token where jti = $1', [
      claimsOf(login.tokens.refresh_token).jti,
    ]);
    expect(used).toEqual([]);
  });

  test('is ignored by sessions whose clients need no certificate', async () => {
    const person = await newPerson(controller);
    const own = new LoginClient(controller);
    const tokens = await own.logInByPassword(person.username, PASSWORD);
    const renewed = await own.refresh(tokens.refresh_token, { csr_pem: await newCsr(newKey()) });
    expect(renewed.status).toBe(200);
    expect(renewed.body).not.toHaveProperty('session_cert');
    expect(claimsOf(tokensIn(renewed).access_token).z_cfs).toBeNull();
  });

  test('adds a certificate to that of a device, which counts as before', async () => {
    const device = await newDevice(controller);
    const tokens = await tokensOf(controller, device);
    const key = newKey();
    const { certificate } = device;
    const renewed = tokensIn(
      await refresh({ tokens, certificate }, { csr_pem: await newCsr(key) }),
    );
    const both = [certificate, shown(renewed, key)];
    for (const each of both) expect(await statusOf(renewed.access_token, each)).toBe(200);
    expect(await statusOf(renewed.access_token)).toBe(401);
    const fingerprints = claimsOf(renewed.access_token).z_cfs as string[];
    expect(fingerprints.toSorted()).toEqual(both.map(({ cert }) => fingerprintOf(cert)).toSorted());
  });

  test('twice at once leaves each client with a certificate that counts', async () => {
    const login = await logIn();
    const keys = [newKey(), newKey()];
    const answers = await Promise.all(
      keys.map(async (key) => refresh(login, { csr_pem: await newCsr(key) })),
    );
    for (const [i, answer] of answers.entries()) {
      const key = keys[i];
      const tokens = tokensIn(answer);
      expect(answer.status).toBe(200);
      if (key) expect(await statusOf(tokens.access_token, shown(tokens, key))).toBe(200);
    }
  });
});
