import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import type { CertificateIssuer } from '../../../src/trust/pki/index.js';
import { bundleOf, newRoot, newSvid, pemOf } from '../../support/bundle-server.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import type { ClientCertificate } from '../auth/certificates.js';
import { newTrustDomain, type TestTrustDomain } from '../auth/spiffe/trust-domain.js';
import { tokensOf } from './device.js';
import { ask, claimsOf, LoginClient, type OidcAnswer, type Tokens } from './login-client.js';

/* Workloads that log in over OpenID Connect by an X509-SVID, and whose trust domain changes its authorities. */

let controller: TestController;
let domain: TestTrustDomain;
let authorityId: string;
let spiffeId: string;

beforeAll(async () => {
  controller = await startController({
    env: { OVERGRAPH_JWKS_ALLOW_PRIVATE: 'true', OVERGRAPH_LOGIN_LIMIT: '0' },
  });
});
afterAll(() => controller.stop());

/** Enters a trust domain of its own, and waits for its bundle. */
async function enterDomain(): Promise<void> {
  domain = await newTrustDomain('oidc');
  spiffeId = `spiffe://${domain.name}/ns/prod/sa/web`;
  const input = {
    ...domain.input,
    ...{ svidPathTemplate: '/ns/{namespace}/sa/{serviceAccount}', createsIdentities: true },
    conditions: [{ claim: 'namespace', values: ['prod'] }],
    ...{ roleAttributeClaims: ['namespace', 'serviceAccount'], roleAttributePrefix: prefix() },
  };
  const { createCertificateAuthority } = await graph<{ createCertificateAuthority: Row }>(
    `mutation ($input: CreateCertificateAuthorityInput!) {
      createCertificateAuthority(input: $input) { id } }`,
    { input },
  );
  authorityId = String(createCertificateAuthority.id);
  await untilStored(domain.root);
}

const prefix = (): string => `${domain.name.split('.')[0] ?? ''}:`;

const graph = async <T>(query: string, variables: Row): Promise<T> => {
  const { data, errors } = await controller.graphql(query, variables);
  expect(errors).toBeUndefined();
  return data;
};

const change = (input: Row): Promise<unknown> =>
  graph(
    `mutation ($id: ID!, $input: UpdateCertificateAuthorityInput!) {
      updateCertificateAuthority(id: $id, input: $input) { id } }`,
    { id: authorityId, input },
  );

const untilStored = (...roots: readonly CertificateIssuer[]): Promise<unknown> =>
  eventually(async () => {
    const { certificateAuthority } = await graph<{ certificateAuthority: Row }>(
      'query ($id: ID!) { certificateAuthority(id: $id) { bundleRoots } }',
      { id: authorityId },
    );
    expect(certificateAuthority).toEqual({ bundleRoots: roots.map(pemOf).join('') });
  });

/** Another URL is asked at once. */
async function publish(...roots: readonly CertificateIssuer[]): Promise<void> {
  domain.server.answer = bundleOf(roots);
  await change({ bundleEndpoint: { url: `${domain.server.url}/next` } });
  await untilStored(...roots);
}

/** The certificate and the key of a workload. */
async function workload(issuer = domain.root, id = spiffeId): Promise<ClientCertificate> {
  const svid = await newSvid(id, issuer);
  const key = svid.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { cert: pemOf(svid), key };
}

const logIn = (certificate: ClientCertificate): Promise<Tokens> =>
  tokensOf(controller, { certificate });

/** The answer to the proof of a login, which has to be refused. */
async function refused(certificate: ClientCertificate): Promise<number> {
  const client = new LoginClient(controller, { certificate });
  await client.begin({ method: 'cert' });
  return (await client.ask('POST', `/oidc/login/cert?id=${client.id}`, { json: {} })).status;
}

const refresh = (certificate: ClientCertificate, tokens: Tokens): Promise<OidcAnswer> =>
  new LoginClient(controller, { certificate }).refresh(tokens.refresh_token);

const current = (token: string, certificate?: ClientCertificate): Promise<OidcAnswer> =>
  ask(controller.port, 'GET', '/edge/client/v1/current-identity', {
    headers: { authorization: `Bearer ${token}` },
    certificate,
  });

describe('a login by an X509-SVID', () => {
  beforeAll(enterDomain);

  test('gives a whole session of the identity, with the role attributes of its path', async () => {
    const certificate = await workload();
    const tokens = await logIn(certificate);
    const claims = claimsOf(tokens.access_token);
    const fingerprint = new X509Certificate(certificate.cert).fingerprint
      .replaceAll(':', '')
      .toLowerCase();
    expect(claims).toMatchObject({ amr: ['cert'], z_cfs: [fingerprint] });
    const { identity, apiSession } = await graph<{ identity: Row; apiSession: Row }>(
      `query ($id: ID!, $session: ID!) {
        identity(id: $id) { externalId createdByAuthorityId effectiveRoleAttributes }
        apiSession(id: $session) { identityId isMfaComplete isMfaRequired } }`,
      { id: claims.sub, session: claims.z_asid },
    );
    expect(identity).toEqual({
      ...{ externalId: spiffeId, createdByAuthorityId: authorityId },
      effectiveRoleAttributes: [`${prefix()}prod`, `${prefix()}web`],
    });
    expect(apiSession).toEqual({
      ...{ identityId: claims.sub, isMfaComplete: false, isMfaRequired: false },
    });
    const { status, body } = await current(tokens.access_token, certificate);
    expect([status, (body.data as Row | undefined)?.id]).toEqual([200, claims.sub]);
    expect((await current(tokens.access_token)).status).toBe(401);
    const renewed = await refresh(certificate, tokens);
    expect(renewed.status).toBe(200);
    expect(claimsOf(String(renewed.body.access_token)).sub).toBe(claims.sub);
  });

  test('by the next leaf is one of the same identity, and each session counts with its own leaf', async () => {
    const [first, next] = [await workload(), await workload()];
    const before = await logIn(first);
    const after = await logIn(next);
    const [one, two] = [claimsOf(before.access_token), claimsOf(after.access_token)];
    expect(two.sub).toBe(one.sub);
    expect(two.z_asid).not.toBe(one.z_asid);
    expect((await current(after.access_token, next)).status).toBe(200);
    expect((await current(before.access_token, next)).status).toBe(401);
    const crossed = await refresh(next, before);
    expect([crossed.status, crossed.body.error]).toEqual([400, 'access_denied']);
    expect((await refresh(first, before)).status).toBe(200);
  });

  test('is refused by a condition, by another root and by the name of another trust domain', async () => {
    const stranger = await newRoot(domain.name);
    const wrong = [
      await workload(domain.root, `spiffe://${domain.name}/ns/test/sa/web`),
      await workload(domain.root, `spiffe://${domain.name}/prod`),
      await workload(domain.root, `spiffe://other.${domain.name}/ns/prod/sa/web`),
      await workload(stranger),
    ];
    for (const certificate of wrong) expect(await refused(certificate)).toBe(401);
    expect(claimsOf((await logIn(await workload())).access_token).amr).toEqual(['cert']);
  });
});

describe('after its root has left the bundle', () => {
  let certificate: ClientCertificate;
  let before: Tokens;
  let next: CertificateIssuer;

  beforeAll(async () => {
    await enterDomain();
    certificate = await workload();
    before = await logIn(certificate);
    next = await newRoot(domain.name);
    await publish(next);
  });

  test('no leaf of it logs in, and one of the next root is the same identity', async () => {
    expect(await refused(certificate)).toBe(401);
    expect(await refused(await workload())).toBe(401);
    const { sub } = claimsOf((await logIn(await workload(next))).access_token);
    expect(sub).toBe(claimsOf(before.access_token).sub);
  });

  test('a session from before goes on, until the authority may not log in any more', async () => {
    const renewed = await refresh(certificate, before);
    expect(renewed.status).toBe(200);
    const tokens = renewed.body as unknown as Tokens;
    expect((await current(tokens.access_token, certificate)).status).toBe(200);
    await change({ isAuthEnabled: false });
    await expectEnded(certificate, tokens);
  });

  test('the deletion of the authority ends its sessions', async () => {
    await change({ isAuthEnabled: true });
    const own = await workload(next);
    const tokens = await logIn(own);
    expect((await current(tokens.access_token, own)).status).toBe(200);
    await graph('mutation ($id: ID!) { deleteCertificateAuthority(id: $id) }', { id: authorityId });
    await expectEnded(own, tokens);
    expect(await refused(own)).toBe(401);
  });
});

/** Neither the tokens count any more, nor do they give others. */
async function expectEnded(certificate: ClientCertificate, tokens: Tokens): Promise<void> {
  expect((await current(tokens.access_token, certificate)).status).toBe(401);
  const late = await refresh(certificate, tokens);
  expect([late.status, late.body.error]).toEqual([400, 'invalid_grant']);
}
