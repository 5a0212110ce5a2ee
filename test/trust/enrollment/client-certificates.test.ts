import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { jwtVerify } from 'jose';
import type { ClientCertificate } from '../auth/certificates.js';
import { authenticate, call, outcome, sessionIn, unique } from '../auth/client.js';
import { startController, type TestController } from '../../support/controller.js';
import {
  identityOf,
  invite,
  sendProof,
  tlsLeaf,
  trusting,
  verificationToken,
  wellKnownAuthorities,
} from './enrolling.js';
import { issuedPair, newAuthorityPair, withOpenssl, type KeyKind, type Pair } from './openssl.js';

/* Which certificates of others join and log in, with authorities made by openssl. */

let controller: TestController;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());

const SETTINGS = {
  identityRoles: [],
  isAuthEnabled: true,
  isAutoCaEnrollmentEnabled: true,
  isOttCaEnrollmentEnabled: true,
};

const CLIENT = 'basicConstraints=CA:false\nextendedKeyUsage=clientAuth\n';
const INTERMEDIATE = 'basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign\n';

const UNFIT = [400, 'COULD_NOT_VALIDATE'];

async function addVerified(certPem: string, issuer: Pair, settings: object = {}): Promise<string> {
  const body = { name: unique('ca'), certPem, ...SETTINGS, ...settings };
  const id = await controller.create('cas', body);
  const token = await verificationToken(controller, id);
  const proof = await issuedPair(issuer, 'P-256', `/CN=${token}`);
  expect((await sendProof(controller, id, proof.cert)).status).toBe(200);
  return id;
}

const enroll = (query: string, certificate: ClientCertificate) =>
  call(controller, 'POST', `/enroll${query}`, { certificate });
const logIn = (certificate: ClientCertificate) => authenticate(controller, 'cert', { certificate });
const newAuthorityOf = (kind: KeyKind = 'P-256'): Promise<Pair> =>
  newAuthorityPair(kind, `/CN=${unique('Authority')}`);

withOpenssl('certificates of an authority', () => {
  test.each<[KeyKind, KeyKind]>([
    ['P-256', 'P-256'],
    ['P-384', 'RSA 2048'],
    ['P-521', 'P-384'],
    ['RSA 2048', 'RSA 3072'],
    ['RSA 4096', 'P-521'],
    ['Ed25519', 'Ed25519'],
  ])('with a key of %s join and log in with keys of %s', async (kind, leafKind) => {
    const authority = await newAuthorityOf(kind);
    const caId = await addVerified(authority.cert, authority);
    const { token, jwt, identityId } = await invite(controller, { ottca: caId });
    const { payload } = await jwtVerify(jwt, (await tlsLeaf(controller)).publicKey);
    expect(payload).toMatchObject({ jti: token, em: 'ottca' });
    const certificate = await issuedPair(authority, leafKind, '/CN=device', CLIENT);
    const agent = trusting(await wellKnownAuthorities(controller), certificate);
    const path = `/enroll?method=ottca&token=${token}`;
    expect((await call(controller, 'POST', path, { agent })).status).toBe(200);
    expect(sessionIn(await authenticate(controller, 'cert', { agent })).identityId).toBe(
      identityId,
    );
    agent.destroy();
    const auto = await issuedPair(authority, leafKind, '/CN=automatic', CLIENT);
    expect((await enroll('/ca', auto)).status).toBe(200);
    expect((await logIn(auto)).status).toBe(200);
  });

  describe('are for clients', () => {
    let authority: Pair;
    let query: string;

    beforeEach(async () => {
      authority = await newAuthorityOf();
      const caId = await addVerified(authority.cert, authority);
      query = `?method=ottca&token=${(await invite(controller, { ottca: caId })).token}`;
    });

    test.each([
      ['server authentication', 'extendedKeyUsage=serverAuth'],
      ['code and mail', 'extendedKeyUsage=codeSigning,emailProtection'],
    ])('and not for %s alone', async (_, usages) => {
      const certificate = await issuedPair(authority, 'P-256', '/CN=x', `${usages}\n`);
      expect(outcome(await enroll(query, certificate))).toEqual([
        400,
        'CERTIFICATE_FAILED_VALIDATION',
      ]);
      expect(outcome(await enroll('/ca', certificate))).toEqual([400, 'CERT_FAILED_VALIDATION']);
      const good = await issuedPair(authority, 'P-256', '/CN=x', CLIENT);
      expect((await enroll(query, good)).status).toBe(200);
    });

    test.each([
      ['among others', 'extendedKeyUsage=serverAuth,clientAuth\n'],
      ['as for anybody', 'extendedKeyUsage=anyExtendedKeyUsage\n'],
      ['since they say nothing else', 'basicConstraints=CA:false\n'],
    ])('%s', async (_, extensions) => {
      const certificate = await issuedPair(authority, 'P-256', '/CN=x', extensions);
      expect((await enroll(query, certificate)).status).toBe(200);
      expect((await logIn(certificate)).status).toBe(200);
    });

    test.each([
      ['of an authority below it', INTERMEDIATE],
      ['of an authority that is for clients, too', `${INTERMEDIATE}extendedKeyUsage=clientAuth\n`],
      ['that says it is an authority', 'basicConstraints=CA:true\nkeyUsage=digitalSignature\n'],
      ['that may sign others', 'keyUsage=digitalSignature,keyCertSign\n'],
    ])('and no certificate %s joins, or logs in where it is registered', async (_, extensions) => {
      const certificate = await issuedPair(authority, 'P-256', '/CN=x', extensions);
      expect(outcome(await enroll(query, certificate))).toEqual([
        400,
        'CERTIFICATE_FAILED_VALIDATION',
      ]);
      expect(outcome(await enroll('/ca', certificate))).toEqual([400, 'CERT_FAILED_VALIDATION']);
      const identityId = await controller.create('identities', {
        ...{ name: unique('device'), type: 'Default', isAdmin: false },
      });
      await controller.create('authenticators', {
        ...{ identityId, method: 'cert', certPem: certificate.cert },
      });
      expect(outcome(await logIn(certificate))).toEqual([401, 'INVALID_AUTH']);
    });

    test('and not for an authority that shows itself to somebody else', async () => {
      const other = await newAuthorityOf();
      expect(outcome(await enroll(query, other))).toEqual([400, 'CERTIFICATE_FAILED_VALIDATION']);
    });
  });

  describe('below an intermediate', () => {
    let root: Pair;
    let intermediate: Pair;
    let leaf: Pair;
    let withChain: Pair;

    beforeEach(async () => {
      root = await newAuthorityOf();
      intermediate = await issuedPair(root, 'P-256', '/CN=Intermediate', INTERMEDIATE);
      leaf = await issuedPair(intermediate, 'P-256', '/CN=device', CLIENT);
      withChain = { ...leaf, cert: leaf.cert + intermediate.cert };
    });

    test('come with it where the root alone is known', async () => {
      await addVerified(root.cert, root);
      expect(outcome(await enroll('/ca', leaf))).toEqual([400, 'CERT_FAILED_VALIDATION']);
      expect((await enroll('/ca', withChain)).status).toBe(200);
      expect(outcome(await logIn(leaf))).toEqual([401, 'INVALID_AUTH']);
      expect((await logIn(withChain)).status).toBe(200);
    });

    test.each<[string, () => Promise<unknown>]>([
      ['as the authority', () => addVerified(intermediate.cert + root.cert, intermediate)],
      ['beside the authority', () => addVerified(root.cert + intermediate.cert, root)],
    ])('may come alone where it is known %s', async (_, add) => {
      await add();
      expect((await enroll('/ca', leaf)).status).toBe(200);
      expect(sessionIn(await logIn(leaf))).toMatchObject({ improperClientCertChain: false });
      expect((await logIn(withChain)).status).toBe(200);
    });

    test('do not count by what merely stands beside an authority', async () => {
      const stranger = await newAuthorityOf();
      await addVerified(stranger.cert + intermediate.cert, stranger);
      for (const one of [leaf, withChain]) {
        expect(outcome(await enroll('/ca', one))).toEqual([400, 'CERT_FAILED_VALIDATION']);
      }
    });
  });

  test.each<[string, object, string, (id: string) => string]>([
    [
      'the second part of a URI',
      { location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'spiffe', parser: 'SPLIT' },
      'URI:https://example.com/x,URI:spiffe://example/',
      (id) => id,
    ],
    [
      'an address without its domain',
      { location: 'SAN_EMAIL', matcher: 'SUFFIX', matcherCriteria: '@corp.test', parser: 'NONE' },
      'email:root@other.test,email:',
      (id) => `${id}@corp.test`,
    ],
  ])('join as %s says, and log in by it with other certificates', async (_, claim, names, of) => {
    const authority = await newAuthorityOf();
    const index = 'location' in claim && claim.location === 'SAN_URI' ? 3 : 0;
    const externalIdClaim = { ...claim, parserCriteria: '/', index };
    await addVerified(authority.cert, authority, { externalIdClaim });
    const externalId = unique('external');
    const extensions = `${CLIENT}subjectAltName=${names}${of(externalId)}\n`;
    const newLeaf = (): Promise<Pair> => issuedPair(authority, 'P-256', '/CN=device', extensions);
    expect((await enroll('/ca', await newLeaf())).status).toBe(200);
    const session = sessionIn(await logIn(await newLeaf()));
    expect(session.authenticatorId).toBe('internal');
    expect((await identityOf(controller, session.identityId)).externalId).toBe(externalId);
    expect(outcome(await enroll('/ca', await newLeaf()))).toEqual([409, 'CERT_IN_USE']);
    const without = await issuedPair(authority, 'P-256', '/CN=device', CLIENT);
    expect(outcome(await enroll('/ca', without))).toEqual([400, 'MISSING_CERT_CLAIM']);
  });
});

withOpenssl('an authority is made of', () => {
  const create = (certPem: string) =>
    controller.rest('POST', '/cas', { name: unique('ca'), certPem, ...SETTINGS });

  test.each<KeyKind>(['P-256', 'P-384', 'P-521', 'RSA 2048', 'RSA 4096', 'Ed25519'])(
    'a chain of %s, of which the first certificate is the authority',
    async (kind) => {
      const root = await newAuthorityOf(kind);
      const intermediate = await issuedPair(root, kind, '/CN=Intermediate', INTERMEDIATE);
      const answer = await create(`two of them\n${intermediate.cert}\n${root.cert}`);
      expect(answer.status).toBe(201);
      const { id } = answer.body.data as { id: string };
      const { body } = await controller.rest('GET', `/cas/${id}`);
      expect(body.data).toMatchObject({
        certPem: intermediate.cert + root.cert,
        fingerprint: new X509Certificate(intermediate.cert).fingerprint
          .replaceAll(':', '')
          .toLowerCase(),
        isVerified: false,
      });
      expect(outcome(await create(intermediate.cert))).toEqual(UNFIT);
    },
  );

  test.each<[string, () => string | Promise<string>]>([
    ['nothing', () => ''],
    ['text', () => 'nonsense'],
    [
      'a certificate that is none',
      async () => (await issuedPair(await newAuthorityOf(), 'P-256', '/CN=x', CLIENT)).cert,
    ],
    [
      'a certificate that is none, before one',
      async () => {
        const authority = await newAuthorityOf();
        return (await issuedPair(authority, 'P-256', '/CN=x', CLIENT)).cert + authority.cert;
      },
    ],
    ['a key', async () => (await newAuthorityOf()).key],
    ['a certificate and a key', async () => Object.values(await newAuthorityOf()).join('')],
    ['half a certificate', async () => (await newAuthorityOf()).cert.slice(0, 300)],
    [
      'a certificate and half of one',
      async () => (await newAuthorityOf()).cert + (await newAuthorityOf()).cert.slice(0, 300),
    ],
  ])('no %s', async (_, make) => {
    const answer = await create(await make());
    expect(outcome(answer)).toEqual(UNFIT);
    expect(answer.body.error.cause).toMatchObject({ field: 'certPem' });
  });
});
