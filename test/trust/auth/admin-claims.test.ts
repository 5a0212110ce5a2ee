import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import type { RequestContext } from '../../../src/kernel/request/context.js';
import { callerOf, InProcess, InProcessRest, type GraphAnswer } from '../../support/in-process.js';
import { unique } from './client.js';
import { contextOf, inSession } from './in-process-logins.js';
import { OutsideSigner } from './signers.js';

/* Claims of company tokens give rights in management, to the session of the login alone. */

let controller: InProcess;
let rest: InProcessRest;
let signer: OutsideSigner;
let signerId: string;
let ada: string;

const RULES = [
  { claim: '/realm/groups', values: ['network-admins', 'owners'], isAdmin: true },
  { claim: 'groups', values: ['helpdesk'], permissions: ['service.read', 'identity'] },
];
const ADMIN = { realm: { groups: ['staff', 'owners'] } };
const HELPDESK = { groups: ['helpdesk'] };

beforeAll(async () => {
  controller = await InProcess.start();
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
});
beforeEach(async () => {
  signer = await OutsideSigner.create(unique('company'));
  signerId = await newSigner(signer);
  ada = await newIdentity();
});

const newSigner = (outside: OutsideSigner, adminClaims: Row[] = RULES): Promise<string> =>
  controller.create('ExternalJwtSigner', { ...outside.settings, adminClaims });

const newIdentity = (input: Row = {}): Promise<string> =>
  controller.create('Identity', {
    ...{ name: unique('person'), type: 'Default', isAdmin: false },
    ...input,
  });

const LOGIN = 'mutation { authenticate(method: "ext-jwt", input: {}) { id token } }';

async function logIn(claims: Row, by = signer): Promise<string> {
  const authorization = `Bearer ${await by.jwt(ada, claims)}`;
  const ctx = await contextOf(controller, { authorization });
  const { authenticate } = await controller.read<{ authenticate: { token: string } }>(
    LOGIN,
    {},
    ctx,
  );
  return authenticate.token;
}

const inSessionOf = (token: string, more: Record<string, string> = {}): Promise<RequestContext> =>
  inSession(controller, token, more);

interface Rights {
  readonly isAdmin: boolean;
  readonly permissions: readonly string[];
}

const NONE: Rights = { isAdmin: false, permissions: [] };
const ALL: Rights = { isAdmin: true, permissions: [] };
const SOME: Rights = { isAdmin: false, permissions: ['identity', 'service.read'] };

/** The rights of a session as its requests have them and as it sees them; undefined once it has ended. */
async function rightsIn(token: string): Promise<Rights | undefined> {
  const ctx = await inSessionOf(token);
  if (!ctx.caller) return undefined;
  const { isAdmin, permissions } = ctx.caller;
  const own = await controller.read<{ currentIdentity: Rights; currentApiSession: Row }>(
    `{ currentIdentity { isAdmin permissions }
       currentApiSession { grantedAdmin grantedPermissions } }`,
    {},
    ctx,
  );
  expect(own.currentIdentity).toEqual({ isAdmin, permissions: [...permissions].sort() });
  const { body } = await rest.send('GET', '/edge/management/v1/current-identity', undefined, {
    'zt-session': token,
  });
  expect(body.data).toMatchObject({ isAdmin, permissions: [...permissions].sort() });
  return { isAdmin, permissions };
}

const update = (input: Row, ctx = controller.ctx(), id = signerId): Promise<GraphAnswer> =>
  controller.graph(
    `mutation ($id: ID!, $input: UpdateExternalJwtSignerInput!) {
      updateExternalJwtSigner(id: $id, input: $input) { id } }`,
    { id, input },
    ctx,
  );

async function readRules(): Promise<unknown> {
  const { externalJwtSigner } = await controller.read<{ externalJwtSigner: Row }>(
    `query ($id: ID!) { externalJwtSigner(id: $id) {
      adminClaims { claim values isAdmin permissions } } }`,
    { id: signerId },
  );
  return externalJwtSigner.adminClaims;
}

describe('a login', () => {
  test.each<[string, Row, Rights]>([
    ['by a group of administrators', ADMIN, ALL],
    ['by a group with some permissions', HELPDESK, SOME],
    ['by both', { ...ADMIN, ...HELPDESK }, { ...SOME, isAdmin: true }],
    ['by another group', { groups: ['staff'], realm: { groups: ['staff'] } }, NONE],
    ['by a group in other letters', { realm: { groups: ['Owners'] } }, NONE],
    ['by the claim at another place', { groups: ['owners'], 'realm/groups': ['owners'] }, NONE],
    ['by a part of the text', { realm: { groups: 'network-admins-emeriti' } }, NONE],
    ['by an object', { realm: { groups: { owners: true } } }, NONE],
    ['without claims', {}, NONE],
  ])('%s', async (_, claims, rights) => {
    expect(await rightsIn(await logIn(claims))).toEqual(rights);
  });

  test('adds to the permissions that the identity has, and leaves the identity as it is', async () => {
    ada = await newIdentity({ permissions: ['config', 'identity'] });
    const token = await logIn(HELPDESK);
    expect(await rightsIn(token)).toEqual({
      isAdmin: false,
      permissions: ['config', 'identity', 'service.read'],
    });
    const { identity } = await controller.read<{ identity: Row }>(
      'query ($id: ID!) { identity(id: $id) { isAdmin permissions } }',
      { id: ada },
    );
    expect(identity).toEqual({ isAdmin: false, permissions: ['config', 'identity'] });
  });

  test('lets the session write, as far as its rights go', async () => {
    const create = (token: string, name: string): Promise<GraphAnswer> =>
      inSessionOf(token).then((ctx) =>
        controller.graph(
          `mutation ($name: String!) { createService(input: { name: $name, encryptionRequired: true }) { id } }`,
          { name },
          ctx,
        ),
      );
    const name = unique('service');
    expect((await create(await logIn(HELPDESK), name)).errors).toMatchObject([
      { code: 'UNAUTHORIZED' },
    ]);
    expect((await create(await logIn({}), name)).errors).toMatchObject([{ code: 'UNAUTHORIZED' }]);
    expect((await create(await logIn(ADMIN), name)).errors).toEqual([]);
  });

  test('is in the change log with what it gave', async () => {
    await logIn(HELPDESK);
    const [logged] = await controller.parts.store.query(
      sql<{ after: Row }>`select after from change where entity_type = 'ApiSession'
        and operation = 'create' and actor_id = ${ada}::text`,
    );
    expect(logged?.after).toMatchObject({
      authenticatorId: `extJwtId:${signerId}`,
      grantedAdmin: false,
      grantedPermissions: SOME.permissions,
    });
  });

  test('costs no statement more where the signer has no rules', async () => {
    const plain = await OutsideSigner.create(unique('plain'));
    const plainId = await newSigner(plain, []);
    const statements = async (): Promise<number> => {
      const authorization = `Bearer ${await plain.jwt(ada, ADMIN)}`;
      const ctx = await contextOf(controller, { authorization });
      return (await controller.graph(LOGIN, {}, ctx)).statements;
    };
    await statements();
    const before = await statements();
    await update({ adminClaims: RULES }, controller.ctx(), plainId);
    await statements();
    // One reads the earlier sessions, and one or two end one of them.
    expect(await statements()).toBeGreaterThan(before);
    const token = await logIn(ADMIN);
    await inSessionOf(token);
    const { statements: asked } = await controller.graph(
      '{ version { version } }',
      {},
      await inSessionOf(token),
    );
    expect(asked).toBe(0);
  });
});

describe('the rights end', () => {
  test('with a later token that does not give them, in all sessions of the signer', async () => {
    const [admin, helpdesk] = [await logIn({ ...ADMIN, ...HELPDESK }), await logIn(HELPDESK)];
    expect(await rightsIn(admin)).toBeUndefined();
    expect(await rightsIn(helpdesk)).toEqual(SOME);
    const again = await logIn(ADMIN);
    expect([await rightsIn(helpdesk), await rightsIn(again)]).toEqual([SOME, ALL]);
    const none = await logIn({});
    expect([await rightsIn(helpdesk), await rightsIn(again)]).toEqual([undefined, undefined]);
    expect(await rightsIn(none)).toEqual(NONE);
  });

  test('not by the token of another signer, or of another identity', async () => {
    const token = await logIn(ADMIN);
    const other = await OutsideSigner.create(unique('partner'));
    await newSigner(other);
    await logIn({}, other);
    const first = ada;
    ada = await newIdentity();
    await logIn({});
    ada = first;
    expect(await rightsIn(token)).toEqual(ALL);
  });

  test.each<[string, Row]>([
    ['a rule is gone', { adminClaims: [RULES[0]] }],
    ['all rules are gone', { adminClaims: [] }],
    ['a rule has other values', { adminClaims: [RULES[0], { ...RULES[1], values: ['other'] }] }],
    ['a rule gives less', { adminClaims: [RULES[0], { ...RULES[1], permissions: ['service'] }] }],
    ['the signer is disabled', { enabled: false }],
    ['the signer is not trusted any more', { trustedForManagement: false }],
  ])('at once when %s', async (_, input) => {
    const [helpdesk, none] = [await logIn(HELPDESK), await logIn(HELPDESK)];
    expect((await update(input)).errors).toEqual([]);
    expect([await rightsIn(helpdesk), await rightsIn(none)]).toEqual([undefined, undefined]);
  });

  test('at once when the signer is deleted', async () => {
    const token = await logIn(ADMIN);
    await controller.read('mutation ($id: ID!) { deleteExternalJwtSigner(id: $id) }', {
      id: signerId,
    });
    expect(await rightsIn(token)).toBeUndefined();
  });

  test('not when rules are added, or something else changes', async () => {
    const token = await logIn(ADMIN);
    await update({ adminClaims: [...RULES, { claim: 'x', values: ['y'], permissions: ['ca'] }] });
    await update({ scopes: ['openid', 'groups'] });
    expect(await rightsIn(token)).toEqual(ALL);
  });

  test('with those of sessions that have none, which go on', async () => {
    const none = await logIn({});
    await update({ adminClaims: [] });
    expect(await rightsIn(none)).toEqual(NONE);
  });
});

describe('an attacker', () => {
  test('who is no administrator can not write rules, nor give a signer with rules other keys', async () => {
    const ctx = (): RequestContext =>
      controller.ctx(callerOf(ada, 'external-jwt-signer', 'identity', 'auth-policy', 'config'));
    const own = await OutsideSigner.create(unique('attacker'));
    const created = await controller.graph(
      `mutation ($input: CreateExternalJwtSignerInput!) {
        createExternalJwtSigner(input: $input) { id } }`,
      { input: { ...own.settings, adminClaims: [RULES[0]] } },
      ctx(),
    );
    expect(created.errors).toMatchObject([{ code: 'UNAUTHORIZED' }]);
    for (const adminClaims of [[], [RULES[0]], [...RULES, { ...RULES[0], values: ['me'] }]]) {
      const { errors } = await update({ adminClaims }, ctx());
      expect(errors).toMatchObject([{ code: 'UNAUTHORIZED' }]);
    }
    const before = await logIn(ADMIN);
    const { certPem, kid } = own.settings;
    expect((await update({ certPem, kid }, ctx())).errors).toEqual([]);
    expect(await rightsIn(before)).toBeUndefined();
    const forged = await own.jwt(ada, { ...ADMIN, iss: signer.issuer });
    const login = await contextOf(controller, { authorization: `Bearer ${forged}` });
    const { authenticate } = await controller.read<{ authenticate: { token: string } }>(
      LOGIN,
      {},
      login,
    );
    expect(await rightsIn(authenticate.token)).toEqual(NONE);
  });

  test('gets nothing by a token of a signer without rules, or of keys of somebody else', async () => {
    const other = await OutsideSigner.create(unique('partner'));
    await newSigner(other, []);
    expect(await rightsIn(await logIn(ADMIN, other))).toEqual(NONE);
    const forged = await other.jwt(ada, { ...ADMIN, iss: signer.issuer }, { kid: signer.kid });
    const ctx = await contextOf(controller, { authorization: `Bearer ${forged}` });
    expect((await controller.graph(LOGIN, {}, ctx)).errors).toMatchObject([
      { code: 'UNAUTHORIZED' },
    ]);
  });

  test('gets nothing by a token beside a session, or by a token alone', async () => {
    const { token } = await controller.openSession(ada);
    const authorization = `Bearer ${await signer.jwt(ada, ADMIN)}`;
    const { caller } = await inSessionOf(token, { authorization });
    expect(caller).toMatchObject(NONE);
    expect((await contextOf(controller, { authorization })).caller).toBeUndefined();
  });

  test('gets no second signer with the issuer of the first', async () => {
    const twin = await OutsideSigner.create(signer.issuer);
    await expect(
      controller.create('ExternalJwtSigner', { ...twin.settings, name: unique('twin') }),
    ).rejects.toMatchObject({ code: 'COULD_NOT_VALIDATE' });
  });
});

describe('the rules of a signer', () => {
  test.each<[string, Row]>([
    ['no claim', { values: ['x'], isAdmin: true }],
    ['an empty claim', { claim: '', values: ['x'], isAdmin: true }],
    ['no values', { claim: 'groups', values: [], isAdmin: true }],
    ['an empty value', { claim: 'groups', values: [''], isAdmin: true }],
    ['no rights', { claim: 'groups', values: ['x'] }],
    ['an unknown permission', { claim: 'groups', values: ['x'], permissions: ['everything'] }],
    ['the permission admin', { claim: 'groups', values: ['x'], permissions: ['admin'] }],
  ])('are refused with %s', async (_, rule) => {
    await expect(
      newSigner(await OutsideSigner.create(unique('wrong')), [rule]),
    ).rejects.toMatchObject({ code: 'COULD_NOT_VALIDATE' });
  });

  test('stay when an older client writes the signer back over REST', async () => {
    const before = await readRules();
    const path = `/edge/management/v1/external-jwt-signers/${signerId}`;
    const { body } = await rest.send('GET', path);
    const { adminClaims, ...older } = body.data as unknown as Row;
    expect(adminClaims).toHaveLength(RULES.length);
    for (const method of ['PUT', 'PATCH']) {
      const { status } = await rest.send(method, path, { ...older, clientId: method });
      expect(status).toBe(200);
    }
    expect(await readRules()).toEqual(before);
  });
});

describe('a preview', () => {
  const preview = async (claims: Row, by = signer): Promise<Row> => {
    const { previewExternalJwt } = await controller.read<{ previewExternalJwt: Row }>(
      `query ($token: String!) { previewExternalJwt(token: $token) {
        refusal grantedAdmin grantedPermissions adminClaims { claim isAdmin permissions reason } } }`,
      { token: await by.jwt(ada, claims) },
    );
    return previewExternalJwt;
  };

  test('tells what a token would get, and why not more', async () => {
    expect(await preview(HELPDESK)).toEqual({
      refusal: null,
      grantedAdmin: false,
      grantedPermissions: SOME.permissions,
      adminClaims: [
        {
          ...{ claim: '/realm/groups', isAdmin: true, permissions: [] },
          reason: 'the token has none of the values in this claim',
        },
        { claim: 'groups', isAdmin: false, permissions: SOME.permissions, reason: null },
      ],
    });
    await update({ trustedForManagement: false });
    expect(await preview(ADMIN)).toMatchObject({
      refusal: null,
      grantedAdmin: false,
      adminClaims: [{ reason: 'the signer is not trusted for management' }, {}],
    });
    expect(await rightsIn(await logIn(ADMIN))).toEqual(NONE);
  });

  test('promises no rights before the approval, neither now nor to the identity that a login creates', async () => {
    const WAITS = 'the identity waits for its approval';
    const nothing = {
      ...{ refusal: null, grantedAdmin: false, grantedPermissions: [] },
      adminClaims: [
        { isAdmin: true, reason: WAITS },
        { isAdmin: false, reason: 'the token has none of the values in this claim' },
      ],
    };
    ada = await newIdentity({ isPending: true });
    expect(await preview(ADMIN)).toMatchObject(nothing);
    expect(await rightsIn(await logIn(ADMIN))).toEqual(NONE);
    await controller.read('mutation ($id: ID!) { approveIdentity(id: $id) { id } }', { id: ada });
    expect(await preview(ADMIN)).toMatchObject({
      grantedAdmin: true,
      adminClaims: [{ reason: null }, {}],
    });
    await update({ useExternalId: true, createsIdentities: true });
    ada = unique('newcomer');
    expect(await preview(ADMIN)).toMatchObject({ grantedAdmin: true });
    await update({ newIdentitiesArePending: true });
    expect(await preview(ADMIN)).toMatchObject(nothing);
    expect(await rightsIn(await logIn(ADMIN))).toEqual(NONE);
  });

  test('promises nothing where the login is refused', async () => {
    await update({ conditions: [{ claim: 'ref', values: ['main'] }] });
    expect(await preview(ADMIN)).toMatchObject({ grantedAdmin: false, grantedPermissions: [] });
    expect((await preview(ADMIN)).refusal).not.toBeNull();
  });
});
