import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createPublicKey, randomUUID, verify, X509Certificate, type KeyObject } from 'node:crypto';
import { createLocalJWKSet, importJWK, jwtVerify, type JSONWebKeySet } from 'jose';
import type { KeyMaterial } from '../../../src/trust/pki/index.js';
import { keysOf, newCsr, newKey, networkCertificate, withKey } from '../auth/certificates.js';
import { authenticate, call, outcome, runSql, unique } from '../auth/client.js';
import { startController, type TestController } from '../../support/controller.js';
import { invite, issuedIn, tlsLeaf } from './enrolling.js';

/* How routers join and get new certificates, and whom they ask first. */

let controller: TestController & { dataDir: string };
let keys: KeyMaterial;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  keys = await keysOf(controller);
});
afterAll(() => controller.stop());

interface RouterView {
  readonly id: string;
  readonly isVerified: boolean;
  readonly fingerprint: string | null;
  readonly enrollmentToken: string | null;
  readonly enrollmentJwt: string | null;
}

interface Requests {
  readonly client: KeyObject;
  readonly server: KeyObject;
  readonly clientCsr: string;
  readonly serverCsr: string;
}

const enroll = (query: string, body?: unknown, more: Parameters<typeof call>[3] = {}) =>
  call(controller, 'POST', `/enroll${query}`, { body, ...more });

async function requestsFor(id: string): Promise<Requests> {
  const [client, server] = [newKey(), newKey('rsa')];
  return {
    client,
    server,
    clientCsr: await newCsr(client, `CN=${id}`),
    serverCsr: await newCsr(server, `CN=${id}`),
  };
}

const printOf = (pem: string): string =>
  new X509Certificate(pem).fingerprint.replaceAll(':', '').toLowerCase();

describe.each([
  ['erott', 'edge-routers'],
  ['trott', 'transit-routers'],
])('a router of method %s', (method, collection) => {
  let id: string;
  let token: string;
  let jwt: string;
  let requests: Requests;

  const shown = async (): Promise<RouterView> =>
    (await controller.rest('GET', `/${collection}/${id}`)).body.data;
  const members = ({ clientCsr, serverCsr }: Requests) => ({
    certCsr: clientCsr,
    serverCertCsr: serverCsr,
  });

  beforeEach(async () => {
    id = await controller.create(collection, { name: unique('router') });
    const view = await shown();
    token = String(view.enrollmentToken);
    jwt = String(view.enrollmentJwt);
    requests = await requestsFor(id);
  });

  const query = () => `?method=${method}&token=${token}`;

  function expectIssued(
    { ca, cert, serverCert }: ReturnType<typeof issuedIn>,
    { client, server }: Requests,
  ): void {
    expect(ca).toBe(keys.caBundlePem);
    const [clientLeaf, serverLeaf] = [new X509Certificate(cert), new X509Certificate(serverCert)];
    expect(clientLeaf.checkPrivateKey(client)).toBe(true);
    expect(serverLeaf.checkPrivateKey(server)).toBe(true);
    expect([clientLeaf.subject, serverLeaf.subject]).toEqual([`CN=${id}`, `CN=${id}`]);
    expect(clientLeaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(serverLeaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    for (const leaf of [clientLeaf, serverLeaf]) {
      expect(leaf.verify(createPublicKey(keys.signer.privateKey))).toBe(true);
      expect(leaf.ca).toBe(false);
    }
  }

  test('is invited by a token of the TLS server', async () => {
    const { payload } = await jwtVerify(jwt, (await tlsLeaf(controller)).publicKey);
    expect(payload).toMatchObject({ sub: id, jti: token, em: method, aud: [''] });
  });

  test('gets a client and a server certificate', async () => {
    await expect(shown()).resolves.toMatchObject({ isVerified: false, fingerprint: null });
    const issued = issuedIn(await enroll(query(), members(requests)));
    expectIssued(issued, requests);
    const view = await shown();
    expect(view).toMatchObject({ isVerified: true, fingerprint: printOf(issued.cert) });
    expect(view.enrollmentToken ?? null).toBeNull();
    expect(view.enrollmentJwt ?? null).toBeNull();
  });

  test('gets certificates that do not log in', async () => {
    const { cert } = issuedIn(await enroll(query(), members(requests)));
    const certificate = withKey(cert, requests.client);
    expect(outcome(await authenticate(controller, 'cert', { certificate }))).toEqual([
      401,
      'INVALID_AUTH',
    ]);
  });

  test('uses its token once, of several times at once too', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => enroll(query(), members(requests))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const codes = answers.flatMap(({ status, body }) => (status === 200 ? [] : [body.error.code]));
    expect(codes).toEqual(['INVALID_ENROLLMENT_TOKEN', 'INVALID_ENROLLMENT_TOKEN']);
    const again = await enroll(query(), members(requests));
    expect(again.body.error.code).toBe('INVALID_ENROLLMENT_TOKEN');
  });

  test('keeps its token when a request is missing or bad', async () => {
    const { clientCsr, serverCsr } = requests;
    const stranger = await newCsr(newKey(), 'CN=stranger');
    const spiffe = await newCsr(newKey(), '');
    const cases: [object, string][] = [
      [{}, 'MISSING_OR_INVALID_CSR'],
      [{ certCsr: clientCsr }, 'MISSING_OR_INVALID_CSR'],
      [{ serverCertCsr: serverCsr }, 'MISSING_OR_INVALID_CSR'],
      [{ certCsr: stranger, serverCertCsr: serverCsr }, 'COULD_NOT_PROCESS_CSR'],
      [{ certCsr: spiffe, serverCertCsr: serverCsr }, 'COULD_NOT_PROCESS_CSR'],
      [{ certCsr: clientCsr, serverCertCsr: 'nonsense' }, 'COULD_NOT_PROCESS_CSR'],
    ];
    for (const [body, code] of cases) {
      expect(outcome(await enroll(query(), body))).toEqual([400, code]);
    }
    await expect(shown()).resolves.toMatchObject({
      isVerified: false,
      fingerprint: null,
      enrollmentToken: token,
    });
    expect((await enroll(query(), members(requests))).status).toBe(200);
  });

  test('is not joined by the tokens of others', async () => {
    const { token: ofIdentity } = await invite(controller, { ott: true });
    const other = method === 'erott' ? 'trott' : 'erott';
    for (const wrong of [
      `?method=${method}&token=${ofIdentity}`,
      `?method=${other}&token=${token}`,
    ]) {
      expect(outcome(await enroll(wrong, members(requests)))).toEqual([
        400,
        'INVALID_ENROLL_METHOD',
      ]);
    }
  });

  describe('that has joined', () => {
    let cert: string;
    const extend = (body: unknown, pem = cert, key = requests.client) =>
      enroll('/extend/router', body, { certificate: withKey(pem, key) });

    beforeEach(async () => {
      ({ cert } = issuedIn(await enroll(query(), members(requests))));
    });

    test('gets new certificates by the old one, which ends', async () => {
      const renewed = await requestsFor(id);
      const issued = issuedIn(await extend(members(renewed)));
      expectIssued(issued, renewed);
      await expect(shown()).resolves.toMatchObject({
        isVerified: true,
        fingerprint: printOf(issued.cert),
      });
      const late = await requestsFor(id);
      expect(outcome(await extend(members(late)))).toEqual([401, 'UNAUTHORIZED']);
      expect((await extend(members(late), issued.cert, renewed.client)).status).toBe(200);
    });

    test('gets new certificates once when it asks several times at once', async () => {
      const sent = await Promise.all([1, 2, 3].map(() => requestsFor(id)));
      const answers = await Promise.all(sent.map((one) => extend(members(one))));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    });

    test('keeps its certificate when a request is missing or bad', async () => {
      const renewed = await requestsFor(id);
      for (const body of [
        {},
        { certCsr: renewed.clientCsr },
        { certCsr: 'nonsense', serverCertCsr: renewed.serverCsr },
        { certCsr: await newCsr(newKey(), 'CN=stranger'), serverCertCsr: renewed.serverCsr },
      ]) {
        expect((await extend(body)).status).toBe(400);
      }
      await expect(shown()).resolves.toMatchObject({ fingerprint: printOf(cert) });
      expect((await extend(members(renewed))).status).toBe(200);
    });

    test('is refused empty requests as such that can not be processed', async () => {
      const { clientCsr, serverCsr } = await requestsFor(id);
      for (const body of [
        { certCsr: '', serverCertCsr: '' },
        { certCsr: clientCsr, serverCertCsr: '' },
        { certCsr: '', serverCertCsr: serverCsr },
      ]) {
        expect(outcome(await extend(body))).toEqual([400, 'COULD_NOT_PROCESS_CSR']);
      }
    });

    test('is known by its certificate alone', async () => {
      const renewed = members(await requestsFor(id));
      expect(outcome(await enroll('/extend/router', renewed))).toEqual([401, 'UNAUTHORIZED']);
      const stranger = await networkCertificate(keys, id);
      const answer = await enroll('/extend/router', renewed, { certificate: stranger });
      expect(outcome(answer)).toEqual([401, 'UNAUTHORIZED']);
    });

    test('gets nothing any more when it is gone', async () => {
      const renewed = members(await requestsFor(id));
      await controller.rest('DELETE', `/${collection}/${id}`);
      expect(outcome(await extend(renewed))).toEqual([401, 'UNAUTHORIZED']);
    });
  });
});

describe('an edge router', () => {
  let id: string;
  let token: string;

  beforeEach(async () => {
    id = await controller.create('edge-routers', { name: unique('router') });
    token = String((await shown()).enrollmentToken);
  });
  const shown = async (): Promise<RouterView> =>
    (await controller.rest('GET', `/edge-routers/${id}`)).body.data;

  test('has a path of its own', async () => {
    const { clientCsr, serverCsr } = await requestsFor(id);
    const issued = issuedIn(await enroll('/erott', { token, clientCsr, serverCsr }));
    expect(issued.serverCert).toContain('BEGIN CERTIFICATE');
  });

  test('joins anew after it was told to', async () => {
    const first = await requestsFor(id);
    const { clientCsr: certCsr, serverCsr: serverCertCsr } = first;
    const join = (by: string) => enroll(`?method=erott&token=${by}`, { certCsr, serverCertCsr });
    const { cert } = issuedIn(await join(token));
    expect((await controller.rest('POST', `/edge-routers/${id}/re-enroll`)).status).toBe(200);
    const view = await shown();
    expect(view).toMatchObject({ isVerified: false, fingerprint: null });
    const certificate = withKey(cert, first.client);
    const body = { certCsr, serverCertCsr };
    expect(outcome(await enroll('/extend/router', body, { certificate }))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
    expect((await join(token)).body.error.code).toBe('INVALID_ENROLLMENT_TOKEN');
    expect((await join(String(view.enrollmentToken))).status).toBe(200);
  });

  test('is late when its time is over', async () => {
    await runSql(
      controller,
      "update enrollment set expires_at = now() - interval '1 minute' where token = $1",
      [token],
    );
    const { clientCsr, serverCsr } = await requestsFor(id);
    const answer = await enroll('/erott', { token, clientCsr, serverCsr });
    expect(outcome(answer)).toEqual([400, 'ENROLLMENT_EXPIRED']);
  });
});

describe('the keys that sign enrollment tokens', () => {
  const keySet = async (): Promise<JSONWebKeySet> => {
    const { status, body, headers } = await call(controller, 'GET', '/enroll/jwks');
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    return body as unknown as JSONWebKeySet;
  };

  test('are public, and the key of the TLS server', async () => {
    const leaf = await tlsLeaf(controller);
    const { keys: published } = await keySet();
    expect(published).toHaveLength(1);
    expect(published[0]).toMatchObject({
      kid: leaf.fingerprint.replaceAll(':', '').toLowerCase(),
      use: 'sig',
      x5c: [leaf.raw.toString('base64')],
    });
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) {
      expect(published[0]).not.toHaveProperty(secret);
    }
  });

  test('verify every token', async () => {
    const keysOfTokens = createLocalJWKSet(await keySet());
    const { jwt } = await invite(controller, { ott: true });
    const { body } = await controller.rest('GET', '/network-jwts');
    const [network] = body.data as { token: string }[];
    for (const token of [jwt, String(network?.token)]) {
      await expect(jwtVerify(token, keysOfTokens)).resolves.toBeDefined();
    }
  });

  test('sign a nonce as it was sent', async () => {
    const [key] = (await keySet()).keys;
    for (const nonce of [randomUUID(), randomUUID().toUpperCase()]) {
      const { status, body } = await enroll('/challenge', { keyId: key?.kid, nonce });
      expect(status).toBe(200);
      const signed = body as unknown as Record<
        'algorithm' | 'caPool' | 'kid' | 'signature',
        string
      >;
      expect(Object.keys(signed).sort()).toEqual(['algorithm', 'caPool', 'kid', 'signature']);
      expect(signed).toMatchObject({
        algorithm: key?.alg,
        kid: key?.kid,
        caPool: keys.caBundlePem,
      });
      const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' });
      const signature = Buffer.from(signed.signature, 'base64');
      expect(verify('sha256', Buffer.from(nonce), publicKey, signature)).toBe(true);
      expect(verify('sha256', Buffer.from(randomUUID()), publicKey, signature)).toBe(false);
      await expect(importJWK({ ...key }, signed.algorithm)).resolves.toBeDefined();
    }
  });
});
