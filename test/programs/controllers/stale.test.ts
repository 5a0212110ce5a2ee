import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import { originOf } from '../../../src/kernel/write/write.js';
import { contextOf, inSession, login, newUser } from '../../trust/auth/in-process-logins.js';
import { authPolicy } from '../../trust/auth/client.js';
import { newOwnKeys, showing } from '../../trust/auth/intruder.js';
import { OutsideSigner } from '../../trust/auth/signers.js';
import {
  dialling,
  remove,
  request,
  sessionsOf,
  update,
} from '../../access/enforcement/dialling.js';
import { InProcess } from '../../support/in-process.js';

/** One controller learns nothing of what the other writes: its feed stands still. */

let stale: InProcess;
let other: InProcess;

beforeAll(async () => {
  stale = await InProcess.start();
  other = await InProcess.start(stale);
});
afterAll(async () => {
  await other.stop();
  await stale.stop();
});

let count = 0;

const CREATE = `mutation ($name: String!) {
  createService(input: { name: $name, encryptionRequired: true }) { id } }`;

/** What comes of a write in the session, as the stale controller remembers it. */
async function write(token: string): Promise<string | undefined> {
  count += 1;
  const name = `written ${String(count)}`;
  const { errors } = await stale.graph(CREATE, { name }, await inSession(stale, token));
  const [row] = await stale.parts.store.query(
    sql`select id from service where name = ${name}::text`,
  );
  expect(row === undefined).toBe(errors.length > 0);
  return errors[0]?.code;
}

/** Somebody whose session the stale controller holds in memory. */
async function writer(rights: object = { permissions: ['service'] }) {
  count += 1;
  const user = await newUser(stale, `writer ${String(count)}`, { ...rights });
  const session = await stale.openSession(user.id);
  expect(await write(session.token)).toBeUndefined();
  return { ...user, ...session, identity: user.id, session: session.id };
}

describe('a session writes nothing more', () => {
  test.each([
    ['when it was ended', 'deleteApiSession(id: $session)'],
    ['when its identity was disabled', 'disableIdentity(id: $identity, durationMinutes: 0) { id }'],
    ['when its identity was deleted', 'deleteIdentity(id: $identity)'],
    [
      'when its identity lost the permission',
      'updateIdentity(id: $identity, input: { permissions: ["config"] }) { id }',
    ],
  ])('%s', async (_, mutation) => {
    const { identity, session, token } = await writer();
    const variables = ['identity', 'session'].filter((name) => mutation.includes(`$${name}`));
    const head = variables.map((name) => `$${name}: ID!`).join(', ');
    await other.read(`mutation (${head}) { ${mutation} }`, { identity, session });
    expect(await write(token)).toBe('UNAUTHORIZED');
  });

  test('when its identity is no administrator any more', async () => {
    const { identity, token } = await writer({ isAdmin: true });
    await update(other, 'Identity', identity, { isAdmin: false });
    expect(await write(token)).toBe('UNAUTHORIZED');
  });

  test('but goes on when its identity gained permissions', async () => {
    const { identity, token } = await writer();
    await update(other, 'Identity', identity, { permissions: ['service', 'config'] });
    expect(await write(token)).toBeUndefined();
    await update(other, 'Identity', identity, { isAdmin: true, permissions: [] });
    expect(await write(token)).toBeUndefined();
  });
});

describe('a login is refused', () => {
  test('when the identity was disabled or deleted, or its password was changed', async () => {
    const [disabled, deleted, changed] = await Promise.all(
      ['disabled', 'deleted', 'changed'].map((name) => newUser(stale, `${name} elsewhere`)),
    );
    for (const user of [disabled, deleted, changed]) {
      expect(typeof (await login(stale, user))).toBe('object');
    }
    await other.read(
      'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 0) { id } }',
      { id: disabled?.id },
    );
    await remove(other, 'Identity', String(deleted?.id));
    await update(other, 'Authenticator', String(changed?.authenticatorId), {
      password: 'another password',
    });
    for (const user of [disabled, deleted, changed]) {
      expect(await login(stale, user)).toBe('INVALID_AUTH');
    }
  });

  test('when the signer of the JWT was disabled or got another key', async () => {
    const { id } = await newUser(stale, 'known outside');
    const LOGIN = 'mutation { authenticate(method: "ext-jwt", input: {}) { id } }';
    const logIn = async (jwt: string): Promise<string | undefined> => {
      const ctx = await contextOf(stale, { authorization: `Bearer ${jwt}` });
      return (await stale.graph(LOGIN, {}, ctx)).errors[0]?.code;
    };
    for (const change of [
      () => ({ enabled: false }),
      async () => ({ certPem: (await OutsideSigner.create('other key')).certPem }),
    ]) {
      count += 1;
      const signer = await OutsideSigner.create(`issuer-${String(count)}`);
      const signerId = await stale.create('ExternalJwtSigner', signer.settings);
      const jwt = await signer.jwt(id);
      expect(await logIn(jwt)).toBeUndefined();
      await update(other, 'ExternalJwtSigner', signerId, await change());
      expect(await logIn(jwt)).toBe('UNAUTHORIZED');
    }
  });
});

describe('a login by the certificate of an authority is refused', () => {
  test.each<[string, (id: string) => Promise<unknown>]>([
    ['may not log in', (id) => update(other, 'CertificateAuthority', id, { isAuthEnabled: false })],
    ['was deleted', (id) => remove(other, 'CertificateAuthority', id)],
    [
      'names others',
      (id) =>
        update(other, 'CertificateAuthority', id, {
          externalIdClaim: { location: 'COMMON_NAME', matcher: 'PREFIX', matcherCriteria: 'x' },
        }),
    ],
  ])('when it %s', async (_, change) => {
    count += 1;
    const externalId = `known to authority ${String(count)}`;
    await newUser(stale, externalId, { externalId });
    const keys = await newOwnKeys(externalId);
    const id = await stale.create('CertificateAuthority', {
      name: externalId,
      certPem: keys.authority.cert.toString(),
      ...{ isAuthEnabled: true, isAutoCaEnrollmentEnabled: false, identityRoles: [] },
      isOttCaEnrollmentEnabled: false,
      externalIdClaim: { location: 'COMMON_NAME', matcher: 'ALL', parser: 'NONE', index: 0 },
    });
    const logIn = async (): Promise<string | undefined> => {
      const credentials = await showing(keys, externalId);
      const ctx = stale.parts.contexts.make('127.0.0.1', undefined, { credentials });
      const LOGIN = 'mutation { authenticate(method: "cert", input: {}) { id } }';
      return (await stale.graph(LOGIN, {}, ctx)).errors[0]?.code;
    };
    expect(await logIn()).toBe('INVALID_AUTH');
    await stale.parts.store.query(
      sql`update certificate_authority set is_verified = true where id = ${id}::text`,
    );
    expect(await logIn()).toBeUndefined();
    await change(id);
    expect(await logIn()).toBe('INVALID_AUTH');
  });
});

test('a login is judged by the auth policy as it was changed elsewhere', async () => {
  const authPolicyId = await stale.create('AuthPolicy', authPolicy({}));
  const user = await newUser(stale, 'under a policy', { authPolicyId });
  expect(typeof (await login(stale, user))).toBe('object');
  const { primary } = authPolicy({ updb: { allowed: false } }) as { primary: object };
  await update(other, 'AuthPolicy', authPolicyId, { primary });
  expect(await login(stale, user)).toBe('INVALID_AUTH');
});

test('a config is checked by the schema of its type as it was changed elsewhere', async () => {
  const schemaOf = (type: string): object => ({
    type: 'object',
    properties: { port: { type } },
    required: ['port'],
  });
  const typeId = await stale.create('ConfigType', { name: 'ports', schema: schemaOf('integer') });
  const create = (port: unknown): Promise<unknown> => {
    count += 1;
    const name = `port ${String(count)}`;
    return stale.create('Config', { name, configTypeId: typeId, data: { port } });
  };
  await create(1);
  await expect(create('1')).rejects.toMatchObject({ code: 'COULD_NOT_VALIDATE' });
  await update(other, 'ConfigType', typeId, { schema: schemaOf('string') });
  await create('1');
  await expect(create(1)).rejects.toMatchObject({ code: 'COULD_NOT_VALIDATE' });
});

describe('a session for a service is refused', () => {
  test.each([
    ['ServicePolicy', 'policy', { identityRoles: [] }],
    ['ServicePolicy', 'policy', { serviceRoles: ['#others'] }],
    ['ServicePolicy', 'policy', { type: 'Bind' }],
    ['Identity', 'identity', { roleAttributes: ['others'] }],
  ] as const)('when the %s was changed: %j', async (resource, key, input) => {
    const dialler = await dialling(stale);
    await update(other, resource, dialler[key], { ...input });
    expect((await request(stale, dialler)).errors[0]?.code).toBe('NOT_FOUND');
    expect(await sessionsOf(stale, dialler)).toStrictEqual([]);
  });

  test.each([
    ['ServicePolicy', 'policy', 'NOT_FOUND'],
    ['Service', 'service', 'NOT_FOUND'],
    ['Identity', 'identity', 'UNAUTHORIZED'],
    ['ApiSession', 'apiSessionId', 'UNAUTHORIZED'],
  ] as const)('when the %s was deleted', async (resource, key, code) => {
    const dialler = await dialling(stale);
    await remove(other, resource, dialler[key]);
    expect((await request(stale, dialler)).errors[0]?.code).toBe(code);
  });

  test('is given when another policy still grants it', async () => {
    const dialler = await dialling(stale);
    await stale.create('ServicePolicy', {
      name: `also ${dialler.service}`,
      type: 'Dial',
      semantic: 'AllOf',
      identityRoles: ['#all'],
      serviceRoles: [`@${dialler.service}`],
    });
    await remove(other, 'ServicePolicy', dialler.policy);
    expect((await request(stale, dialler)).errors).toStrictEqual([]);
  });
});

describe('a session for a service', () => {
  test('is a new one when the known one was ended', async () => {
    const dialler = await dialling(stale);
    for (let i = 0; i < 3; i += 1) await request(stale, dialler);
    const [ended] = await sessionsOf(other, dialler);
    await remove(other, 'Session', String(ended));
    // Another selection than before, which the controller has no rows of.
    const OPEN = `mutation ($id: ID!) { openSession(input: { serviceId: $id }) { id createdAt } }`;
    const { openSession } = await stale.read<{ openSession: { id: string } }>(
      OPEN,
      { id: dialler.service },
      dialler.own(),
    );
    expect(await sessionsOf(other, dialler)).toStrictEqual([openSession.id]);
    expect(openSession.id).not.toBe(ended);
  });
});

describe('what two controllers end at once', () => {
  test('is in the log once', async () => {
    const { id: identity } = await newUser(stale, 'ended twice');
    const sessions = await Promise.all(
      Array.from({ length: 20 }, () => stale.openSession(identity)),
    );
    const ids = sessions.map(({ id }) => id);
    const end = (on: InProcess, id: string): Promise<void> =>
      on.parts.sessions.end(on.ctx(), originOf(on.ctx()), id);
    await Promise.all(ids.flatMap((id) => [end(stale, id), end(other, id)]));
    const rows = await stale.parts.store.query(
      sql`select count(*)::int as records, count(distinct entity_id)::int as sessions
        from change where operation = 'delete' and entity_id = any(${ids}::text[])`,
    );
    expect(rows).toStrictEqual([{ records: 20, sessions: 20 }]);
  });
});
