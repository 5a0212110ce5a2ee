import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import {
  authPolicy,
  call,
  loggedIn,
  newPerson,
  outcome,
  withToken,
  type SessionView,
} from './client.js';
import { MFA, MfaHolder, type MfaStatus, type PendingMfa } from './mfa-holder.js';
import { oneTimeCode, secretIn } from './one-time-code.js';

/* Logins of identities with a second factor, and of those that need one. */

let controller: TestController & { dataDir: string };
let holder: MfaHolder;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());
beforeEach(async () => {
  holder = await MfaHolder.create(controller);
});

describe('a login with a completed factor', () => {
  let pending: PendingMfa;
  let session: SessionView;

  beforeEach(async () => {
    pending = await holder.complete();
    session = await holder.logIn();
  });

  const prove = (code: unknown, as = session.token) =>
    holder.send('POST', '/authenticate/mfa', { body: { code }, as });

  test('asks for a code', async () => {
    expect(session).toMatchObject({ isMfaRequired: true, isMfaComplete: false });
    expect(session.authQueries).toStrictEqual([
      {
        typeId: 'MFA',
        provider: 'ziti',
        format: 'numeric',
        minLength: 4,
        maxLength: 6,
        httpMethod: 'POST',
        httpUrl: './authenticate/mfa',
        isTotpEnrolled: true,
      },
    ]);
    expect(outcome(await holder.send('GET', '/current-identity', { as: session.token }))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
  });

  test('is complete with a code of now', async () => {
    expect((await prove(oneTimeCode(pending.secret))).status).toBe(200);
    await expect(holder.current(session.token)).resolves.toMatchObject({
      isMfaRequired: true,
      isMfaComplete: true,
      authQueries: [],
    });
    expect((await holder.send('GET', '/current-identity', { as: session.token })).status).toBe(200);
  });

  test('takes each code once, in this session and in others', async () => {
    const code = oneTimeCode(pending.secret);
    expect((await prove(code)).status).toBe(200);
    expect(outcome(await prove(code))).toEqual([401, 'MFA_INVALID_TOKEN']);
    const next = await holder.logIn();
    expect(outcome(await prove(code, next.token))).toEqual([401, 'MFA_INVALID_TOKEN']);
    expect((await prove(oneTimeCode(pending.secret, new Date(), 1), next.token)).status).toBe(200);
    // Codes of earlier steps do not come back.
    expect(outcome(await prove(code, next.token))).toEqual([401, 'MFA_INVALID_TOKEN']);
  });

  test('takes a code once when it comes twice at the same time', async () => {
    const { token: second } = await holder.logIn();
    const code = oneTimeCode(pending.secret);
    const answers = await Promise.all([prove(code), prove(code, second)]);
    expect(answers.map((a) => a.status).sort()).toEqual([200, 401]);
  });

  test('takes each recovery code once', async () => {
    const [code = '', another = ''] = pending.recoveryCodes;
    expect((await prove(code)).status).toBe(200);
    const next = await holder.logIn();
    expect(outcome(await prove(code, next.token))).toEqual([401, 'MFA_INVALID_TOKEN']);
    expect(outcome(await prove(another.toLowerCase(), next.token))).toEqual([
      401,
      'MFA_INVALID_TOKEN',
    ]);
    expect((await prove(another, next.token)).status).toBe(200);
  });

  test.each(['', '12345', '1234567', '------', '123456\0'])('refuses %j', async (code) => {
    expect(outcome(await prove(code))).toEqual([401, 'MFA_INVALID_TOKEN']);
    await expect(holder.current(session.token)).resolves.toMatchObject({ isMfaComplete: false });
  });

  test('may be proved again when it is complete', async () => {
    expect((await prove(oneTimeCode(pending.secret))).status).toBe(200);
    expect((await prove(oneTimeCode(pending.secret, new Date(), 1))).status).toBe(200);
  });
});

describe('an administrator', () => {
  const remove = (id: string, as = controller.token) =>
    controller.rest('DELETE', `/identities/${id}/mfa`, undefined, { 'zt-session': as });

  test('removes the factor of anybody, and may do so when there is none', async () => {
    await holder.complete();
    expect((await remove(holder.person.id)).status).toBe(200);
    await expect(holder.isMfaEnabled()).resolves.toBe(false);
    expect((await holder.send('GET', MFA)).status).toBe(404);
    expect((await remove(holder.person.id)).status).toBe(200);
    expect(outcome(await remove('nobody'))).toEqual([404, 'NOT_FOUND']);
  });

  test('is needed for it', async () => {
    expect(outcome(await remove(holder.person.id, holder.token))).toEqual([401, 'UNAUTHORIZED']);
  });

  test('alone may remove the factor of an administrator', async () => {
    const clerk = await newPerson(controller, { permissions: ['identity'] });
    const boss = await newPerson(controller, { isAdmin: true });
    const { token: ofClerk } = await loggedIn(controller, clerk);
    expect((await remove(holder.person.id, ofClerk)).status).toBe(200);
    expect(outcome(await remove(boss.id, ofClerk))).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('a policy that requires a code', () => {
  test('lets an identity without a factor set one up, and nothing else', async () => {
    const authPolicyId = await controller.create(
      'auth-policies',
      authPolicy({ secondary: { requireTotp: true } }),
    );
    holder = await MfaHolder.create(controller, { authPolicyId });
    const session = await holder.current();
    expect(session.authQueries).toMatchObject([{ typeId: 'MFA', isTotpEnrolled: false }]);
    expect((await holder.send('GET', '/current-identity')).status).toBe(401);
    await holder.complete();
    expect((await holder.send('GET', '/current-identity')).status).toBe(200);
    await expect(holder.current()).resolves.toMatchObject({ authQueries: [] });
  });

  test('counts for sessions that are open already', async () => {
    const id = await controller.create('auth-policies', authPolicy({}));
    holder = await MfaHolder.create(controller, { authPolicyId: id });
    expect((await holder.send('GET', '/current-identity')).status).toBe(200);
    const secondary = { requireTotp: true };
    expect((await controller.rest('PATCH', `/auth-policies/${id}`, { secondary })).status).toBe(
      200,
    );
    expect((await holder.send('GET', '/current-identity')).status).toBe(401);
  });
});

describe('the second factor on GraphQL', () => {
  test('goes through the same states', async () => {
    const graph = async (query: string): Promise<Record<string, never>> => {
      const answer = await call(controller, 'POST', '/graphql', {
        ...withToken(holder.token),
        body: { query },
      });
      const { data, errors } = answer.body as unknown as { data: never; errors?: unknown };
      expect(errors).toBeUndefined();
      return data;
    };
    await graph('mutation { createCurrentMfa }');
    const { currentMfa } = await graph(
      '{ currentMfa { isVerified provisioningUrl recoveryCodes } }',
    );
    const secret = secretIn((currentMfa as unknown as MfaStatus).provisioningUrl ?? '');
    const code = (drift: number): string => oneTimeCode(secret, new Date(), drift);
    await graph(`mutation { verifyCurrentMfa(code: "${code(-1)}") }`);
    await graph(`mutation { authenticateMfa(code: "${code(0)}") }`);
    await expect(
      graph('{ currentMfa { isVerified provisioningUrl recoveryCodes } }'),
    ).resolves.toEqual({
      currentMfa: { isVerified: true, provisioningUrl: null, recoveryCodes: null },
    });
    await graph(`mutation { deleteCurrentMfa(code: "${code(1)}") }`);
    expect((await holder.send('GET', MFA)).status).toBe(404);
  });
});
