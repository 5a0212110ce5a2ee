import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import { startController, type TestController } from '../../support/controller.js';
import type { InProcess } from '../../support/in-process.js';
import { startTwo, type TwoInProcess } from '../../support/two-in-process.js';
import { keysOf, networkCertificate, type ClientCertificate } from './certificates.js';
import { authenticate, call, outcome, runSql, unique } from './client.js';
import { ADMIN_LOGIN, contextOf, login, MINUTE, newUser, TestClock } from './in-process-logins.js';

/* Failed logins are limited by address and by username, the same on every controller. */

const LIMIT = 5;
const REFUSED = 'SERVER_TOO_MANY_REQUESTS';

describe('over TLS', () => {
  let controller: TestController & { readonly dataDir: string };

  beforeAll(async () => {
    controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: String(LIMIT) } });
  });
  afterAll(() => controller.stop());
  beforeEach(() => runSql(controller, 'delete from login_counter'));

  const wrong = (username: string) =>
    authenticate(controller, 'password', { body: { username, password: 'wrong one' } });

  test('answers 429 and when to come back', async () => {
    for (let i = 0; i < LIMIT; i += 1) {
      expect(outcome(await wrong('admin'))).toEqual([401, 'INVALID_AUTH']);
    }
    const answer = await authenticate(controller, 'password', { body: ADMIN_LOGIN });
    expect(outcome(answer)).toEqual([429, REFUSED]);
    const after = Number(answer.headers['retry-after']);
    expect(after).toBeGreaterThan(50);
    expect(after).toBeLessThanOrEqual(60);
  });

  test.each(['password', 'cert', 'ext-jwt'])(
    'counts failures by %s for the address',
    async (method) => {
      const body = { username: 'nobody', password: 'wrong one' };
      for (let i = 0; i < LIMIT; i += 1) {
        expect((await authenticate(controller, method, { body })).status).toBe(401);
      }
      for (const next of ['password', 'cert', 'ext-jwt']) {
        const answer = await authenticate(controller, next, { body: ADMIN_LOGIN });
        expect(outcome(answer)).toEqual([429, REFUSED]);
      }
    },
  );

  async function newDevice(): Promise<{
    readonly id: string;
    readonly certificate: ClientCertificate;
  }> {
    const device = { name: unique('device'), type: 'Default', isAdmin: false };
    const id = await controller.create('identities', device);
    const certificate = await networkCertificate(await keysOf(controller), id);
    const authenticator = { identityId: id, method: 'cert', certPem: certificate.leaf };
    await controller.create('authenticators', authenticator);
    return { id, certificate };
  }

  test('a device gets in by its certificate, whatever others send from its address', async () => {
    const { certificate } = await newDevice();
    for (let i = 0; i <= LIMIT; i += 1) await wrong('admin');
    expect((await authenticate(controller, 'cert', { certificate })).status).toBe(200);
  });

  test('the tries of a disabled device do not count for its address', async () => {
    const { id, certificate } = await newDevice();
    await controller.rest('POST', `/identities/${id}/disable`, { durationMinutes: 0 });
    for (let i = 0; i < 2 * LIMIT; i += 1) {
      expect((await authenticate(controller, 'cert', { certificate })).status).toBe(401);
    }
    expect((await authenticate(controller, 'password', { body: ADMIN_LOGIN })).status).toBe(200);
  });

  test('does not count what is no attempt', async () => {
    for (let i = 0; i <= LIMIT; i += 1) {
      await authenticate(controller, 'password', { body: {} });
      await authenticate(controller, 'nonsense');
      await call(controller, 'GET', '/current-identity', { headers: { 'zt-session': 'nonsense' } });
    }
    expect((await authenticate(controller, 'password', { body: ADMIN_LOGIN })).status).toBe(200);
  });

  test('lets those go on who are logged in', async () => {
    for (let i = 0; i <= LIMIT; i += 1) await wrong('admin');
    expect((await controller.rest('GET', '/current-identity')).status).toBe(200);
  });

  test('does not count successes', async () => {
    const logins = Array.from({ length: 4 * LIMIT }, () =>
      authenticate(controller, 'password', { body: ADMIN_LOGIN }),
    );
    const statuses = new Set((await Promise.all(logins)).map((answer) => answer.status));
    expect(statuses).toEqual(new Set([200]));
  });

  test('counts on GraphQL as well', async () => {
    const query = `mutation { authenticate(method: "password", input: { username: "admin", password: "wrong one" }) { id } }`;
    for (let i = 0; i < LIMIT; i += 1)
      await call(controller, 'POST', '/graphql', { body: { query } });
    const { body } = await call(controller, 'POST', '/graphql', { body: { query } });
    expect(body).toMatchObject({ errors: [{ extensions: { code: REFUSED, status: 429 } }] });
  });
});

describe('with a clock of our own', () => {
  const clock = new TestClock();
  let two: TwoInProcess;
  let controller: InProcess;
  let other: InProcess;

  beforeAll(async () => {
    const options = { now: clock.now, loginLimit: LIMIT };
    two = await startTwo(options);
    ({ controller, other } = two);
  });
  afterAll(() => two.stop());
  beforeEach(() => {
    clock.advance(10 * MINUTE);
  });

  /** From an address of its own, unless one is given. */
  let address = 0;
  async function attempt(
    username: string,
    password: string,
    { on = controller, from = `10.0.0.${String((address += 1) % 250)}` } = {},
  ): Promise<string | undefined> {
    const ctx = { ...(await contextOf(on)), address: from };
    const { errors } = await on.graph(
      'mutation ($u: String!, $p: String!) { authenticate(method: "password", input: { username: $u, password: $p }) { id } }',
      { u: username, p: password },
      ctx,
    );
    return errors[0]?.code;
  }

  const fail = async (times: number, username: string, from?: string): Promise<void> => {
    for (let i = 0; i < times; i += 1) {
      const options = from === undefined ? {} : { from };
      expect(await attempt(username, 'wrong one', options)).toBe('INVALID_AUTH');
    }
  };

  test('a username is limited whatever the addresses, and no other one', async () => {
    const user = await newUser(controller, 'limited');
    await fail(LIMIT, user.username);
    await expect(attempt(user.username, user.password)).resolves.toBe(REFUSED);
    await expect(attempt('admin', ADMIN_LOGIN.password)).resolves.toBeUndefined();
  });

  test('a username that nobody has is limited the same', async () => {
    await fail(LIMIT, 'nobody at all');
    await expect(attempt('nobody at all', 'wrong one')).resolves.toBe(REFUSED);
  });

  test('an address is limited whatever the usernames, and no other one', async () => {
    for (let i = 0; i < LIMIT; i += 1) await fail(1, `nobody ${String(i)}`, '192.0.2.1');
    const { username, password } = ADMIN_LOGIN;
    await expect(attempt(username, password, { from: '192.0.2.1' })).resolves.toBe(REFUSED);
    await expect(attempt(username, password, { from: '192.0.2.2' })).resolves.toBeUndefined();
  });

  test('holds on every controller', async () => {
    await fail(LIMIT, 'admin');
    await expect(attempt('admin', ADMIN_LOGIN.password, { on: other })).resolves.toBe(REFUSED);
  });

  test('is over after a minute', async () => {
    await fail(LIMIT, 'admin');
    clock.advance(MINUTE - 1);
    await expect(attempt('admin', ADMIN_LOGIN.password)).resolves.toBe(REFUSED);
    clock.advance(1);
    await expect(attempt('admin', ADMIN_LOGIN.password)).resolves.toBeUndefined();
    await fail(LIMIT - 1, 'admin');
    await expect(attempt('admin', ADMIN_LOGIN.password)).resolves.toBeUndefined();
  });

  test('wrong own passwords are limited too', async () => {
    const user = await newUser(controller, 'changing');
    const session = await login(controller, user);
    if (typeof session === 'string') throw new Error(session);
    const change = async (currentPassword: string): Promise<unknown> => {
      const { errors } = await controller.graph(
        'mutation ($id: ID!, $input: OwnAuthenticatorInput!) { updateCurrentAuthenticator(id: $id, input: $input) { id } }',
        { id: user.authenticatorId, input: { currentPassword, tags: {} } },
        await contextOf(controller, { 'zt-session': session.token }),
      );
      return errors[0]?.code;
    };
    for (let i = 0; i < LIMIT; i += 1)
      await expect(change('wrong one')).resolves.toBe('UNAUTHORIZED');
    await expect(change(user.password)).resolves.toBe(REFUSED);
    clock.advance(MINUTE);
    await expect(change(user.password)).resolves.toBeUndefined();
  });

  test('leaves nothing behind', async () => {
    await fail(3, 'admin');
    clock.advance(MINUTE);
    await controller.parts.loginLimit.forget(clock.now());
    const left = await controller.parts.store.query(
      sql`select count(*)::int as n from login_counter`,
    );
    expect(left).toEqual([{ n: 0 }]);
  });
});
