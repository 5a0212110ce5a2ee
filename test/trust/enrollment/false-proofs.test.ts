import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import type { CertificateIssuer } from '../../../src/trust/pki/issue-certificate.js';
import {
  newAuthority,
  newCsr,
  newKey,
  newLeaf,
  type ClientCertificate,
} from '../auth/certificates.js';
import { bearersOf, call, outcome, unique } from '../auth/client.js';
import { OutsideSigner } from '../auth/signers.js';
import { startController, type TestController } from '../../support/controller.js';
import { armoured } from '../pki/certificates.js';
import { addAuthority, invite, sendProof, verificationToken } from './enrolling.js';
import { disordered, RUNS, withWrongByte } from './wrong-texts.js';

/* Proofs of authorities and of outside signers that do not hold, and challenges. */

let controller: TestController;
let csr: string;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  csr = await newCsr(newKey());
});
afterAll(() => controller.stop());

const enroll = (query: string, body?: unknown, certificate?: ClientCertificate) =>
  call(controller, 'POST', `/enroll${query}`, { body, certificate });

describe('the proof of an authority', () => {
  let authority: CertificateIssuer;
  let id: string;
  let token: string;

  beforeEach(async () => {
    authority = await newAuthority(unique('CA to prove'));
    id = await addAuthority(controller, authority);
    token = await verificationToken(controller, id);
  });

  test.each<[string, string, () => string | Promise<string>]>([
    ['COULD_NOT_PARSE_BODY', 'nonsense', () => 'nonsense'],
    ['COULD_NOT_PARSE_BODY', 'nothing', () => ''],
    ['EXPECTED_PEM_CERTIFICATE', 'a request', () => csr],
    ['COULD_NOT_PARSE_DER_BLOCK', 'zeros', () => armoured('CERTIFICATE', Buffer.alloc(50))],
    ['COULD_NOT_PARSE_DER_BLOCK', 'an empty block', () => armoured('CERTIFICATE', Buffer.alloc(0))],
    ['INVALID_COMMON_NAME', 'another name', async () => (await newLeaf('another', authority)).cert],
    ['INVALID_COMMON_NAME', 'itself', () => authority.cert.toString()],
    [
      'CERTIFICATE_FAILED_VALIDATION',
      'one of its own issuer',
      async () => (await newLeaf(token, undefined)).cert,
    ],
    [
      'CERTIFICATE_FAILED_VALIDATION',
      'one of another authority',
      async () => (await newLeaf(token, await newAuthority('CA of nobody'))).cert,
    ],
  ])('is refused with %s when it is %s', async (code, _, make) => {
    expect(outcome(await sendProof(controller, id, await make()))).toEqual([400, code]);
    const { body } = await controller.rest('GET', `/cas/${id}`);
    expect(body.data).toMatchObject({ isVerified: false });
  });

  test('is refused for one that there is not', async () => {
    const { cert } = await newLeaf(token, authority);
    expect(outcome(await sendProof(controller, 'nobody', cert))).toEqual([404, 'NOT_FOUND']);
    expect(outcome(await controller.rest('GET', '/cas/nobody/jwt'))).toEqual([404, 'NOT_FOUND']);
  });

  test('is refused without a session', async () => {
    const answer = await controller.send('POST', `/edge/management/v1/cas/${id}/verify`, {
      body: (await newLeaf(token, authority)).cert,
      headers: { 'content-type': 'text/plain' },
    });
    expect(answer.status).toBe(401);
  });

  test('is refused when it was changed in any byte', async () => {
    const { cert } = await newLeaf(token, authority);
    await fc.assert(
      fc.asyncProperty(withWrongByte('CERTIFICATE', cert), async (sent) => {
        const { status } = await sendProof(controller, id, sent);
        expect(status).toBe(400);
      }),
      RUNS,
    );
  });
});

const INVALID_TOKEN = [404, 'INVALID_ENROLLMENT_TOKEN'];

describe('a JWT', () => {
  let signer: OutsideSigner;
  let signerId: string;

  beforeEach(async () => {
    signer = await OutsideSigner.create(unique('issuer'));
    signerId = await controller.create('external-jwt-signers', {
      ...signer.settings,
      useExternalId: true,
      enrollToTokenEnabled: true,
      enrollToCertEnabled: true,
      enrollNameClaimsSelector: '/label',
      enrollAttributeClaimsSelector: '/groups',
    });
  });

  const join = (jwt: string | undefined, headers: Record<string, string> = {}) =>
    call(controller, 'POST', '/enroll/token', {
      body: {},
      headers: { ...(jwt === undefined ? {} : { authorization: bearersOf([jwt]) }), ...headers },
    });

  test.each<[string, () => Promise<string> | undefined]>([
    ['none', () => undefined],
    ['nonsense', () => Promise.resolve('nonsense')],
    ['one that is over', () => signer.jwt('x', {}, { expiresIn: -300 })],
    ['one for others', () => signer.jwt('x', { aud: 'others' })],
    ['one of another issuer', () => signer.jwt('x', { iss: 'nobody' })],
    ['one by another key', () => signer.jwt('x', {}, { key: newKey() })],
    ['one by a key that nobody knows', () => signer.jwt('x', {}, { kid: 'unknown' })],
    ['an enrollment token', async () => (await invite(controller, { ott: true })).jwt],
  ])('is refused: %s', async (_, make) => {
    expect(outcome(await join(await make()))).toEqual(INVALID_TOKEN);
    const named = await join(await make(), { 'ziti-token-issuer-id': signerId });
    expect(outcome(named)).toEqual(INVALID_TOKEN);
  });

  test('is refused for another signer', async () => {
    const headers = { 'ziti-token-issuer-id': 'nobody' };
    expect(outcome(await join(await signer.jwt('x'), headers))).toEqual(INVALID_TOKEN);
  });

  test('is refused when the signer does not count any more', async () => {
    await controller.rest('PATCH', `/external-jwt-signers/${signerId}`, { enabled: false });
    expect(outcome(await join(await signer.jwt('x')))).toEqual(INVALID_TOKEN);
  });

  test('is refused when it was changed in any character', async () => {
    const jwt = await signer.jwt('changed', { label: 'changed' });
    // The last character of a part has bits that do not count.
    const counted = Array.from(jwt.matchAll(/[\w-](?=[\w-])/g), ({ index }) => index);
    const change = fc.tuple(
      fc.constantFrom(...counted),
      fc.constantFrom('A', 'z', '0', '-', '_', '.', '=', ' '),
    );
    await fc.assert(
      fc.asyncProperty(change, async ([at, character]) => {
        fc.pre(jwt[at] !== character);
        const { status } = await join(jwt.slice(0, at) + character + jwt.slice(at + 1));
        expect(status).toBe(404);
      }),
      RUNS,
    );
  });

  const isNoHarm = async (_: string, claims: Record<string, unknown>): Promise<void> => {
    const answer = await join(await signer.jwt(unique('subject'), claims));
    expect(answer.status).toBeLessThan(500);
  };
  test.each<[string, Record<string, unknown>]>([
    ['a label of 10,000 letters', { label: 'a'.repeat(10_000) }],
    ['groups with NUL', { groups: ['a\u0000b'] }],
    ['groups of other kinds', { groups: [1, null, {}] }],
    ['groups that select', { groups: ['#all', '@x'] }],
    ['a label that is an object', { label: {} }],
  ])('is no harm with %s', isNoHarm);
  // The database refuses these, which should not be left to it.
  test.each<[string, Record<string, unknown>]>([
    ['a label with NUL', { label: 'a\u0000b' }],
    ['a label without order', { label: disordered(1000) }],
    ['a subject with NUL', { sub: 'a\u0000b' }],
    ['a subject without order', { sub: disordered(1000) }],
  ])('is no harm with %s', isNoHarm);

  test('is no harm with the name of an identity', async () => {
    const label = unique('taken');
    await controller.create('identities', { name: label, type: 'Default', isAdmin: false });
    const answer = await join(await signer.jwt(unique('subject'), { label }));
    expect(answer.status).toBeLessThan(500);
  });
});

describe('the challenge', () => {
  test.each<[unknown, string]>([
    [{}, 'keyId'],
    [{ keyId: 'x' }, 'nonce'],
    [{ keyId: 'x', nonce: 'nonsense' }, 'nonce'],
    [{ keyId: 'x', nonce: '' }, 'nonce'],
    [{ keyId: 'x', nonce: 5 }, 'nonce'],
    [{ keyId: 'x', nonce: randomUUID() }, 'keyId'],
    [{ keyId: 5, nonce: randomUUID() }, 'keyId'],
  ])('of %j is refused', async (body, field) => {
    const answer = await enroll('/challenge', body);
    expect(outcome(answer)).toEqual([400, 'COULD_NOT_VALIDATE']);
    expect(answer.body.error.cause).toMatchObject({ field });
  });

  test.each<unknown>([undefined, [], 'text', null])('with the body %j is refused', async (body) => {
    expect((await enroll('/challenge', body)).status).toBe(400);
  });
});
