import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { originOf } from '../../../src/kernel/write/write.js';
import { oneJoinsAtATime } from '../../../src/trust/auth/index.js';
import { eventually } from '../../support/eventually.js';
import { InProcessRest, type InProcess } from '../../support/in-process.js';
import { settledChange } from '../../support/settled-change.js';
import { startTwo, type TwoInProcess } from '../../support/two-in-process.js';
import { authPolicy, unique } from './client.js';
import { contextOf, inSession } from './in-process-logins.js';
import { OutsideSigner } from './signers.js';

/* The first login by a token of an identity provider creates the identity, where the signer says so. */

let both: TwoInProcess;
let controller: InProcess;
let rest: InProcessRest;
let signer: OutsideSigner;
let signerId: string;
let authPolicyId: string;
/** The claim of somebody for whom there is no identity. */
let claim: string;

beforeAll(async () => {
  both = await startTwo({});
  ({ controller } = both);
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await both.stop();
});
beforeEach(async () => {
  signer = await OutsideSigner.create(unique('company'));
  authPolicyId = await controller.create('AuthPolicy', authPolicy({}));
  claim = unique('Person');
  signerId = await newSigner(signer);
});

const newSigner = (outside: OutsideSigner, settings: Row = {}): Promise<string> =>
  controller.create('ExternalJwtSigner', {
    ...outside.settings,
    ...{ useExternalId: true, createsIdentities: true, enrollAuthPolicyId: authPolicyId },
    ...settings,
  });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

interface Session {
  readonly id: string;
  readonly grantedAdmin: boolean;
  readonly identity: { readonly id: string; readonly name: string };
}

const LOGIN = `mutation { authenticate(method: "ext-jwt", input: {}) {
  id grantedAdmin identity { id name } } }`;

/** The session of a login by a token, or the code of the refusal. */
async function sessionBy(token: string, at = controller): Promise<Session | string | undefined> {
  const { data, errors } = await at.graph(LOGIN, {}, await contextOf(at, bearer(token)));
  return errors.length > 0 ? errors[0]?.code : (data?.authenticate as Session);
}

async function logIn(claims: Row = {}, by = signer, at = controller): Promise<Session> {
  const session = await sessionBy(await by.jwt(claim, claims), at);
  if (typeof session !== 'object') throw new Error(`login: ${String(session)}`);
  return session;
}

const update = (type: string, id: string, input: Row) =>
  controller.read(
    `mutation ($id: ID!, $input: Update${type}Input!) { update${type}(id: $id, input: $input) { id } }`,
    { id, input },
  );

const remove = (type: string, id: string) =>
  controller.read(`mutation ($id: ID!) { delete${type}(id: $id) }`, { id });

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly externalId: string | null;
}

async function identitiesWhere(filter: string): Promise<readonly Shown[]> {
  const { identities } = await controller.read<{ identities: { nodes: Shown[] } }>(
    'query ($filter: String!) { identities(filter: $filter, first: 100) { nodes { id name externalId } } }',
    { filter },
  );
  return identities.nodes;
}

const created = (by = signerId): Promise<readonly Shown[]> =>
  identitiesWhere(`createdBySignerId = "${by}"`);

async function preview(token: string): Promise<Row> {
  const { previewExternalJwt } = await controller.read<{ previewExternalJwt: Row }>(
    'query ($token: String!) { previewExternalJwt(token: $token) { refusal identityId createsIdentity } }',
    { token },
  );
  return previewExternalJwt;
}

describe('a first login', () => {
  test('creates the identity with the settings of the signer, and later ones find it', async () => {
    const first = await logIn();
    const again = await logIn({}, signer, both.other);
    expect(again.identity).toEqual(first.identity);
    const { identity } = await controller.read<{ identity: Row }>(
      `query ($id: ID!) { identity(id: $id) { name externalId authPolicyId createdBySigner { name } isAdmin permissions
        effectiveRoleAttributes disabled enrollments { totalCount } authenticatorsConnection { totalCount } } }`,
      { id: first.identity.id },
    );
    expect(identity).toEqual({
      ...{ name: claim, externalId: claim, authPolicyId, isAdmin: false, permissions: [] },
      ...{ createdBySigner: { name: signer.issuer }, effectiveRoleAttributes: [] },
      ...{ disabled: false, enrollments: { totalCount: 0 } },
      authenticatorsConnection: { totalCount: 0 },
    });
  });

  test('does the same over REST', async () => {
    const path = '/edge/client/v1/authenticate?method=ext-jwt';
    const headers = { ...bearer(await signer.jwt(claim)), 'zt-session': '' };
    const { status } = await rest.send('POST', path, {}, headers);
    expect([status, (await created()).map(({ externalId }) => externalId)]).toEqual([200, [claim]]);
  });

  test('waits for an approval where the signer says so, and has no rights until then', async () => {
    const claims = { groups: ['root'] };
    await update('ExternalJwtSigner', signerId, {
      ...{ newIdentitiesArePending: true },
      adminClaims: [{ claim: 'groups', values: ['root'], isAdmin: true, permissions: [] }],
    });
    const { data } = await controller.graph(
      'mutation { authenticate(method: "ext-jwt", input: {}) { token identity { id } } }',
      {},
      await contextOf(controller, bearer(await signer.jwt(claim, claims))),
    );
    const { token, identity } = data?.authenticate as { token: string; identity: Row };
    const { identity: waiting } = await controller.read<{ identity: Row }>(
      'query ($id: ID!) { identity(id: $id) { isPending } }',
      { id: identity.id },
    );
    expect(waiting).toEqual({ isPending: true });
    const isAdmin = async () => (await inSession(controller, token)).caller?.isAdmin;
    expect(await isAdmin()).toBe(false);
    await controller.read('mutation ($id: ID!) { approveIdentity(id: $id) { id } }', {
      id: identity.id,
    });
    expect(await isAdmin()).toBe(true);
  });

  test('has the signer as its author in the change log', async () => {
    const { identity } = await logIn();
    await settledChange(controller);
    const { changes } = await controller.read<{ changes: { nodes: Row[] } }>(
      `query ($filter: String!) { changes(filter: $filter, first: 10) { nodes { operation actorId apiSessionId reason } } }`,
      { filter: `entityId = "${identity.id}"` },
    );
    expect(changes.nodes).toEqual([
      {
        ...{ operation: 'create', actorId: signerId, apiSessionId: null },
        reason: expect.stringContaining(signer.issuer),
      },
    ]);
  });

  test('gives role attributes and rights as each login does, and none of them to stay', async () => {
    const prefix = `${unique('idp')}:`;
    await update('ExternalJwtSigner', signerId, {
      ...{ roleAttributeClaims: ['groups'], roleAttributePrefix: prefix },
      adminClaims: [{ claim: 'groups', values: ['root'], isAdmin: true, permissions: [] }],
    });
    const { identity, grantedAdmin } = await logIn({ groups: ['root'] });
    expect(grantedAdmin).toBe(true);
    const shown = await controller.read<{ identity: Row }>(
      'query ($id: ID!) { identity(id: $id) { isAdmin roleAttributes effectiveRoleAttributes } }',
      { id: identity.id },
    );
    expect(shown.identity).toEqual({
      ...{ isAdmin: false, roleAttributes: [] },
      effectiveRoleAttributes: [`${prefix}root`],
    });
    expect((await logIn()).grantedAdmin).toBe(false);
  });

  test('at two controllers at once creates one identity, and both log in', async () => {
    const token = await signer.jwt(claim);
    const sessions = await Promise.all(
      [controller, both.other, controller, both.other].map((at) => sessionBy(token, at)),
    );
    const ids = sessions.map((session) =>
      typeof session === 'object' ? session.identity.id : session,
    );
    expect(new Set(ids)).toEqual(new Set((await created()).map(({ id }) => id)));
    expect(await created()).toHaveLength(1);
  });

  test('of claims that differ in the case alone, at once, creates one identity', async () => {
    const tokens = [await signer.jwt(claim), await signer.jwt(claim.toLowerCase())];
    const sessions = await Promise.all([
      sessionBy(String(tokens[0])),
      sessionBy(String(tokens[1]), both.other),
    ]);
    expect(sessions.filter((session) => session === 'UNAUTHORIZED')).toHaveLength(1);
    expect(await created()).toHaveLength(1);
  });
});

/** Those that wait for the lock of identities that join. */
const WAITING = sql`select pid from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())`;

describe('nothing is created', () => {
  const refuses = async (token: string, refusal: string): Promise<void> => {
    expect(await preview(token)).toMatchObject({ refusal, createsIdentity: false });
    expect(await sessionBy(token)).toBe('UNAUTHORIZED');
    expect(await created()).toEqual([]);
  };

  test.each<[string, (thief: OutsideSigner) => Promise<string>, string]>([
    [
      'with the signature of another',
      (thief) => thief.jwt(claim, { iss: signer.issuer }, { kid: signer.kid }),
      'WRONG_SIGNATURE',
    ],
    ['for another audience', () => signer.jwt(claim, { aud: 'other' }), 'WRONG_AUDIENCE'],
    ['that has expired', () => signer.jwt(claim, {}, { expiresIn: -3_600 }), 'EXPIRED_TOKEN'],
    ['with NUL in the claim', () => signer.jwt('a\0b'), 'UNKNOWN_CLAIM'],
    ['with a blank claim', () => signer.jwt('  '), 'UNKNOWN_CLAIM'],
    ['with a very long claim', () => signer.jwt('x'.repeat(300)), 'UNKNOWN_CLAIM'],
  ])('by a token %s', async (_, token, refusal) => {
    await refuses(await token(await OutsideSigner.create(unique('thief'))), refusal);
  });

  test('by a token that misses a condition', async () => {
    const conditions = [{ claim: 'realm', values: ['staff'], pattern: null }];
    await update('ExternalJwtSigner', signerId, { conditions });
    await refuses(await signer.jwt(claim, { realm: 'guests' }), 'UNMET_CONDITION');
  });

  test('by a signer that is not enabled, or does not say so', async () => {
    await update('ExternalJwtSigner', signerId, { createsIdentities: false });
    await refuses(await signer.jwt(claim), 'UNKNOWN_CLAIM');
    await update('ExternalJwtSigner', signerId, { createsIdentities: true, enabled: false });
    await refuses(await signer.jwt(claim), 'UNKNOWN_ISSUER');
  });

  test('by a signer that changes between the check of the token and the creation', async () => {
    const token = await signer.jwt(claim);
    const { store } = both.other.parts;
    const login = await store.write(originOf(both.other.ctx()), async (tx) => {
      await oneJoinsAtATime(tx);
      const waiting = sessionBy(token);
      await eventually(async () => {
        expect(await store.query(WAITING)).toHaveLength(1);
      });
      const conditions = [{ claim: 'realm', values: ['staff'], pattern: null }];
      await update('ExternalJwtSigner', signerId, { conditions });
      return { waiting };
    });
    expect(await login.waiting).toBe('INVALID_AUTH');
    expect(await created()).toEqual([]);
  });

  test('if the auth policy does not allow the signer', async () => {
    const other = await newSigner(await OutsideSigner.create(unique('other')));
    await update('AuthPolicy', authPolicyId, {
      primary: { extJwt: { allowed: true, allowedSigners: [other] } },
    });
    await refuses(await signer.jwt(claim), 'SIGNER_NOT_ALLOWED');
    await update('AuthPolicy', authPolicyId, {
      primary: { extJwt: { allowed: false, allowedSigners: [] } },
    });
    await refuses(await signer.jwt(claim), 'SIGNER_NOT_ALLOWED');
  });

  test('if an identity has the claim in other upper or lower case', async () => {
    await controller.create('Identity', {
      ...{ name: unique('hand'), type: 'Default', isAdmin: false },
      externalId: claim.toLowerCase(),
    });
    await refuses(await signer.jwt(claim), 'CLAIM_IN_OTHER_CASE');
  });

  test('by a second factor that names nobody', async () => {
    const secondary = { requireExtJwtSigner: signerId };
    const policy = await controller.create('AuthPolicy', authPolicy({ secondary }));
    const id = await controller.create('Identity', {
      ...{ name: unique('ada'), type: 'Default', isAdmin: false, authPolicyId: policy },
    });
    const { token } = await controller.openSession(id);
    const { caller } = await inSession(controller, token, bearer(await signer.jwt(claim)));
    expect(caller?.authQueries).toHaveLength(1);
    expect(await created()).toEqual([]);
  });

  test('by an enrollment that the signer does not allow', async () => {
    const ctx = await contextOf(controller, bearer(await signer.jwt(claim)));
    const enroll = 'mutation { enroll(method: "token", input: {}) { cert } }';
    const { errors } = await controller.graph(enroll, {}, ctx);
    expect(errors[0]?.code).toBe('INVALID_ENROLLMENT_NOT_ALLOWED');
    expect(await created()).toEqual([]);
  });

  test('by a preview, which says that a login would do it', async () => {
    expect(await preview(await signer.jwt(claim))).toEqual({
      ...{ refusal: null, identityId: null, createsIdentity: true },
    });
    expect(await created()).toEqual([]);
    const { identity } = await logIn();
    expect(await preview(await signer.jwt(claim))).toEqual({
      ...{ refusal: null, identityId: identity.id, createsIdentity: false },
    });
  });

  test('beyond the bound of the signer; those who are there log in', async () => {
    await update('ExternalJwtSigner', signerId, { maxCreatedIdentities: 2 });
    const first = await logIn();
    const claims = [1, 2, 3].map(() => unique('stranger'));
    const tokens = await Promise.all(claims.map((each) => signer.jwt(each)));
    const ats = [controller, both.other, controller];
    const sessions = await Promise.all(tokens.map((token, i) => sessionBy(token, ats[i])));
    expect(sessions.filter((session) => session === 'UNAUTHORIZED')).toHaveLength(2);
    expect(await created()).toHaveLength(2);
    expect((await logIn()).identity).toEqual(first.identity);
    claim = unique('late');
    const token = await signer.jwt(claim);
    expect((await preview(token)).refusal).toBe('TOO_MANY_IDENTITIES');
    await remove('Identity', first.identity.id);
    expect((await logIn()).identity.name).toBe(claim);
  });

  test('against an access rule, of which the client learns nothing', async () => {
    const present = await identitiesWhere('true');
    const serviceId = await controller.create('Service', {
      ...{ name: unique('news'), encryptionRequired: true, roleAttributes: [] },
    });
    const ofService = { type: 'Dial', semantic: 'AnyOf', serviceRoles: [`@${serviceId}`] };
    const identityRoles = present.map(({ id }) => `@${id}`);
    await controller.create('ServicePolicy', { name: unique('p'), ...ofService, identityRoles });
    const ruleId = await controller.create('AccessRule', {
      ...{ name: unique('rule'), kind: 'MUST_REACH', ...ofService, identityRoles: ['#all'] },
    });
    expect(await sessionBy(await signer.jwt(claim))).toBe('UNAUTHORIZED');
    expect(await created()).toEqual([]);
    await remove('AccessRule', ruleId);
    expect((await logIn()).identity.name).toBe(claim);
  });
});

describe('the token of another signer with the same claim', () => {
  test('neither logs in as the identity nor creates one, unless the auth policy names the signer', async () => {
    const { identity } = await logIn();
    const other = await OutsideSigner.create(unique('other'));
    const otherId = await newSigner(other);
    expect(await sessionBy(await other.jwt(claim))).toBe('UNAUTHORIZED');
    expect((await preview(await other.jwt(claim))).refusal).toBe('SIGNER_NOT_ALLOWED');
    expect(await created(otherId)).toEqual([]);
    const extJwt = { allowed: true, allowedSigners: [signerId, otherId] };
    await update('AuthPolicy', authPolicyId, { primary: { extJwt } });
    expect((await logIn({}, other)).identity).toEqual(identity);
  });

  test('does not log in after the first signer was deleted, and its successor does not either', async () => {
    await logIn();
    await remove('ExternalJwtSigner', signerId);
    expect(await identitiesWhere(`externalId = "${claim}"`)).toHaveLength(1);
    const successor = await newSigner(signer);
    expect(await sessionBy(await signer.jwt(claim))).toBe('UNAUTHORIZED');
    expect(await created(successor)).toEqual([]);
  });
});

describe('the name', () => {
  const named = (name: unknown) => logIn({ profile: { name } });

  beforeEach(async () => {
    await update('ExternalJwtSigner', signerId, { enrollNameClaimsSelector: 'profile/name' });
  });

  test('comes from the claim of the signer', async () => {
    const name = unique('Grace Hopper');
    expect((await named(` ${name} `)).identity.name).toBe(name);
  });

  test.each<[string, unknown]>([
    ['missing', undefined],
    ['blank', ' '],
    ['very long', 'x'.repeat(300)],
    ['with NUL', 'a\0b'],
    ['an object', { first: 'Grace' }],
  ])('is the external id if it is %s', async (_, name) => {
    expect((await named(name)).identity.name).toBe(claim);
  });

  test('of somebody else gets the id behind it, and the other one stays as it is', async () => {
    const [admin] = await identitiesWhere('isDefaultAdmin = true');
    const { identity } = await named(admin?.name);
    expect(identity.name).toBe(`${String(admin?.name)} (${identity.id})`);
    expect(identity.id).not.toBe(admin?.id);
    expect(await identitiesWhere('isDefaultAdmin = true')).toEqual([admin]);
  });
});

describe('an administrator', () => {
  test('who deletes the identity makes the next login create another one', async () => {
    const { identity } = await logIn();
    await remove('Identity', identity.id);
    const again = await logIn();
    expect(again.identity.id).not.toBe(identity.id);
  });

  test('who disables the identity keeps its owner out', async () => {
    const { identity } = await logIn();
    await controller.read(
      'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 0) { id } }',
      {
        id: identity.id,
      },
    );
    expect(await sessionBy(await signer.jwt(claim))).toBe('UNAUTHORIZED');
    expect(await created()).toHaveLength(1);
  });
});
