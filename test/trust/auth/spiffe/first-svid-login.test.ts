import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../../src/base/row.js';
import { sql } from '../../../../src/base/sql.js';
import { removeIdleIdentities } from '../../../../src/trust/auth/index.js';
import { newSvid } from '../../../support/bundle-server.js';
import { callerOf, type InProcess } from '../../../support/in-process.js';
import { settledChange } from '../../../support/settled-change.js';
import { startTwo, type TwoInProcess } from '../../../support/two-in-process.js';
import { remove, update } from '../../../access/enforcement/dialling.js';
import { authPolicy, unique } from '../client.js';
import { contextOf } from '../in-process-logins.js';
import { OutsideSigner } from '../signers.js';
import { logInBy, refusalOf, type SvidSession } from './svid-logins.js';
import { enter, newTrustDomain, refresh, type TestTrustDomain } from './trust-domain.js';

/* The first login by an X509-SVID creates the identity, where the authority says so. */

let both: TwoInProcess;
let controller: InProcess;
let domain: TestTrustDomain;
let authority: string;
let authPolicyId: string;

beforeAll(async () => {
  both = await startTwo({});
  ({ controller } = both);
});
afterAll(() => both.stop());
beforeEach(async () => {
  domain = await newTrustDomain('first');
  authority = await enter(controller, domain);
  await refresh(controller, authority);
  authPolicyId = await controller.create('AuthPolicy', authPolicy({}));
  await change({
    ...{ svidPathTemplate: '/ns/{namespace}/sa/{serviceAccount}', createsIdentities: true },
    ...{ enrollAuthPolicyId: authPolicyId, enrollNameClaimsSelector: 'serviceAccount' },
    ...{ identityRoles: ['workload'], idleHoursBeforeDeletion: 2 },
  });
});

const change = (input: Row): Promise<unknown> =>
  update(controller, 'CertificateAuthority', authority, input);

const idOf = (path: string): string => `spiffe://${domain.name}${path}`;

const svid = async (path: string) => [await newSvid(idOf(path), domain.root)];

const WEB = '/ns/prod/sa/web';

const logIn = async (path = WEB, at = controller): Promise<SvidSession | undefined> =>
  logInBy(at, await svid(path));

interface Shown {
  readonly id: string;
  readonly externalId: string;
}

async function created(): Promise<readonly Shown[]> {
  const { identities } = await controller.read<{ identities: { nodes: Shown[] } }>(
    'query ($filter: String!) { identities(filter: $filter) { nodes { id externalId } } }',
    { filter: `createdByAuthorityId = "${authority}"` },
  );
  return identities.nodes;
}

describe('a first login', () => {
  test('creates the identity with the settings of the authority, and later ones find it', async () => {
    const path = `/ns/prod/sa/${unique('web')}`;
    const first = await logIn(path);
    expect(await logIn(path, both.other)).toMatchObject({ identityId: first?.identityId });
    const { identity } = await controller.read<{ identity: Row }>(
      `query ($id: ID!) { identity(id: $id) { name externalId authPolicyId createdByAuthority { name } isAdmin
        roleAttributes idleHoursBeforeDeletion isPending } }`,
      { id: first?.identityId },
    );
    expect(identity).toEqual({
      ...{ name: path.split('/').at(-1), externalId: idOf(path), authPolicyId, isAdmin: false },
      ...{ createdByAuthority: { name: domain.name }, roleAttributes: ['workload'] },
      ...{ idleHoursBeforeDeletion: 2, isPending: false },
    });
  });

  test('has the authority as its author in the change log', async () => {
    const session = await logIn();
    await settledChange(controller);
    const { changes } = await controller.read<{ changes: { nodes: Row[] } }>(
      `query ($filter: String!) { changes(filter: $filter, first: 10) { nodes { operation actorId reason } } }`,
      { filter: `entityId = "${String(session?.identityId)}"` },
    );
    const reason = expect.stringContaining(domain.name);
    expect(changes.nodes).toEqual([{ operation: 'create', actorId: authority, reason }]);
  });

  test('waits for an approval where the authority says so', async () => {
    await change({ newIdentitiesArePending: true });
    const session = await logIn();
    const { identity } = await controller.read<{ identity: Row }>(
      'query ($id: ID!) { identity(id: $id) { isPending } }',
      { id: session?.identityId },
    );
    expect(identity).toEqual({ isPending: true });
  });

  test('at two controllers at once creates one identity, and all log in', async () => {
    const chain = await svid(WEB);
    const ats = [controller, both.other, controller, both.other];
    const sessions = await Promise.all(ats.map((at) => logInBy(at, chain)));
    const [only, ...more] = await created();
    expect(more).toEqual([]);
    expect(sessions.map((session) => session?.identityId)).toEqual(ats.map(() => only?.id));
  });
});

describe('nothing is created', () => {
  const refuses = async (chain: Awaited<ReturnType<typeof svid>>, refusal: string) => {
    expect(await refusalOf(controller, chain)).toBe(refusal);
    expect(await logInBy(both.other, chain)).toBeUndefined();
    expect(await created()).toEqual([]);
  };

  test('by a path that does not fit the template', async () => {
    await refuses(await svid(`${WEB}/more`), 'UNKNOWN_CERTIFICATE');
  });

  test('where the authority does not say so', async () => {
    await change({ createsIdentities: false });
    await refuses(await svid(WEB), 'UNKNOWN_CERTIFICATE');
  });

  test('by a path that misses a condition', async () => {
    await change({ conditions: [{ claim: 'namespace', values: ['test'], pattern: null }] });
    await refuses(await svid(WEB), 'UNMET_CONDITION');
  });

  test('by an X509-SVID that has ended', async () => {
    const ended = await newSvid(idOf(WEB), domain.root, { isExpired: true });
    await refuses([ended], 'CERTIFICATE_NOT_CURRENT');
  });

  test('by a very long path', async () => {
    await refuses(await svid(`/ns/prod/sa/${'x'.repeat(300)}`), 'UNKNOWN_CERTIFICATE');
  });

  test('if the auth policy does not allow certificates', async () => {
    await update(controller, 'AuthPolicy', authPolicyId, {
      primary: { cert: { allowed: false, allowExpiredCerts: false } },
    });
    await refuses(await svid(WEB), 'CERTIFICATE_NOT_ALLOWED');
  });

  test('if an identity has the id in other upper or lower case', async () => {
    await controller.create('Identity', {
      ...{ name: unique('hand'), type: 'Default', isAdmin: false, externalId: idOf(WEB) },
    });
    await refuses(await svid('/ns/prod/sa/WEB'), 'CLAIM_IN_OTHER_CASE');
  });

  test('beyond the bound of the authority; those who are there log in', async () => {
    await change({ maxCreatedIdentities: 2 });
    const paths = [1, 2, 3].map((index) => `/ns/prod/sa/${unique('w')}-${String(index)}`);
    const ats = [controller, both.other, controller];
    const sessions = await Promise.all(paths.map((path, index) => logIn(path, ats[index])));
    expect(sessions.filter((session) => session === undefined)).toHaveLength(1);
    expect(await created()).toHaveLength(2);
    expect(await refusalOf(controller, await svid(WEB))).toBe('TOO_MANY_IDENTITIES');
    const [one] = await created();
    expect(
      await logIn(String(one?.externalId).replace(`spiffe://${domain.name}`, '')),
    ).toBeDefined();
  });
});

test('an identity that is disabled stays, and its workload stays out', async () => {
  const session = await logIn();
  await controller.read(
    'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 0) { id } }',
    { id: session?.identityId },
  );
  expect(await refusalOf(controller, await svid(WEB))).toBe('IDENTITY_DISABLED');
  expect(await created()).toHaveLength(1);
});

test('an identity without a session for its hours is deleted', async () => {
  const id = String((await logIn())?.identityId);
  const { store } = controller.parts;
  const removeAfterHours = async (): Promise<void> => {
    await store.query(
      sql`update identity set last_used_at = last_used_at - make_interval(hours => 3) where id = ${id}::text`,
    );
    await removeIdleIdentities(controller.anonymous(), () => undefined);
  };
  await removeAfterHours();
  expect(await created()).toHaveLength(1);
  await store.query(sql`delete from api_session where identity_id = ${id}::text`);
  await removeAfterHours();
  expect(await created()).toEqual([]);
});

test('a signer of JWTs does not confirm the identity, unless its auth policy names the signer', async () => {
  const session = await logIn();
  const signer = await OutsideSigner.create(unique('company'));
  const signerId = await controller.create('ExternalJwtSigner', {
    ...{ ...signer.settings, useExternalId: true },
  });
  const byToken = async (): Promise<unknown> => {
    const { data } = await controller.graph(
      'mutation { authenticate(method: "ext-jwt", input: {}) { identityId } }',
      {},
      await contextOf(controller, { authorization: `Bearer ${await signer.jwt(idOf(WEB))}` }),
    );
    return data?.authenticate;
  };
  expect(await byToken()).toBeFalsy();
  await update(controller, 'AuthPolicy', authPolicyId, {
    primary: { extJwt: { allowed: true, allowedSigners: [signerId] } },
  });
  expect(await byToken()).toEqual({ identityId: session?.identityId });
});

test('the identities stay when the authority is deleted, and the next one of the trust domain finds them', async () => {
  const session = await logIn();
  await remove(controller, 'CertificateAuthority', authority);
  expect(await created()).toHaveLength(1);
  expect(await logIn()).toBeUndefined();
  await refresh(controller, await enter(controller, domain));
  expect(await logIn()).toMatchObject({ identityId: session?.identityId });
});

test('a caller who lets first logins create identities could create them', async () => {
  const attempt = async (...permissions: readonly string[]): Promise<unknown> => {
    const { errors } = await controller.graph(
      `mutation ($id: ID!, $input: UpdateCertificateAuthorityInput!) {
        updateCertificateAuthority(id: $id, input: $input) { id } }`,
      { id: authority, input: { maxCreatedIdentities: 5 + permissions.length } },
      controller.ctx(callerOf('writer', ...permissions)),
    );
    return errors[0]?.code;
  };
  expect(await attempt('ca')).toBe('UNAUTHORIZED');
  expect(await attempt('ca', 'identity.create')).toBe('UNAUTHORIZED');
  expect(await attempt('ca', 'identity.create', 'auth-policy.read')).toBeUndefined();
});
