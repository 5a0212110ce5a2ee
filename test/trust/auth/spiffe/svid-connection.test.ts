import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Row } from '../../../../src/base/row.js';
import type { CertificateIssuer } from '../../../../src/trust/pki/index.js';
import { newRoot, newSvid, pemOf } from '../../../support/bundle-server.js';
import { startController, type TestController } from '../../../support/controller.js';
import { eventually } from '../../../support/eventually.js';
import type { ClientCertificate } from '../certificates.js';
import { authenticate, call, outcome, sessionIn } from '../client.js';
import { newTrustDomain, type TestTrustDomain } from './trust-domain.js';

/* Logins by an X509-SVID over a connection to a started controller, which downloads the bundle itself. */

const WEB = '/ns/prod/sa/web';

let controller: TestController;
let domain: TestTrustDomain;

beforeAll(async () => {
  controller = await startController({
    env: { OVERGRAPH_JWKS_ALLOW_PRIVATE: 'true', OVERGRAPH_LOGIN_LIMIT: '0' },
  });
  domain = await newTrustDomain('wire');
  const { createCertificateAuthority } = await graph<{ createCertificateAuthority: Row }>(
    `mutation ($input: CreateCertificateAuthorityInput!) {
      createCertificateAuthority(input: $input) { id } }`,
    {
      input: {
        ...domain.input,
        ...{ svidPathTemplate: '/ns/{namespace}/sa/{serviceAccount}', createsIdentities: true },
        ...{ roleAttributeClaims: ['namespace'], roleAttributePrefix: 'ns:' },
      },
    },
  );
  await eventually(async () => {
    const { certificateAuthority } = await graph<{ certificateAuthority: Row }>(
      'query ($id: ID!) { certificateAuthority(id: $id) { isVerified } }',
      { id: createCertificateAuthority.id },
    );
    expect(certificateAuthority).toEqual({ isVerified: true });
  });
});
afterAll(() => controller.stop());

const graph = async <T>(query: string, variables: Row): Promise<T> =>
  (await controller.graphql(query, variables)).data;

/** The certificate and the key of a workload, with what its handshake also carries. */
async function workload(issuer: CertificateIssuer, ...between: readonly CertificateIssuer[]) {
  const svid = await newSvid(`spiffe://${domain.name}${WEB}`, issuer);
  const cert = [svid, ...between].map(pemOf).join('\n');
  const key = svid.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { cert, key } satisfies ClientCertificate;
}

test('each new leaf of a handshake logs in the identity that the first one has created', async () => {
  const first = sessionIn(
    await authenticate(controller, 'cert', { certificate: await workload(domain.root) }),
  );
  const between = await newRoot(domain.name, domain.root);
  const certificate = await workload(between, between);
  const again = sessionIn(await authenticate(controller, 'cert', { certificate }));
  expect(again.identityId).toBe(first.identityId);
  const query = 'mutation { authenticate(method: "cert", input: {}) { identityId } }';
  const onGraph = await call(controller, 'POST', '/graphql', { body: { query }, certificate });
  expect(onGraph.body).toMatchObject({ data: { authenticate: { identityId: first.identityId } } });
  const { identity } = await graph<{ identity: Row }>(
    'query ($id: ID!) { identity(id: $id) { externalId effectiveRoleAttributes } }',
    { id: first.identityId },
  );
  expect(identity).toEqual({
    externalId: `spiffe://${domain.name}${WEB}`,
    effectiveRoleAttributes: ['ns:prod'],
  });
});

test('a leaf of another root, or without the intermediate, does not log in', async () => {
  const stranger = await newRoot(domain.name);
  const between = await newRoot(domain.name, domain.root);
  for (const certificate of [await workload(stranger, stranger), await workload(between)]) {
    expect(outcome(await authenticate(controller, 'cert', { certificate }))).toEqual([
      401,
      'INVALID_AUTH',
    ]);
  }
});
