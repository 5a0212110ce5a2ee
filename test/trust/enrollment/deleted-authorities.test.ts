import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { CertificateIssuer } from '../../../src/trust/pki/issue-certificate.js';
import {
  keysOf,
  networkCertificate,
  newAuthority,
  newCsr,
  newKey,
  newLeaf,
  sending,
  withKey,
  type ClientCertificate,
} from '../auth/certificates.js';
import {
  authenticate,
  call,
  outcome,
  runSql,
  sessionIn,
  unique,
  withToken,
} from '../auth/client.js';
import { startController, type TestController } from '../../support/controller.js';
import { addAuthority, addVerified, identityOf, invite, issuedIn } from './enrolling.js';

/* What rests on an authority of others, and ends with it. */

let controller: TestController & { dataDir: string };
let authority: CertificateIssuer;
let caId: string;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());

beforeEach(async () => {
  authority = await newAuthority(unique('CA that goes'));
  caId = await addVerified(controller, authority, {
    isOttCaEnrollmentEnabled: true,
    isAutoCaEnrollmentEnabled: true,
  });
});

const remove = async (id = caId): Promise<void> => {
  expect((await controller.rest('DELETE', `/cas/${id}`)).status).toBe(200);
};
const logIn = (certificate: ClientCertificate) => authenticate(controller, 'cert', { certificate });
const authenticatorsOf = async (id: string): Promise<{ id: string }[]> =>
  (await controller.rest('GET', `/identities/${id}/authenticators`)).body.data;
const isAlive = async (token: string): Promise<boolean> =>
  (await call(controller, 'GET', '/current-api-session', withToken(token))).status === 200;
const newIdentity = (more: object = {}): Promise<string> =>
  controller.create('identities', {
    name: unique('device'),
    type: 'Default',
    isAdmin: false,
    ...more,
  });
const register = (identityId: string, { cert }: ClientCertificate): Promise<string> =>
  controller.create('authenticators', { identityId, method: 'cert', certPem: cert });

/** Somebody who logs in by a certificate that the authority issued. */
interface Holder {
  readonly identityId: string;
  readonly certificate: ClientCertificate;
}

async function byOneTimeToken(): Promise<Holder> {
  const { token, identityId } = await invite(controller, { ottca: caId });
  const certificate = await newLeaf('device', authority);
  const query = `/enroll?method=ottca&token=${token}`;
  expect((await call(controller, 'POST', query, { certificate })).status).toBe(200);
  return { identityId, certificate };
}

async function byItself(): Promise<Holder> {
  const certificate = await newLeaf('device', authority);
  expect((await call(controller, 'POST', '/enroll/ca', { certificate })).status).toBe(200);
  return { identityId: sessionIn(await logIn(certificate)).identityId, certificate };
}

async function byIntermediate(): Promise<Holder> {
  const intermediate = await newAuthority('Intermediate', authority);
  const leaf = await newLeaf('device', intermediate);
  const certificate = sending(leaf, intermediate.cert);
  expect((await call(controller, 'POST', '/enroll/ca', { certificate })).status).toBe(200);
  return { identityId: sessionIn(await logIn(certificate)).identityId, certificate };
}

async function byAdministrator(): Promise<Holder> {
  const identityId = await newIdentity();
  const certificate = await newLeaf('device', authority);
  await register(identityId, certificate);
  return { identityId, certificate };
}

/** Their authenticators are older than the authority, which so is not written down with them. */
async function beforeTheAuthority(): Promise<Holder> {
  authority = await newAuthority(unique('CA that comes late'));
  const holder = await byAdministrator();
  caId = await addVerified(controller, authority);
  return holder;
}

describe('with an authority that is deleted', () => {
  test.each<[string, () => Promise<Holder>]>([
    ['of a one-time token', byOneTimeToken],
    ['of its own enrollment', byItself],
    ['of an intermediate below it', byIntermediate],
    ['of an administrator', byAdministrator],
    ['of an administrator before it was known', beforeTheAuthority],
  ])('ends the authenticator %s, with its sessions', async (_, join) => {
    const { identityId, certificate } = await join();
    const { token, id } = sessionIn(await logIn(certificate));
    expect(await isAlive(token)).toBe(true);
    const [authenticator] = await authenticatorsOf(identityId);
    await remove();
    await expect(authenticatorsOf(identityId)).resolves.toEqual([]);
    expect(await isAlive(token)).toBe(false);
    expect((await controller.rest('GET', `/api-sessions/${id}`)).status).toBe(404);
    expect(outcome(await logIn(certificate))).toEqual([401, 'INVALID_AUTH']);
    expect((await identityOf(controller, identityId)).id).toBe(identityId);
    await expect(logged(caId)).resolves.toEqual(
      expect.arrayContaining([
        `delete Authenticator ${String(authenticator?.id)}`,
        `delete ApiSession ${id}`,
        `delete CertificateAuthority ${caId}`,
      ]),
    );
  });

  /** What the transaction that deleted an entity did. */
  async function logged(id: string): Promise<string[]> {
    const rows = await runSql(
      controller,
      `select operation || ' ' || entity_type || ' ' || entity_id as entry from change
        where (epoch, xid) in (select epoch, xid from change where entity_id = $1 and operation = 'delete')`,
      [id],
    );
    return rows.map(({ entry }) => String(entry));
  }

  test('ends sessions of identities that it names by external id', async () => {
    authority = await newAuthority(unique('CA of external ids'));
    caId = await addVerified(controller, authority, {
      externalIdClaim: { location: 'COMMON_NAME', matcher: 'ALL', parser: 'NONE', index: 0 },
    });
    const externalId = unique('external');
    await newIdentity({ externalId });
    const certificate = await newLeaf(externalId, authority);
    const { token, authenticatorId } = sessionIn(await logIn(certificate));
    expect(authenticatorId).toBe('internal');
    await remove();
    expect(await isAlive(token)).toBe(false);
    expect(outcome(await logIn(certificate))).toEqual([401, 'INVALID_AUTH']);
  });

  test('ends the enrollments that name it', async () => {
    const { token, identityId } = await invite(controller, { ottca: caId });
    await remove();
    expect((await identityOf(controller, identityId)).enrollment).toEqual({});
    const certificate = await newLeaf('device', authority);
    const answer = await call(controller, 'POST', `/enroll?method=ottca&token=${token}`, {
      certificate,
    });
    expect(outcome(answer)).toEqual([404, 'INVALID_ENROLLMENT_TOKEN']);
  });

  test('ends nothing of others', async () => {
    const other = await newAuthority(unique('CA that stays'));
    await addVerified(controller, other);
    const held = await newLeaf('other', other);
    const ofOther = await newIdentity();
    await register(ofOther, held);
    const invited = await invite(controller, { ott: true });
    const key = newKey();
    const enrolled = issuedIn(
      await call(controller, 'POST', `/enroll?token=${invited.token}`, {
        body: { clientCsr: await newCsr(key) },
      }),
    );
    await remove();
    expect(sessionIn(await logIn(held)).identityId).toBe(ofOther);
    expect(sessionIn(await logIn(withKey(enrolled.cert, key))).identityId).toBe(invited.identityId);
  });

  test('ends nothing of the network, should it be one of ours', async () => {
    const { signer } = await keysOf(controller);
    const identityId = await newIdentity();
    const certificate = await networkCertificate(await keysOf(controller), identityId);
    await register(identityId, { ...certificate, cert: certificate.leaf });
    await remove(await addAuthority(controller, signer));
    expect(sessionIn(await logIn(certificate)).identityId).toBe(identityId);
  });

  test('lets in nobody who joins at the same time', async () => {
    const invitations = await Promise.all([1, 2, 3].map(() => invite(controller, { ottca: caId })));
    const leaves = await Promise.all(invitations.map(() => newLeaf('device', authority)));
    const answers = await Promise.all([
      ...invitations.map(({ token }, n) =>
        call(controller, 'POST', `/enroll?method=ottca&token=${token}`, {
          certificate: leaves[n],
        }),
      ),
      controller.rest('DELETE', `/cas/${caId}`),
    ]);
    // Whoever holds what the other waits for is asked to come again.
    for (const { status } of answers) expect([200, 400, 404, 503]).toContain(status);
    if (answers.at(-1)?.status !== 200) await remove();
    for (const { identityId } of invitations) {
      await expect(authenticatorsOf(identityId)).resolves.toEqual([]);
    }
    for (const leaf of leaves) expect((await logIn(leaf)).status).toBe(401);
  });
});

describe('an authority that may not vouch for logins any more', () => {
  test('lets nobody in, and does again when it may', async () => {
    const { certificate, identityId } = await byOneTimeToken();
    await controller.rest('PATCH', `/cas/${caId}`, { isAuthEnabled: false });
    expect(outcome(await logIn(certificate))).toEqual([401, 'INVALID_AUTH']);
    await controller.rest('PATCH', `/cas/${caId}`, { isAuthEnabled: true });
    expect(sessionIn(await logIn(certificate)).identityId).toBe(identityId);
  });
});

describe('the graph', () => {
  test('shows which authority issued a certificate, and vouched for a session', async () => {
    const { identityId, certificate } = await byAdministrator();
    const { id } = sessionIn(await logIn(certificate));
    const { data } = await controller.graphql(
      `query ($id: ID!, $session: ID!) {
        identity(id: $id) { authenticatorsConnection { nodes { caId ca { id } } } }
        apiSession(id: $session) { ca { id } }
      }`,
      { id: identityId, session: id },
    );
    expect(data).toEqual({
      identity: { authenticatorsConnection: { nodes: [{ caId, ca: { id: caId } }] } },
      apiSession: { ca: { id: caId } },
    });
  });
});
