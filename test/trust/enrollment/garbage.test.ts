import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CertificateIssuer } from '../../../src/trust/pki/issue-certificate.js';
import {
  newAuthority,
  newCsr,
  newKey,
  newLeaf,
  withKey,
  type ClientCertificate,
} from '../auth/certificates.js';
import { authenticate, call, sessionIn, unique, withToken } from '../auth/client.js';
import { OutsideSigner } from '../auth/signers.js';
import { mutatedJwt, mutatedPem } from '../pki/mutations.js';
import {
  startController,
  type Answer,
  type Envelope,
  type TestController,
} from '../../support/controller.js';
import {
  addAuthority,
  enrollByText,
  invite,
  issuedIn,
  sendProof,
  verificationToken,
} from './enrolling.js';
import { costlyRuns } from '../../support/runs.js';

/* Garbage at every operation that reads certificates, requests or tokens: 4xx, and life goes on. */

let controller: TestController;
let authority: CertificateIssuer;
let csrs: string[];
let certificates: string[];

beforeAll(async () => {
  controller = await startController({
    env: { OVERGRAPH_LOGIN_LIMIT: '0', OVERGRAPH_RATE_LIMIT: '0' },
  });
  authority = await newAuthority('CA to be damaged');
  csrs = await Promise.all([newCsr(newKey()), newCsr(newKey('rsa'))]);
  const leaf = await newLeaf('device', authority, {
    names: [{ type: 'url', value: 'spiffe://elsewhere/device' }],
  });
  certificates = [leaf.cert, authority.cert.toString()];
});
afterAll(() => controller.stop());

afterEach(async () => {
  expect((await call(controller, 'GET', '/version')).status).toBe(200);
});

/** A few dozens each: what the parsers do with more is seen where they are tested alone. */
const RUNS = costlyRuns(9);

const always =
  <T>(send: (sent: T) => Promise<Answer<Envelope>>, ...statuses: readonly number[]) =>
  async (garbage: fc.Arbitrary<T>): Promise<void> => {
    await fc.assert(
      fc.asyncProperty(garbage, async (sent) => {
        const { status, body } = await send(sent);
        expect(statuses).toContain(status);
        if (status >= 400) expect(body.error.code).toEqual(expect.stringMatching(/^[A-Z_]+$/));
      }),
      RUNS,
    );
  };

const requests = (): fc.Arbitrary<string> => mutatedPem('CERTIFICATE REQUEST', ...csrs);
const pems = (): fc.Arbitrary<string> => mutatedPem('CERTIFICATE', ...certificates);

describe('a request that is garbage', () => {
  test.each([
    ...['text/plain', 'application/x-pem-file', 'application/pkcs10', 'application/pkcs7'],
    'application/json',
  ])('in %s is refused by the one-time token', async (contentType) => {
    const { token, identityId } = await invite(controller, { ott: true });
    const query = `?method=ott&token=${token}`;
    await always(
      (csr: string) =>
        contentType === 'application/json'
          ? call(controller, 'POST', `/enroll/ott${query}`, { body: { clientCsr: csr } })
          : enrollByText(controller, query, csr, contentType),
      400,
    )(requests());
    const { body } = await controller.rest('GET', `/identities/${identityId}/authenticators`);
    expect(body.data).toEqual([]);
    expect((await enrollByText(controller, query, String(csrs[0]))).status).toBe(200);
  });

  test.each([
    ['erott', 'edge-routers'],
    ['trott', 'transit-routers'],
  ])('is refused to a router of %s, and to one that comes again', async (method, collection) => {
    const id = await controller.create(collection, { name: unique('router') });
    const { body } = await controller.rest('GET', `/${collection}/${id}`);
    const query = `?method=${method}&token=${(body.data as { enrollmentToken: string }).enrollmentToken}`;
    const key = newKey();
    const good = await newCsr(key, `CN=${id}`);
    const bad = mutatedPem('CERTIFICATE REQUEST', good);
    const pairs = fc.oneof(
      bad.map((certCsr) => ({ certCsr, serverCertCsr: good })),
      bad.map((serverCertCsr) => ({ certCsr: good, serverCertCsr })),
    );
    await always(
      (sent: object) => call(controller, 'POST', `/enroll${query}`, { body: sent }),
      400,
    )(pairs);
    const sound = { certCsr: good, serverCertCsr: good };
    const { cert } = issuedIn(await call(controller, 'POST', `/enroll${query}`, { body: sound }));
    const certificate = withKey(cert, key);
    await always(
      (sent: object) =>
        call(controller, 'POST', '/enroll/extend/router', { body: sent, certificate }),
      400,
    )(pairs);
  });

  test('is refused beside a JWT', async () => {
    const signer = await OutsideSigner.create(unique('issuer'));
    await controller.create('external-jwt-signers', {
      ...signer.settings,
      useExternalId: true,
      enrollToCertEnabled: true,
    });
    const authorization = `Bearer ${await signer.jwt('nobody yet')}`;
    await always(
      (clientCsr: string) =>
        call(controller, 'POST', '/enroll/token', {
          body: { clientCsr },
          headers: { authorization },
        }),
      // Nothing at all is to join by the token.
      400,
      409,
    )(requests());
  });

  test('and a certificate that is garbage are refused in an extension', async () => {
    const { certificate, id, token } = await enrolled();
    const path = (verb: string): string => `/current-identity/authenticators/${id}/${verb}`;
    const send = (verb: string, body: object) =>
      call(controller, 'POST', path(verb), { ...withToken(token), certificate, body });
    await always((clientCertCsr: string) => send('extend', { clientCertCsr }), 400)(requests());
    expect((await send('extend', { clientCertCsr: csrs[0] })).status).toBe(200);
    await always((clientCert: string) => send('extend-verify', { clientCert }), 400)(pems());
  });

  /** An identity with a certificate of the network, logged in. */
  async function enrolled(): Promise<{
    certificate: ClientCertificate;
    id: string;
    token: string;
  }> {
    const key = newKey();
    const invited = await invite(controller, { ott: true });
    const answer = await call(controller, 'POST', `/enroll?token=${invited.token}`, {
      body: { clientCsr: await newCsr(key) },
    });
    const certificate = withKey(issuedIn(answer).cert, key);
    const { token, authenticatorId } = sessionIn(
      await authenticate(controller, 'cert', { certificate }),
    );
    return { certificate, id: authenticatorId, token };
  }
});

describe('a certificate that is garbage', () => {
  /* What is damaged where nothing depends on it is still a certificate. */

  test('makes no authority, or one that is no harm', async () => {
    await always(
      (certPem: string) =>
        controller.rest('POST', '/cas', {
          name: unique('damaged'),
          certPem,
          identityRoles: [],
          isAuthEnabled: true,
          isAutoCaEnrollmentEnabled: true,
          isOttCaEnrollmentEnabled: true,
        }),
      201,
      400,
    )(mutatedPem('CERTIFICATE', authority.cert.toString()));
  });

  test('makes no external signer, or one that is no harm', async () => {
    await always(
      (certPem: string) => {
        const name = unique('damaged');
        return controller.rest('POST', '/external-jwt-signers', {
          ...{ name, issuer: name, audience: 'overlay', kid: name, certPem },
          ...{ enabled: true, externalAuthUrl: 'https://example.com/login' },
        });
      },
      201,
      400,
    )(pems());
  });

  test('makes no authenticator, or one that is no harm', async () => {
    const identities: string[] = [];
    for (let n = 0; n < RUNS.numRuns; n += 1) {
      const identity = { name: unique('device'), type: 'Default', isAdmin: false };
      identities.push(await controller.create('identities', identity));
    }
    let next = 0;
    await always(
      (certPem: string) => {
        const identityId = identities[next++ % identities.length];
        return controller.rest('POST', '/authenticators', { identityId, method: 'cert', certPem });
      },
      201,
      400,
      // Those that shrinking asks again for an identity that has one.
      409,
    )(pems());
  });

  test('proves no authority', async () => {
    const own = await newAuthority(unique('CA to prove'));
    const id = await addAuthority(controller, own);
    const proof = await newLeaf(await verificationToken(controller, id), own);
    const send = (pem: string) => sendProof(controller, id, pem);
    await always(send, 400)(mutatedPem('CERTIFICATE', proof.cert));
    expect((await send(proof.cert)).status).toBe(200);
  });

  test('stops nobody else, once it is there', async () => {
    const whole = await newAuthority(unique('CA that is whole'));
    const caId = await addAuthority(controller, whole);
    const proof = await newLeaf(await verificationToken(controller, caId), whole);
    expect((await sendProof(controller, caId, proof.cert)).status).toBe(200);
    await controller.rest('PATCH', `/cas/${caId}`, { isAutoCaEnrollmentEnabled: true });
    const certificate = await newLeaf('device', whole);
    expect((await call(controller, 'POST', '/enroll/ca', { certificate })).status).toBe(200);
    expect((await authenticate(controller, 'cert', { certificate })).status).toBe(200);
    expect((await controller.rest('DELETE', `/cas/${caId}`)).status).toBe(200);
  });
});

describe('a JWT that is garbage', () => {
  test('joins nobody', async () => {
    const signer = await OutsideSigner.create(unique('issuer'));
    await controller.create('external-jwt-signers', {
      ...signer.settings,
      useExternalId: true,
      enrollToTokenEnabled: true,
    });
    const jwts = [await signer.jwt('nobody'), (await invite(controller, { ott: true })).jwt];
    // What can not stand in a header line never leaves a client.
    const sendable = mutatedJwt(...jwts).map((jwt) => jwt.replace(/[^\x21-\x7e]/g, '.'));
    const unsound = sendable.filter((jwt) => !jwts.some((one) => jwt.startsWith(one.slice(0, -2))));
    await always(
      (jwt: string) =>
        call(controller, 'POST', '/enroll/token', {
          body: {},
          headers: { authorization: `Bearer ${jwt}` },
        }),
      404,
    )(unsound);
  });
});
