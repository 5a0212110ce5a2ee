import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID, X509Certificate } from 'node:crypto';
import { decodeJwt } from 'jose';
import type { CertificateIssuer } from '../../../src/trust/pki/issue-certificate.js';
import {
  newAuthority,
  newCsr,
  newKey,
  newLeaf,
  withKey,
  type ClientCertificate,
} from '../auth/certificates.js';
import {
  authenticate,
  bearersOf,
  passwordLogin,
  runSql,
  sessionIn,
  unique,
  type Call,
} from '../auth/client.js';
import { OutsideSigner } from '../auth/signers.js';
import { startController, type TestController } from '../../support/controller.js';
import { DOORS, given, refused, type Door, type EnrollWith } from './doors.js';
import { addAuthority, addVerified, invite, verificationToken } from './enrolling.js';

/* Every operation of enrollment through both doors: what succeeds, and how each refusal reads. */

const PASSWORD = 'horse battery';

let controller: TestController;
let authority: CertificateIssuer;
let caId = '';
let signer: OutsideSigner;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  authority = await newAuthority('CA of both doors');
  signer = await OutsideSigner.create('both-doors');
  await controller.create('external-jwt-signers', {
    ...signer.settings,
    useExternalId: true,
    enrollToTokenEnabled: true,
  });
});
afterAll(() => controller.stop());

const loginBy = async (method: string, how: Call): Promise<string> =>
  sessionIn(await authenticate(controller, method, how)).identityId;
const byCertificate = (certificate: ClientCertificate): Promise<string> =>
  loginBy('cert', { certificate });

async function newRouter(collection = 'edge-routers'): Promise<{ id: string; token: string }> {
  const id = await controller.create(collection, { name: unique('router') });
  const { body } = await controller.rest('GET', `/${collection}/${id}`);
  return { id, token: (body.data as { enrollmentToken: string }).enrollmentToken };
}

const requestsOf = async (id: string, key = newKey()) => ({
  clientCsr: await newCsr(key, `CN=${id}`),
  serverCsr: await newCsr(newKey(), `CN=${id}`),
});

async function joiningRouter(collection: string): Promise<EnrollWith> {
  const { id, token } = await newRouter(collection);
  return { token, ...(await requestsOf(id)) };
}

describe.each(DOORS)('an enrollment through $name', (door) => {
  // First, while no authority may: the table below needs one.
  test('by certificate needs an authority that allows it', async () => {
    await runSql(
      controller,
      'update certificate_authority set is_auto_ca_enrollment_enabled = false',
    );
    const certificate = await newLeaf('device', authority);
    expect(refused(await door.enroll(controller, 'ca', { certificate }))).toEqual([
      400,
      'ENROLLMENT_NO_VALID_CAS',
    ]);
    caId ||= await addVerified(controller, authority, { isOttCaEnrollmentEnabled: true });
    await controller.rest('PATCH', `/cas/${caId}`, { isAutoCaEnrollmentEnabled: true });
  });

  test('by one-time token gives a certificate', async () => {
    const key = newKey();
    const { token, identityId } = await invite(controller, { ott: true });
    const input = { token, clientCsr: await newCsr(key) };
    const { ca, cert = '' } = given(await door.enroll(controller, 'ott', input));
    expect(ca).toContain('BEGIN CERTIFICATE');
    await expect(byCertificate(withKey(cert, key))).resolves.toBe(identityId);
    expect(refused(await door.enroll(controller, 'ott', input))).toEqual(UNKNOWN);
  });

  test('by one-time token and certificate gives nothing but the login', async () => {
    const { token, identityId } = await invite(controller, { ottca: caId });
    const certificate = await newLeaf('device', authority);
    expect(given(await door.enroll(controller, 'ottca', { token, certificate }))).toEqual({});
    await expect(byCertificate(certificate)).resolves.toBe(identityId);
  });

  test('by certificate makes the identity', async () => {
    const name = unique('wanted');
    await controller.rest('PATCH', `/cas/${caId}`, { identityNameFormat: '[requestedName]' });
    const certificate = await newLeaf('device', authority);
    expect(given(await door.enroll(controller, 'ca', { name, certificate }))).toEqual({});
    const { body } = await controller.rest(
      'GET',
      `/identities/${await byCertificate(certificate)}`,
    );
    expect(body.data).toMatchObject({ name });
  });

  test('by one-time token and password gives the name for the login', async () => {
    const username = unique('joining');
    const { token, identityId } = await invite(controller, { updb: username });
    const enrolled = await door.enroll(controller, 'updb', { token, password: PASSWORD });
    expect(given(enrolled)).toEqual({ username });
    const login = await passwordLogin(controller, { username }, PASSWORD);
    expect(sessionIn(login).identityId).toBe(identityId);
  });

  test('by JWT makes the identity', async () => {
    const jwt = await signer.jwt(unique('subject'));
    expect(given(await door.enroll(controller, 'token', { jwt }))).toEqual({});
    const headers = { authorization: bearersOf([jwt]) };
    await expect(loginBy('ext-jwt', { headers })).resolves.toEqual(expect.any(String));
  });

  test.each([
    ['erott', 'edge-routers'],
    ['trott', 'transit-routers'],
  ])('of a router by %s gives certificates, and again when it shows them', async (method, path) => {
    const { id, token } = await newRouter(path);
    const key = newKey();
    const requests = await requestsOf(id, key);
    const first = given(await door.enroll(controller, method, { token, ...requests }));
    expect(Object.keys(first)).toEqual(['ca', 'cert', 'serverCert']);
    const shown = withKey(String(first.cert), key);
    const second = given(await door.extend(controller, await requestsOf(id), shown));
    expect(new X509Certificate(String(second.cert)).subject).toBe(`CN=${id}`);
    expect(refused(await door.extend(controller, requests, shown))).toEqual([401, 'UNAUTHORIZED']);
  });

  test.each<readonly [string, () => Promise<EnrollWith>]>([
    [
      'ott',
      async () => ({ token: await tokenOf({ ott: true }), clientCsr: await newCsr(newKey()) }),
    ],
    [
      'ottca',
      async () => ({
        token: await tokenOf({ ottca: caId }),
        certificate: await newLeaf('device', authority),
      }),
    ],
    [
      'updb',
      async () => ({ token: await tokenOf({ updb: unique('joining') }), password: PASSWORD }),
    ],
    ['erott', () => joiningRouter('edge-routers')],
    ['trott', () => joiningRouter('transit-routers')],
  ])('without a method takes that of the token, %s', async (_, input) => {
    const sent = await input();
    given(await door.enroll(controller, undefined, sent));
    expect(refused(await door.enroll(controller, undefined, sent))).toEqual(UNKNOWN);
  });

  test('without a method and without a token is refused', async () => {
    expect(refused(await door.enroll(controller, undefined, {}))).toEqual(UNKNOWN);
  });

  test('of an authority is proved by what it signed, and gives a token', async () => {
    const other = await newAuthority(unique('CA to prove'));
    const id = await addAuthority(controller, other);
    const proof = await newLeaf(await verificationToken(controller, id), other);
    given(await door.verify(controller, id, proof.cert));
    expect(refused(await door.verify(controller, id, proof.cert))).toEqual([
      409,
      'CA_ALREADY_VERIFIED',
    ]);
    const jwt = given(await door.authorityJwt(controller, id));
    expect(decodeJwt(jwt)).toMatchObject({ sub: id, em: 'ca' });
  });

  test('begins with what the controller tells of itself', async () => {
    const { keys } = given(await door.keys(controller));
    const kid = String(keys[0]?.kid);
    expect(given(await door.challenge(controller, kid, randomUUID()))).toMatchObject({ kid });
    const [network] = given(await door.networkJwts(controller));
    expect(decodeJwt(String(network?.token))).toMatchObject({ em: 'network' });
    expect(given(await door.authorities(controller))).toMatch(/^MII/);
  });
});

test('both doors tell the same of the controller', async () => {
  const told = await Promise.all(
    DOORS.map(async (door) => ({
      keys: given(await door.keys(controller)),
      authorities: given(await door.authorities(controller)),
      network: given(await door.networkJwts(controller)).map(({ token }) => token),
      authority: given(await door.authorityJwt(controller, caId)).split('.')[1],
    })),
  );
  expect(told[0]).toEqual(told[1]);
});

const UNKNOWN = [404, 'INVALID_ENROLLMENT_TOKEN'];

type Refusal = readonly [
  what: string,
  method: string,
  outcome: readonly [number, string],
  input: () => EnrollWith | Promise<EnrollWith>,
];

const tokenOf = async (enrollment: Parameters<typeof invite>[1]): Promise<string> =>
  (await invite(controller, enrollment)).token;

async function late(token: string): Promise<string> {
  await runSql(
    controller,
    "update enrollment set expires_at = now() - interval '1 second' where token = $1",
    [token],
  );
  return token;
}

const CSR = 'COULD_NOT_PROCESS_CSR';
const MISSING = 'MISSING_OR_INVALID_CSR';
const INVALID = 'COULD_NOT_VALIDATE';

/** Everything that enrollments are refused by; whatever they bring beside is sound. */
const REFUSALS: readonly Refusal[] = [
  ['no such method', 'nonsense', [400, 'INVALID_ENROLL_METHOD'], () => ({})],
  ...['ott', 'ottca', 'updb', 'erott', 'trott'].flatMap((method): Refusal[] => [
    ['a token that nobody knows', method, [404, 'INVALID_ENROLLMENT_TOKEN'], unknownToken],
    ['no token', method, [404, 'INVALID_ENROLLMENT_TOKEN'], () => ({ password: PASSWORD })],
    ['a token of another method', method, [400, 'INVALID_ENROLL_METHOD'], () => misused(method)],
    ['a token whose time is over', method, [400, 'ENROLLMENT_EXPIRED'], () => expired(method)],
  ]),
  ['no request', 'ott', [400, MISSING], async () => ({ token: await tokenOf({ ott: true }) })],
  [
    'a request that is none',
    'ott',
    [400, CSR],
    async () => ({ token: await tokenOf({ ott: true }), clientCsr: 'nonsense' }),
  ],
  [
    'no certificate',
    'ottca',
    [400, 'CERTIFICATE_FAILED_VALIDATION'],
    async () => ({ token: await tokenOf({ ottca: caId }) }),
  ],
  [
    'a certificate of nobody',
    'ottca',
    [400, 'CERTIFICATE_FAILED_VALIDATION'],
    async () => ({
      token: await tokenOf({ ottca: caId }),
      certificate: await newLeaf('device', undefined),
    }),
  ],
  ['an authority that may not', 'ottca', [400, 'ENROLLMENT_CA_NOT_VALID'], forbiddenAuthority],
  ['a certificate in use', 'ottca', [409, 'CERT_IN_USE'], usedCertificate],
  ['no certificate', 'ca', [400, 'CERT_FAILED_VALIDATION'], () => ({})],
  [
    'a certificate of nobody',
    'ca',
    [400, 'CERT_FAILED_VALIDATION'],
    async () => ({ certificate: await newLeaf('device', undefined) }),
  ],
  [
    'a certificate in use',
    'ca',
    [409, 'CERT_IN_USE'],
    async () => ({ certificate: (await usedCertificate()).certificate }),
  ],
  ['a certificate without the claim', 'ca', [400, 'MISSING_CERT_CLAIM'], withoutClaim],
  [
    'no password',
    'updb',
    [400, INVALID],
    async () => ({ token: await tokenOf({ updb: unique('joining') }) }),
  ],
  [
    'a short password',
    'updb',
    [400, INVALID],
    async () => ({ token: await tokenOf({ updb: unique('joining') }), password: 'abc' }),
  ],
  ['no requests', 'erott', [400, MISSING], async () => ({ token: (await newRouter()).token })],
  [
    'a request for another router',
    'erott',
    [400, CSR],
    async () => ({ token: (await newRouter()).token, ...(await requestsOf('another')) }),
  ],
  ['no JWT', 'token', [404, 'INVALID_ENROLLMENT_TOKEN'], () => ({})],
  ['a JWT that is none', 'token', [404, 'INVALID_ENROLLMENT_TOKEN'], () => ({ jwt: 'nonsense' })],
  [
    'a JWT for more than its signer allows',
    'token',
    [409, 'INVALID_ENROLLMENT_NOT_ALLOWED'],
    toCert,
  ],
  [
    'a JWT of somebody who is there',
    'token',
    [409, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED'],
    joined,
  ],
];

function unknownToken(): EnrollWith {
  return { token: randomUUID(), clientCsr: 'x', serverCsr: 'x', password: PASSWORD };
}

async function misused(method: string): Promise<EnrollWith> {
  const enrollment = method === 'ott' ? { updb: unique('joining') } : { ott: true };
  return { token: await tokenOf(enrollment), password: PASSWORD };
}

async function expired(method: string): Promise<EnrollWith> {
  const tokens: Readonly<Record<string, () => Promise<string>>> = {
    ott: () => tokenOf({ ott: true }),
    ottca: () => tokenOf({ ottca: caId }),
    updb: () => tokenOf({ updb: unique('joining') }),
    erott: async () => (await newRouter()).token,
    trott: async () => (await newRouter('transit-routers')).token,
  };
  return { token: await late(String(await tokens[method]?.())), password: PASSWORD };
}

async function forbiddenAuthority(): Promise<EnrollWith> {
  const other = await newAuthority(unique('CA without the right'));
  const token = await tokenOf({ ottca: await addVerified(controller, other) });
  return { token, certificate: await newLeaf('device', other) };
}

async function usedCertificate(): Promise<EnrollWith> {
  const certificate = await newLeaf('device', authority);
  const [door] = DOORS;
  const token = await tokenOf({ ottca: caId });
  await door?.enroll(controller, 'ottca', { token, certificate });
  return { token: await tokenOf({ ottca: caId }), certificate };
}

async function withoutClaim(): Promise<EnrollWith> {
  const other = await newAuthority(unique('CA with a claim'));
  await addVerified(controller, other, {
    isAutoCaEnrollmentEnabled: true,
    externalIdClaim: { location: 'SAN_URI', matcher: 'ALL', parser: 'NONE', index: 0 },
  });
  return { certificate: await newLeaf('device', other) };
}

async function toCert(): Promise<EnrollWith> {
  return { jwt: await signer.jwt(unique('subject')), clientCsr: await newCsr(newKey()) };
}

async function joined(): Promise<EnrollWith> {
  const jwt = await signer.jwt(unique('subject'));
  await DOORS[0]?.enroll(controller, 'token', { jwt });
  return { jwt };
}

describe.each(DOORS)('through $name', (door: Door) => {
  test.each(REFUSALS)('%s is refused to %s with %j', async (_, method, outcome, input) => {
    const sent = await input();
    expect(refused(await door.enroll(controller, method, sent))).toEqual(outcome);
  });

  test.each<[string, (on: Door) => Promise<unknown>, readonly [number, string]]>([
    ['extend', async (on) => on.extend(controller, await requestsOf('x')), [401, 'UNAUTHORIZED']],
    ['challenge', (on) => on.challenge(controller, 'x', randomUUID()), [400, INVALID]],
    ['challenge', (on) => on.challenge(controller, 'x', 'nonsense'), [400, INVALID]],
    ['verify', (on) => on.verify(controller, 'nobody', 'x'), [404, 'NOT_FOUND']],
    ['authorityJwt', (on) => on.authorityJwt(controller, 'nobody'), [404, 'NOT_FOUND']],
  ])('%s is refused to whom it should', async (_, ask, outcome) => {
    expect(refused((await ask(door)) as Parameters<typeof refused>[0])).toEqual(outcome);
  });
});
