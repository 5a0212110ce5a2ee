import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { InProcess } from '../../support/in-process.js';
import { bundleOf, newRoot, newSvid, pemOf } from '../../support/bundle-server.js';
import { remove as removeEntity, update } from '../../access/enforcement/dialling.js';
import { logInBy } from '../../trust/auth/spiffe/svid-logins.js';
import {
  enter,
  newTrustDomain,
  refresh,
  shown,
  type TestTrustDomain,
  passSeconds,
} from '../../trust/auth/spiffe/trust-domain.js';
import {
  idsOfApplied,
  lastSeq,
  loggedSince,
  newService,
  obstaclesOf,
  remove,
  revert,
  undo,
} from './support.js';

/* Authorities of trust domains have mutations alone: undoing names them, and neither edits nor downloads come back. */

let controller: InProcess;
let domain: TestTrustDomain;
let id: string;
let beginning: string;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

beforeEach(async () => {
  beginning = await lastSeq(controller);
  domain = await newTrustDomain('undone');
  id = await enter(controller, domain);
  await refresh(controller, id);
});

const changeIds = async (since: string, type = 'CertificateAuthority'): Promise<string[]> =>
  (await loggedSince(controller, since)).filter((one) => one.type === type).map((one) => one.id);

const NOT_WRITTEN = [['CertificateAuthority', 'NO_SUCH_WRITE']];

async function expectRefused(ids: readonly string[]): Promise<void> {
  const reversal = await revert(controller, ids);
  expect([reversal.changes, reversal.ifRevisions]).toEqual([[], []]);
  expect(reversal.entities).toMatchObject([{ entityId: id, name: domain.name, changeIds: ids }]);
  expect(obstaclesOf(reversal)).toEqual(NOT_WRITTEN);
}

const endpoint = (more: Row): Row => ({ bundleEndpoint: more });

test('the creation stays, with the download or without it', async () => {
  const ids = await changeIds(beginning);
  const [creation = '', download = ''] = ids;
  expect(ids).toEqual([creation, download]);
  const before = await shown(controller, id);
  await expectRefused([creation]);
  await expectRefused(ids);
  expect(await shown(controller, id)).toEqual(before);
});

test('a download is no edit: its certificates stay, and earlier ones do not come back', async () => {
  const [, first = ''] = await changeIds(beginning);
  const next = await newRoot(domain.name);
  domain.server.answer = bundleOf([next], { spiffe_sequence: 2 });
  await passSeconds(controller, 600);
  const since = await lastSeq(controller);
  await refresh(controller, id);
  const [second = ''] = await changeIds(since);
  await expectRefused([second]);
  await expectRefused([first, second]);
  expect(await shown(controller, id)).toMatchObject({
    bundleRoots: pemOf(next),
    bundleState: { sequence: '2' },
  });
});

test('an edit of the endpoint stays, and is undone by a mutation alone', async () => {
  const { url } = domain.input.bundleEndpoint as { url: string };
  const since = await lastSeq(controller);
  await update(controller, 'CertificateAuthority', id, endpoint({ url: `${url}/other` }));
  const ids = await changeIds(since);
  await expectRefused(ids);
  await update(controller, 'CertificateAuthority', id, endpoint({ url }));
  const reversal = await revert(controller, ids);
  expect([reversal.changes, obstaclesOf(reversal)]).toEqual([[], []]);
  expect(await shown(controller, id)).toMatchObject({ isVerified: true, bundleState: null });
});

test('a deleted authority comes back neither with its certificates nor without them', async () => {
  const spiffeId = `spiffe://${domain.name}/web`;
  const input = { name: spiffeId, type: 'Default', isAdmin: false, externalId: spiffeId };
  await controller.create('Identity', input);
  const svid = await newSvid(spiffeId, domain.root);
  expect(await logInBy(controller, [svid])).toBeDefined();
  const since = await lastSeq(controller);
  await removeEntity(controller, 'CertificateAuthority', id);
  await expectRefused(await changeIds(since));
  expect(await logInBy(controller, [svid])).toBeUndefined();
  // A creation of the same trust domain has to download its bundle again.
  const again = await enter(controller, domain);
  expect(await shown(controller, again)).toMatchObject({ isVerified: false, bundleRoots: null });
  expect(await logInBy(controller, [svid])).toBeUndefined();
  await expectRefused(await changeIds(since).then(([deletion = '']) => [deletion]));
});

test('other entities of the same reversal come back', async () => {
  const name = `of-${domain.name}`;
  await idsOfApplied(controller, newService(name));
  const since = await lastSeq(controller);
  await removeEntity(controller, 'CertificateAuthority', id);
  const gone = await idsOfApplied(controller, remove('service', name));
  const reversal = await revert(controller, [...(await changeIds(since)), ...gone]);
  expect(obstaclesOf(reversal)).toEqual(NOT_WRITTEN);
  expect(reversal.changes).toMatchObject([{ operation: 'create', type: 'service', id: name }]);
  await undo(controller, reversal);
});

test('an identity of a first login comes back without its author', async () => {
  await update(controller, 'CertificateAuthority', id, { createsIdentities: true });
  const svid = await newSvid(`spiffe://${domain.name}/new`, domain.root);
  const session = await logInBy(controller, [svid]);
  const gone = await idsOfApplied(controller, remove('identity', String(session?.identityId)));
  const reversal = await revert(controller, gone);
  expect(obstaclesOf(reversal)).toEqual(
    expect.arrayContaining([['Identity', 'NOT_WRITABLE', 'createdByAuthorityId']]),
  );
  await undo(controller, reversal);
  expect(await logInBy(controller, [svid])).toMatchObject({ identityId: session?.identityId });
});
