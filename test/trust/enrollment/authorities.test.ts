import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { jwtVerify } from 'jose';
import type { CertificateIssuer } from '../../../src/trust/pki/issue-certificate.js';
import { newAuthority, newLeaf, type ClientCertificate } from '../auth/certificates.js';
import { authenticate, call, outcome, sessionIn, unique } from '../auth/client.js';
import { startController, type TestController } from '../../support/controller.js';
import { COMMON_NAME_CLAIM } from '../../support/auth-settings.js';
import {
  addAuthority,
  addVerified,
  identitiesWhere,
  identityOf,
  invite,
  sendProof,
  tlsLeaf,
  verificationToken,
  type Invited,
  losersOf,
  expectOneToServe,
} from './enrolling.js';

/* How identities join by certificates of authorities of others. */

let controller: TestController;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());

const enroll = (query: string, body?: unknown, certificate?: ClientCertificate) =>
  call(controller, 'POST', `/enroll${query}`, { body, certificate });

const logsIn = async (certificate: ClientCertificate): Promise<string | undefined> => {
  const answer = await authenticate(controller, 'cert', { certificate });
  return answer.status === 200 ? sessionIn(answer).identityId : undefined;
};

const authenticatorsOf = async (id: string): Promise<Record<string, unknown>[]> =>
  (await controller.rest('GET', `/identities/${id}/authenticators`)).body.data;
const enrollmentsOf = async (id: string): Promise<unknown[]> =>
  (await controller.rest('GET', `/identities/${id}/enrollments`)).body.data;

describe('an authority of others', () => {
  let authority: CertificateIssuer;

  beforeEach(async () => {
    authority = await newAuthority(unique('CA of others'));
  });

  test('is verified by a certificate that names its token', async () => {
    const id = await addAuthority(controller, authority);
    const token = await verificationToken(controller, id);
    const proof = await newLeaf(token, authority);
    const before = (await controller.rest('GET', `/cas/${id}`)).body.data;
    expect(before).toMatchObject({ isVerified: false });
    const answer = await sendProof(controller, id, proof.cert);
    expect([answer.status, answer.body.data]).toEqual([200, {}]);
    const after = (await controller.rest('GET', `/cas/${id}`)).body.data;
    expect(after).toMatchObject({ isVerified: true });
    expect(outcome(await sendProof(controller, id, proof.cert))).toEqual([
      409,
      'CA_ALREADY_VERIFIED',
    ]);
  });

  test('gives out a token for its clients, which never ends', async () => {
    const id = await addVerified(controller, authority, { isAutoCaEnrollmentEnabled: true });
    const { status, headers, text } = await controller.rest('GET', `/cas/${id}/jwt`);
    expect([status, headers['content-type']]).toEqual([200, 'application/jwt']);
    const { payload } = await jwtVerify(text, (await tlsLeaf(controller)).publicKey);
    expect(payload).toMatchObject({ sub: id, jti: id, em: 'ca', aud: ['openziti-enroller'] });
    expect(payload.exp).toBeUndefined();
    expect(payload.iss).toMatch(/^https:\/\/[^/]+\/$/);
    expect((await call(controller, 'GET', `/edge/management/v1/cas/${id}/jwt`)).status).toBe(401);
  });
});

describe('a one-time token with an authority', () => {
  let authority: CertificateIssuer;
  let caId: string;
  let invited: Invited;
  let query: string;
  let certificate: ClientCertificate;

  beforeEach(async () => {
    authority = await newAuthority(unique('CA of one-time tokens'));
    caId = await addVerified(controller, authority, { isOttCaEnrollmentEnabled: true });
    invited = await invite(controller, { ottca: caId });
    query = `?method=ottca&token=${invited.token}`;
    certificate = await newLeaf('device', authority);
  });

  test('registers the certificate of the connection', async () => {
    const answer = await enroll(query, {}, certificate);
    expect([answer.status, answer.body.data]).toEqual([200, {}]);
    await expect(logsIn(certificate)).resolves.toBe(invited.identityId);
    await expect(authenticatorsOf(invited.identityId)).resolves.toMatchObject([
      { method: 'cert', isIssuedByNetwork: false },
    ]);
    await expect(enrollmentsOf(invited.identityId)).resolves.toEqual([]);
  });

  test('lets an identity that waits for its approval join and log in, and it goes on waiting', async () => {
    const waiting = await invite(controller, { ottca: caId }, { isPending: true });
    const own = await newLeaf('waiting device', authority);
    const answer = await enroll(`?method=ottca&token=${waiting.token}`, {}, own);
    expect(answer.status).toBe(200);
    await expect(logsIn(own)).resolves.toBe(waiting.identityId);
    const joined = await identitiesWhere(controller, `id = "${waiting.identityId}"`);
    expect(joined).toMatchObject([{ isPending: true }]);
  });

  test('may come without any body', async () => {
    expect((await enroll(query, undefined, certificate)).status).toBe(200);
  });

  test('may come with an empty body said to be JSON', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': '0' };
    const answer = await call(controller, 'POST', `/enroll${query}`, { certificate, headers });
    expect(answer.status).toBe(200);
  });

  test('has a path of its own', async () => {
    const answer = await enroll('/ottca', { token: invited.token }, certificate);
    expect(answer.status).toBe(200);
  });

  test('serves one of several at once', async () => {
    const others = await Promise.all([1, 2].map(() => newLeaf('device', authority)));
    await expectOneToServe(others.map((one) => enroll(query, {}, one)));
    await expect(authenticatorsOf(invited.identityId)).resolves.toHaveLength(1);
  });

  test('survives certificates that do not count', async () => {
    const stranger = await newAuthority('CA of nobody');
    const bad = [
      undefined,
      await newLeaf('device', stranger),
      await newLeaf('device', undefined),
      await newLeaf('device', authority, { isExpired: true }),
    ];
    for (const one of bad) {
      expect(outcome(await enroll(query, {}, one))).toEqual([400, 'CERTIFICATE_FAILED_VALIDATION']);
    }
    await expect(authenticatorsOf(invited.identityId)).resolves.toEqual([]);
    expect((await enroll(query, {}, certificate)).status).toBe(200);
  });

  test('refuses a certificate that is in use', async () => {
    expect((await enroll(query, {}, certificate)).status).toBe(200);
    const other = await invite(controller, { ottca: caId });
    const path = `?method=ottca&token=${other.token}`;
    expect(outcome(await enroll(path, {}, certificate))).toEqual([409, 'CERT_IN_USE']);
    await expect(authenticatorsOf(other.identityId)).resolves.toEqual([]);
    const fresh = await newLeaf('device', authority);
    expect((await enroll(path, {}, fresh)).status).toBe(200);
  });
});

describe('a certificate of an authority that enrolls by itself', () => {
  let authority: CertificateIssuer;

  beforeEach(async () => {
    authority = await newAuthority(unique('CA of itself'));
  });

  const join = (certificate: ClientCertificate | undefined, body: unknown = {}) =>
    enroll('?method=ca', body, certificate);

  test('makes an identity with the roles of the authority', async () => {
    const name = unique('auto');
    await addVerified(controller, authority, {
      name,
      isAutoCaEnrollmentEnabled: true,
      identityRoles: ['from-ca', 'auto'],
    });
    const certificate = await newLeaf('pump', authority);
    const answer = await join(certificate);
    expect([answer.status, answer.body.data]).toEqual([200, {}]);
    const [identity] = await identitiesWhere(controller, `name = "${name}-pump"`);
    expect(identity).toMatchObject({
      name: `${name}-pump`,
      typeId: 'Default',
      isAdmin: false,
      roleAttributes: ['auto', 'from-ca'],
    });
    await expect(logsIn(certificate)).resolves.toBe(identity?.id);
    await expect(authenticatorsOf(String(identity?.id))).resolves.toMatchObject([
      { method: 'cert', isIssuedByNetwork: false },
    ]);
  });

  test('gives an identity the hours of the authority, which begin then', async () => {
    const name = unique('ephemeral');
    const id = await addVerified(controller, authority, { name, isAutoCaEnrollmentEnabled: true });
    const { errors } = await controller.graphql(
      `mutation ($id: ID!) { updateCertificateAuthority(id: $id, input: { idleHoursBeforeDeletion: 4 }) { id } }`,
      { id },
    );
    expect(errors).toBeUndefined();
    await join(await newLeaf('pump', authority));
    const { data } = await controller.graphql(
      'query ($filter: String!) { identities(filter: $filter) { nodes { idleHoursBeforeDeletion lastUsedAt } } }',
      { filter: `name = "${name}-pump"` },
    );
    expect(data).toEqual({
      identities: {
        nodes: [{ idleHoursBeforeDeletion: 4, lastUsedAt: expect.any(String) }],
      },
    });
  });

  test('serves once', async () => {
    await addVerified(controller, authority, { isAutoCaEnrollmentEnabled: true });
    const certificate = await newLeaf('pump', authority);
    await losersOf([1, 2, 3].map(() => join(certificate)));
    await expect(logsIn(certificate)).resolves.toBeDefined();
    expect(outcome(await join(certificate))).toEqual([409, 'CERT_IN_USE']);
  });

  test.each([true, false])('waits for an approval as the authority says: %s', async (isPending) => {
    const name = unique('waiting');
    const id = await addVerified(controller, authority, {
      ...{ name, isAutoCaEnrollmentEnabled: true, identityRoles: ['pumps'] },
    });
    await controller.graphql(
      `mutation ($id: ID!, $input: UpdateCertificateAuthorityInput!) {
        updateCertificateAuthority(id: $id, input: $input) { id } }`,
      { id, input: { newIdentitiesArePending: isPending } },
    );
    // A client of an earlier release writes back what it has read.
    const { data: authorityBody } = (await controller.rest('GET', `/cas/${id}`)).body;
    await controller.rest('PUT', `/cas/${id}`, authorityBody);
    const certificate = await newLeaf('pump', authority);
    await join(certificate);
    await expect(logsIn(certificate)).resolves.toBeDefined();
    const found = await identitiesWhere(controller, `name contains "${name}-pump"`);
    expect(found).toMatchObject([{ isPending, roleAttributes: ['pumps'] }]);
  });

  test('counts up for names that are taken', async () => {
    const name = unique('counted');
    await addVerified(controller, authority, { name, isAutoCaEnrollmentEnabled: true });
    for (let n = 0; n < 3; n += 1) await join(await newLeaf('pump', authority));
    const found = await identitiesWhere(controller, `name contains "${name}-pump"`);
    expect(found.map((identity) => identity.name).sort()).toEqual([
      `${name}-pump`,
      `${name}-pump000001`,
      `${name}-pump000001000002`,
    ]);
  });

  test('is named by the format of the authority', async () => {
    const [name, wanted] = [unique('formatted'), unique('wanted')];
    const id = await addVerified(controller, authority, {
      name,
      isAutoCaEnrollmentEnabled: true,
      identityNameFormat: '[caId]/[caName]/[commonName]/[requestedName]/[identityId]/[other]',
    });
    await join(await newLeaf('pump', authority), { name: wanted });
    const [identity] = await identitiesWhere(controller, `name contains "${wanted}"`);
    expect(identity?.name).toBe(`${id}/${name}/pump/${wanted}/${String(identity?.id)}/[other]`);
  });

  test('is asked for by the identity id when it wants no name', async () => {
    await addVerified(controller, authority, {
      isAutoCaEnrollmentEnabled: true,
      identityNameFormat: `${unique('asked')} [requestedName]`,
    });
    const certificate = await newLeaf('pump', authority);
    expect((await enroll('/ca', undefined, certificate)).status).toBe(200);
    const id = String(await logsIn(certificate));
    expect((await identityOf(controller, id)).name).toMatch(new RegExp(`^asked-\\d+ ${id}$`));
  });

  test('is known by external id where the authority has a claim', async () => {
    const externalId = unique('external');
    await addVerified(controller, authority, {
      isAutoCaEnrollmentEnabled: true,
      externalIdClaim: COMMON_NAME_CLAIM,
    });
    const certificate = await newLeaf(externalId, authority);
    expect((await join(certificate)).status).toBe(200);
    const [identity] = await identitiesWhere(controller, `externalId = "${externalId}"`);
    expect(identity?.externalId).toBe(externalId);
    await expect(authenticatorsOf(String(identity?.id))).resolves.toEqual([]);
    await expect(logsIn(certificate)).resolves.toBe(identity?.id);
  });
});
