import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ClientCertificate } from '../auth/certificates.js';
import { authenticate, call, outcome, sessionIn, unique } from '../auth/client.js';
import { startController, type TestController } from '../support/controller.js';
import {
  invite,
  sendProof,
  tlsLeaf,
  trusting,
  verificationToken,
  wellKnownAuthorities,
} from './enrolling.js';
import { issuedPair, newAuthorityPair, withOpenssl, type KeyKind, type Pair } from './openssl.js';
import { jwtVerify } from 'jose';

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

async function addVerified(certPem: string, issuer: Pair): Promise<string> {
  const id = await controller.create('cas', { name: unique('ca'), certPem, ...SETTINGS });
  const token = await verificationToken(controller, id);
  const proof = issuedPair(issuer, 'P-256', `/CN=${token}`);
  expect((await sendProof(controller, id, proof.cert)).status).toBe(200);
  return id;
}

const enroll = (query: string, certificate: ClientCertificate) =>
  call(controller, 'POST', `/enroll${query}`, { certificate });
const logIn = (certificate: ClientCertificate) => authenticate(controller, 'cert', { certificate });
const newAuthorityOf = (kind: KeyKind = 'P-256'): Pair =>
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
    const authority = newAuthorityOf(kind);
    const caId = await addVerified(authority.cert, authority);
    const { token, jwt, identityId } = await invite(controller, { ottca: caId });
    const { payload } = await jwtVerify(jwt, (await tlsLeaf(controller)).publicKey);
    expect(payload).toMatchObject({ jti: token, em: 'ottca' });
    const certificate = issuedPair(authority, leafKind, '/CN=device', CLIENT);
    const agent = trusting(await wellKnownAuthorities(controller), certificate);
    const path = `/enroll?method=ottca&token=${token}`;
    expect((await call(controller, 'POST', path, { agent })).status).toBe(200);
    expect(sessionIn(await authenticate(controller, 'cert', { agent })).identityId).toBe(
      identityId,
    );
    agent.destroy();
    const auto = issuedPair(authority, leafKind, '/CN=automatic', CLIENT);
    expect((await enroll('/ca', auto)).status).toBe(200);
    expect((await logIn(auto)).status).toBe(200);
  });

  describe('are for clients', () => {
    let authority: Pair;
    let query: string;

    beforeEach(async () => {
      authority = newAuthorityOf();
      const caId = await addVerified(authority.cert, authority);
      query = `?method=ottca&token=${(await invite(controller, { ottca: caId })).token}`;
    });

    test.each([
      ['server authentication', 'extendedKeyUsage=serverAuth'],
      ['code and mail', 'extendedKeyUsage=codeSigning,emailProtection'],
    ])('and not for %s alone', async (_, usages) => {
      const certificate = issuedPair(authority, 'P-256', '/CN=x', `${usages}\n`);
      expect(outcome(await enroll(query, certificate))).toEqual([
        400,
        'CERTIFICATE_FAILED_VALIDATION',
      ]);
      expect(outcome(await enroll('/ca', certificate))).toEqual([400, 'CERT_FAILED_VALIDATION']);
      const good = issuedPair(authority, 'P-256', '/CN=x', CLIENT);
      expect((await enroll(query, good)).status).toBe(200);
    });

    test.each([
      ['among others', 'extendedKeyUsage=serverAuth,clientAuth\n'],
      ['as for anybody', 'extendedKeyUsage=anyExtendedKeyUsage\n'],
      ['since they say nothing else', 'basicConstraints=CA:false\n'],
    ])('%s', async (_, extensions) => {
      const certificate = issuedPair(authority, 'P-256', '/CN=x', extensions);
      expect((await enroll(query, certificate)).status).toBe(200);
      expect((await logIn(certificate)).status).toBe(200);
    });

    test('and not for an authority that shows itself to somebody else', async () => {
      const other = newAuthorityOf();
      expect(outcome(await enroll(query, other))).toEqual([400, 'CERTIFICATE_FAILED_VALIDATION']);
    });
  });

  describe('below an intermediate', () => {
    let root: Pair;
    let intermediate: Pair;
    let leaf: Pair;
    let withChain: Pair;

    beforeEach(() => {
      root = newAuthorityOf();
      intermediate = issuedPair(root, 'P-256', '/CN=Intermediate', INTERMEDIATE);
      leaf = issuedPair(intermediate, 'P-256', '/CN=device', CLIENT);
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
      const stranger = newAuthorityOf();
      await addVerified(stranger.cert + intermediate.cert, stranger);
      for (const one of [leaf, withChain]) {
        expect(outcome(await enroll('/ca', one))).toEqual([400, 'CERT_FAILED_VALIDATION']);
      }
    });
  });
});
