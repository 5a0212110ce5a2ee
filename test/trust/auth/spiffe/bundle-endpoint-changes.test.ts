import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../../src/base/row.js';
import { sql } from '../../../../src/base/sql.js';
import { bundleOf, newRoot, newSvid, pemOf, serveBundle } from '../../../support/bundle-server.js';
import { InProcess } from '../../../support/in-process.js';
import { update } from '../../../access/enforcement/dialling.js';
import { authorityOf, enter, newTrustDomain, refresh, shown } from './trust-domain.js';

/* Partial changes of a bundle endpoint: the members that are absent or null stay. */

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());
afterEach(() => controller.parts.store.query(sql`delete from certificate_authority`));

const ENDPOINT = `query ($id: ID!) { certificateAuthority(id: $id) {
  bundleEndpoint { trustDomain url profile ca endpointSpiffeId } } }`;

async function endpointOf(id: string): Promise<Row> {
  const { certificateAuthority } = await controller.read<{
    certificateAuthority: { bundleEndpoint: Row };
  }>(ENDPOINT, { id });
  return certificateAuthority.bundleEndpoint;
}

const change = (id: string, bundleEndpoint: Row | null): Promise<unknown> =>
  update(controller, 'CertificateAuthority', id, { bundleEndpoint });

async function faultOf(id: string, bundleEndpoint: Row | null): Promise<unknown> {
  const { errors } = await controller.graph(
    `mutation ($id: ID!, $input: UpdateCertificateAuthorityInput!) {
      updateCertificateAuthority(id: $id, input: $input) { id } }`,
    { id, input: { bundleEndpoint } },
  );
  return errors.map((error) => [
    error?.code,
    (error?.detail as { field?: unknown } | undefined)?.field,
  ]);
}

describe('of an endpoint with a certificate for its host', () => {
  let id: string;
  let before: Row;

  beforeEach(async () => {
    const domain = await newTrustDomain();
    id = await enter(controller, domain);
    await refresh(controller, id);
    before = await endpointOf(id);
  });

  test('one member is changed, and the others stay', async () => {
    const url = `${String(before.url)}/new`;
    await change(id, { url });
    expect(await endpointOf(id)).toEqual({ ...before, url });
    const { bundleState } = await shown(controller, id);
    expect(bundleState).toBeNull();
  });

  test.each([
    ['a group without members', {}],
    ['null for members', { ca: null, endpointSpiffeId: null }],
  ])('%s leaves all as it is, and the sequence goes on', async (_name, patch) => {
    await change(id, patch);
    expect(await endpointOf(id)).toEqual(before);
    expect((await shown(controller, id)).bundleState?.sequence).toBe('1');
  });

  test('an empty text clears a member', async () => {
    await change(id, { ca: '' });
    expect(await endpointOf(id)).toEqual({ ...before, ca: null });
  });

  test.each([
    ['trustDomain', { trustDomain: 'other.example' }],
    ['trustDomain', { trustDomain: null }],
    ['url', { url: null }],
    ['url', { url: 'http://in.example/' }],
    ['profile', { profile: null }],
    ['ca', { ca: 'garbage' }],
    ['endpointSpiffeId', { endpointSpiffeId: 'spiffe://in.example/a' }],
    ['endpointSpiffeId', { profile: 'HTTPS_SPIFFE' }],
  ])('%s is refused: %j', async (member, patch) => {
    expect(await faultOf(id, patch)).toEqual([['COULD_NOT_VALIDATE', `bundleEndpoint.${member}`]]);
    expect(await endpointOf(id)).toEqual(before);
  });
});

test('of an endpoint with an X509-SVID keep its id, and leave the profile with it', async () => {
  const name = 'spire.example';
  const root = await newRoot(name);
  const endpointSpiffeId = `spiffe://${name}/spire/server`;
  const server = await serveBundle(bundleOf([root]), await newSvid(endpointSpiffeId, root));
  try {
    const endpoint = {
      ...{ trustDomain: name, url: server.url, profile: 'HTTPS_SPIFFE' },
      ...{ ca: pemOf(root).trim(), endpointSpiffeId },
    };
    const id = await controller.create('CertificateAuthority', authorityOf(name, endpoint));
    const before = await endpointOf(id);
    const url = `${server.url}/new`;
    await change(id, { url, endpointSpiffeId: null });
    expect(await endpointOf(id)).toEqual({ ...before, url });
    expect(await refresh(controller, id)).toBeUndefined();
    expect(await faultOf(id, { profile: 'HTTPS_WEB' })).toEqual([
      ['COULD_NOT_VALIDATE', 'bundleEndpoint.endpointSpiffeId'],
    ]);
    await change(id, { profile: 'HTTPS_WEB', endpointSpiffeId: '', ca: '' });
    const web = { profile: 'HTTPS_WEB', endpointSpiffeId: null, ca: null };
    expect(await endpointOf(id)).toEqual({ ...before, url, ...web });
  } finally {
    await server.close();
  }
});
