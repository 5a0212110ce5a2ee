import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../../src/base/row.js';
import { newSvid, pemOf } from '../../../support/bundle-server.js';
import { InProcess, InProcessRest } from '../../../support/in-process.js';
import { newAuthority, newLeaf } from '../certificates.js';
import { inSession } from '../in-process-logins.js';
import { logInBy } from './svid-logins.js';
import { newTrustDomain, refresh, shown, type TestTrustDomain } from './trust-domain.js';

/* Authorities of trust domains at REST, which shows them, changes what all authorities have, and deletes them. */

let controller: InProcess;
let rest: InProcessRest;
let domain: TestTrustDomain;
let id: string;
let path: string;

const RULES: Row = {
  svidPathTemplate: '/ns/{namespace}/sa/{serviceAccount}',
  conditions: [{ claim: 'namespace', values: ['prod'], pattern: null }],
  ...{ roleAttributeClaims: ['namespace'], roleAttributeMinutes: 60 },
  ...{ createsIdentities: true, maxCreatedIdentities: 5, enrollNameClaimsSelector: 'sub' },
};

beforeAll(async () => {
  controller = await InProcess.start();
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
  domain = await newTrustDomain('rest');
  const roleAttributePrefix = `${domain.name.split('.')[0] ?? ''}:`;
  id = await controller.create('CertificateAuthority', {
    ...domain.input,
    ...RULES,
    roleAttributePrefix,
  });
  await refresh(controller, id);
  path = `/cas/${id}`;
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
});

const read = async (): Promise<Row> => (await rest.get(path)).body.data;

async function send(method: string, body?: unknown, at = path): Promise<[number, unknown]> {
  const { status, body: answer } = await rest.send(method, at, body);
  const { error } = answer as { error?: { code: string; cause?: { field?: string } } };
  return [status, error?.cause?.field ?? error?.code];
}

const GRAPH_ONLY = [
  ...['bundleEndpoint', 'bundleRoots', 'bundleRootDetails', 'bundleState', 'svidPathTemplate'],
  ...['enrollAuthPolicyId', 'enrollNameClaimsSelector', 'idleHoursBeforeDeletion'],
  ...['conditions', 'roleAttributeClaims', 'roleAttributePrefix', 'roleAttributeMinutes'],
  ...['createsIdentities', 'newIdentitiesArePending', 'maxCreatedIdentities', 'warning'],
];

const MEMBERS = `bundleEndpoint { trustDomain url profile ca endpointSpiffeId } bundleRoots isVerified
  bundleState { sequence downloadedAt nextAt error } svidPathTemplate conditions { claim values pattern }
  roleAttributeClaims roleAttributePrefix roleAttributeMinutes createsIdentities maxCreatedIdentities
  enrollNameClaimsSelector trustedForManagement`;

const onGraph = async (): Promise<Row> => {
  const query = `query ($id: ID!) { certificateAuthority(id: $id) { ${MEMBERS} } }`;
  return (await controller.read<{ certificateAuthority: Row }>(query, { id })).certificateAuthority;
};

const logsIn = async (): Promise<{ token: string } | undefined> =>
  logInBy(controller, [await newSvid(`spiffe://${domain.name}/ns/prod/sa/web`, domain.root)]);

describe('an authority with a bundle', () => {
  test('is shown without what the graph alone has, and without a step to verify it', async () => {
    const shownHere = await read();
    expect(shownHere).toMatchObject({
      ...{ id, name: domain.name, certPem: '', fingerprint: `spiffe://${domain.name}` },
      ...{ isVerified: true, isAuthEnabled: true, identityRoles: [] },
      ...{ isAutoCaEnrollmentEnabled: false, isOttCaEnrollmentEnabled: false },
    });
    expect(Object.keys(shownHere).filter((name) => GRAPH_ONLY.includes(name))).toEqual([]);
    expect(Object.keys(shownHere._links as object)).toEqual(['self']);
  });

  test('stands in lists, and is chosen by its fingerprint', async () => {
    const filter = encodeURIComponent(`fingerprint = "spiffe://${domain.name}"`);
    const { status, body } = await rest.get(`/cas?filter=${filter}`);
    expect([status, body.data, body.meta.pagination]).toMatchObject([
      200,
      [{ id }],
      { totalCount: 1 },
    ]);
    const foreign = encodeURIComponent('bundleRoots = "x"');
    expect((await rest.get(`/cas?filter=${foreign}`)).status).toBe(400);
  });

  test('is written back by PUT and PATCH, and keeps all that REST does not show', async () => {
    const before = await onGraph();
    expect(await send('PUT', await read())).toEqual([200, undefined]);
    expect(await send('PATCH', await read())).toEqual([200, undefined]);
    const { name, ...others } = await read();
    expect(await send('PUT', { ...others, name: `${String(name)} again` })).toEqual([
      200,
      undefined,
    ]);
    expect(await send('PATCH', { tags: { team: 'sea' }, externalIdClaim: null })).toEqual([
      200,
      undefined,
    ]);
    expect(await onGraph()).toEqual(before);
    expect(await read()).toMatchObject({
      name: `${String(name)} again`,
      tags: { team: 'sea' },
    });
    expect(await logsIn()).toBeDefined();
  });

  test('ignores members of the graph in a body', async () => {
    const before = await onGraph();
    const change = {
      bundleEndpoint: { url: 'https://elsewhere.example' },
      ...{ bundleRoots: 'x', bundleState: null, svidPathTemplate: '/x', conditions: [] },
      ...{ createsIdentities: false, fingerprint: 'spiffe://other.example', isVerified: false },
      ...{ certPem: pemOf(await newAuthority('other')) },
    };
    expect(await send('PATCH', change)).toEqual([200, undefined]);
    expect(await send('PUT', { ...(await read()), ...change })).toEqual([200, undefined]);
    expect(await onGraph()).toEqual(before);
    expect(await read()).toMatchObject({ certPem: '', fingerprint: `spiffe://${domain.name}` });
  });

  const CLAIM = { location: 'SAN_URI', matcher: 'ALL', parser: 'NONE' };
  test.each<[string, unknown]>([
    ['name', ''],
    ['name', 7],
    ['name', ['x']],
    ['tags', 'x'],
    ['tags.a', { a: [1] }],
    ['isAuthEnabled', 'yes'],
    ['isAuthEnabled', 1],
    ['isOttCaEnrollmentEnabled', 'no'],
    ['isOttCaEnrollmentEnabled', true],
    ['isAutoCaEnrollmentEnabled', {}],
    ['isAutoCaEnrollmentEnabled', true],
    ['identityRoles', 'staff'],
    ['identityRoles.0', [1]],
    ['identityRoles', ['#staff']],
    ['identityNameFormat', false],
    ['externalIdClaim', 'x'],
    ['externalIdClaim', CLAIM],
    ['externalIdClaim.location', { ...CLAIM, location: 'SAN_DNS' }],
    ['externalIdClaim.index', { ...CLAIM, index: 'first' }],
  ])('refuses a wrong value at %s: %j', async (field, value) => {
    const [member = ''] = field.split('.');
    const before = [await onGraph(), await read()];
    expect(await send('PATCH', { [member]: value })).toEqual([400, field]);
    expect(await send('PUT', { ...(await read()), [member]: value })).toEqual([400, field]);
    expect([await onGraph(), await read()]).toEqual(before);
  });

  test('is not created: the bundle endpoint of a body does not take the place of a certificate', async () => {
    const { bundleEndpoint } = domain.input;
    for (const certPem of [undefined, null, '']) {
      const body = { ...domain.input, bundleEndpoint, name: 'created', certPem };
      expect(await send('POST', body, '/cas')).toEqual([400, 'certPem']);
    }
    const certPem = pemOf(await newAuthority('created'));
    const body = { ...domain.input, name: 'created', certPem };
    const { status, body: answer } = await rest.send('POST', '/cas', body);
    expect(status).toBe(201);
    const created = String((answer.data as Row).id);
    expect(await shown(controller, created)).toMatchObject({
      isVerified: false,
      bundleState: null,
    });
    expect(await send('DELETE', undefined, `/cas/${created}`)).toEqual([200, undefined]);
  });

  test('is verified by its download alone', async () => {
    const early = await newTrustDomain('early');
    const earlyId = await controller.create('CertificateAuthority', early.input);
    const { body } = await rest.get(`/cas/${earlyId}`);
    const { verificationToken } = body.data as unknown as { verificationToken: string };
    const verify = async (authorityId: string): Promise<unknown> => {
      const at = `/edge/management/v1/cas/${authorityId}/verify`;
      const { cert } = await newLeaf(verificationToken, early.root);
      const answer = await rest.sendText('POST', at, cert, { 'content-type': 'text/plain' });
      const { error } = JSON.parse(answer.text) as { error: { code: string } };
      return [answer.status, error.code];
    };
    expect(await verify(earlyId)).toEqual([400, 'CERTIFICATE_FAILED_VALIDATION']);
    expect((await shown(controller, earlyId)).isVerified).toBe(false);
    expect(await verify(id)).toEqual([409, 'CA_ALREADY_VERIFIED']);
  });

  test('is refused to overwrite what another caller has changed', async () => {
    const etag = String((await rest.get(path)).headers.etag);
    expect(await send('PATCH', { tags: { a: 1 } })).toEqual([200, undefined]);
    const { status } = await rest.send('PATCH', path, { tags: {} }, { 'if-match': etag });
    expect(status).toBe(412);
  });

  test('ends its sessions by isAuthEnabled and by its deletion', async () => {
    const lives = async (session: { token: string } | undefined): Promise<boolean> =>
      (await inSession(controller, String(session?.token))).caller !== undefined;
    const first = await logsIn();
    expect(await lives(first)).toBe(true);
    expect(await send('PATCH', { isAuthEnabled: false })).toEqual([200, undefined]);
    expect([await lives(first), await logsIn()]).toEqual([false, undefined]);
    expect(await send('PATCH', { isAuthEnabled: true })).toEqual([200, undefined]);
    const second = await logsIn();
    expect(await lives(second)).toBe(true);
    expect(await send('DELETE')).toEqual([200, undefined]);
    expect([await lives(second), await logsIn()]).toEqual([false, undefined]);
    expect(await send('GET')).toEqual([404, 'NOT_FOUND']);
  });
});
