import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Row } from '../../../../src/base/row.js';
import { newSvid, pemOf } from '../../../support/bundle-server.js';
import { callerOf, InProcess } from '../../../support/in-process.js';
import { update } from '../../../access/enforcement/dialling.js';
import { newAuthority } from '../certificates.js';
import { unique } from '../client.js';
import { logInBy } from './svid-logins.js';
import { enter, newTrustDomain, refresh, type TestTrustDomain } from './trust-domain.js';

/* A preview says how a login by a certificate would end, and nobody is logged in. */

let controller: InProcess;
let domain: TestTrustDomain;
let authority: string;
let prefix: string;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());
beforeEach(async () => {
  domain = await newTrustDomain('preview');
  prefix = `${unique('k8s')}:`;
  authority = await enter(controller, domain);
  await refresh(controller, authority);
  await update(controller, 'CertificateAuthority', authority, {
    ...{ svidPathTemplate: '/ns/{namespace}/sa/{serviceAccount}', createsIdentities: true },
    ...{ roleAttributeClaims: ['namespace'], roleAttributePrefix: prefix },
    conditions: [{ claim: 'namespace', values: ['prod'], pattern: null }],
  });
});

const svid = (path: string, issuer = domain.root) =>
  newSvid(`spiffe://${domain.name}${path}`, issuer);

async function preview(certPem: string, ctx = controller.ctx()): Promise<Row> {
  const { previewCertificate } = await controller.read<{ previewCertificate: Row }>(
    `query ($certPem: String!) { previewCertificate(certPem: $certPem) { refusal authorityId identityId createsIdentity
      claims { name value } conditions { claim isMet } roleAttributes } }`,
    { certPem },
    ctx,
  );
  return previewCertificate;
}

test('shows claims, conditions, role attributes and the identity, and creates none', async () => {
  const leaf = await svid('/ns/prod/sa/web');
  const outcome = {
    ...{ refusal: null, authorityId: authority, roleAttributes: [`${prefix}prod`] },
    claims: [
      { name: 'namespace', value: 'prod' },
      { name: 'serviceAccount', value: 'web' },
      { name: 'sub', value: `spiffe://${domain.name}/ns/prod/sa/web` },
    ],
    conditions: [{ claim: 'namespace', isMet: true }],
  };
  for (const ctx of [controller.ctx(), controller.ctx(callerOf('reader', 'ca.read'))]) {
    const creating = { ...outcome, identityId: null, createsIdentity: true };
    expect(await preview(pemOf(leaf), ctx)).toEqual(creating);
  }
  const session = await logInBy(controller, [leaf]);
  const expected = { ...outcome, identityId: session?.identityId, createsIdentity: false };
  expect(await preview(pemOf(leaf))).toEqual(expected);
  const reader = controller.ctx(callerOf('reader', 'ca.read'));
  expect(await preview(pemOf(leaf), reader)).toEqual({ ...expected, identityId: null });
});

test('tells why a login would be refused', async () => {
  const refused = { createsIdentity: false, identityId: null, roleAttributes: [] };
  expect(await preview(pemOf(await svid('/ns/test/sa/web')))).toMatchObject({
    ...{ ...refused, refusal: 'UNMET_CONDITION', authorityId: authority },
    conditions: [{ claim: 'namespace', isMet: false }],
  });
  expect(await preview(pemOf(await svid('/other/path')))).toMatchObject({
    ...{ ...refused, refusal: 'UNMET_CONDITION', claims: [] },
  });
  const stranger = await svid('/ns/prod/sa/web', await newAuthority('stranger'));
  const ofNobody = { ...refused, authorityId: null, claims: [], conditions: [] };
  expect(await preview(pemOf(stranger))).toEqual({ ...ofNobody, refusal: 'UNTRUSTED_CERTIFICATE' });
  expect(await preview('no PEM')).toEqual({ ...ofNobody, refusal: 'NO_CERTIFICATE' });
});
