import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import {
  authenticate,
  bearersOf,
  call,
  loggedIn,
  newPerson,
  outcome,
  PASSWORD,
  passwordLogin,
  runSql,
  sessionIn,
  unique,
  withToken,
  type Call,
  type Person,
  type SessionView,
} from './client.js';
import { startBeside } from './second-controller.js';
import { OutsideSigner } from './signers.js';

/* API sessions over TLS, on two controllers with one database. */

let controller: TestController & { dataDir: string };
let other: TestController;
let stopOther: () => Promise<void>;
let person: Person;
let session: SessionView;

beforeAll(async () => {
  const env = { OVERGRAPH_LOGIN_LIMIT: '0', OVERGRAPH_SESSION_TIMEOUT: '20m' };
  controller = await startController({ env });
  ({ controller: other, stop: stopOther } = await startBeside(controller, env));
});
afterAll(async () => {
  await stopOther();
  await controller.stop();
});
beforeEach(async () => {
  person = await newPerson(controller);
  session = await loggedIn(controller, person);
});

const isAlive = async (
  token = session.token,
  on: TestController = controller,
): Promise<boolean> => {
  const { status } = await call(on, 'GET', '/current-identity', withToken(token));
  expect([200, 401]).toContain(status);
  return status === 200;
};

describe('a login', () => {
  test('answers 200 with the session, and its token in a header', async () => {
    const answer = await passwordLogin(controller, person);
    const { status, headers, body } = answer;
    const data = body.data as SessionView & Record<string, unknown>;
    expect(status).toBe(200);
    expect(headers['zt-session']).toBe(data.token);
    expect(headers['ziti-authenticator-extend-requested']).toBeUndefined();
    expect(data).toMatchObject({
      _links: {
        self: { href: `./api-sessions/${data.id}` },
        sessions: { href: `./api-sessions/${data.id}/sessions` },
      },
      token: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      identityId: person.id,
      identity: { entity: 'identities', id: person.id, name: person.username },
      authenticatorId: person.authenticatorId,
      ipAddress: '127.0.0.1',
      configTypes: [],
      authQueries: [],
      isMfaRequired: false,
      isMfaComplete: false,
      isCertExtendable: false,
      expirationSeconds: 1200,
    });
    expect(Date.parse(data.expiresAt) - Date.parse(data.lastActivityAt)).toBe(1_200_000);
  });

  test.each(['/edge/client/v1', '/edge/management/v1', '/edge/v1', ''])(
    'by %s counts on both interfaces',
    async (base) => {
      const path = `${base}/authenticate?method=password`;
      const answer = await controller.send<{ data: SessionView }>('POST', path, {
        body: JSON.stringify({ username: person.username, password: PASSWORD }),
        headers: { 'content-type': 'application/json' },
      });
      const { token } = answer.body.data;
      for (const on of ['client', 'management']) {
        const { status } = await call(
          controller,
          'GET',
          `/edge/${on}/v1/current-identity`,
          withToken(token),
        );
        expect(status).toBe(200);
      }
    },
  );

  test('counts on the other controller at once', async () => {
    await expect(isAlive(session.token, other)).resolves.toBe(true);
  });

  const loginWith = async (body: object): Promise<SessionView> =>
    sessionIn(
      await authenticate(controller, 'password', {
        body: { username: person.username, password: PASSWORD, ...body },
      }),
    );

  test('has news of services no older than the login', async () => {
    const { createdAt, token } = await loginWith({});
    const path = '/edge/client/v1/current-api-session/service-updates';
    const { body } = await call(controller, 'GET', path, withToken(token));
    expect(body.data).toEqual({ lastChangeAt: createdAt });
  });

  test('remembers config types by id, drops unknown ones, and knows `all`', async () => {
    const name = unique('type');
    const id = await controller.create('config-types', { name, schema: {} });
    const names = ['ziti-tunneler-client.v1', name, 'nobody', 'a\0b'];
    const [known] = await runSql(
      controller,
      `select id from config_type where name = '${names[0] ?? ''}'`,
    );
    const { configTypes } = await loginWith({ configTypes: names });
    expect([...configTypes].sort()).toEqual([id, known?.id].map(String).sort());
    expect((await loginWith({ configTypes: [id] })).configTypes).toEqual([id]);
    expect((await loginWith({ configTypes: [name, 'all'] })).configTypes).toEqual(['all']);
    expect((await loginWith({ configTypes: null })).configTypes).toEqual([]);
  });

  test('remembers what the client tells of itself, however it is spelled', async () => {
    const envInfo = { arch: 'arm64', os: 'linux', hostname: 'box', unknown: 'x', osVersion: 7 };
    await loginWith({ envInfo, sdkInfo: { appID: 'agent', VERSION: '1.2.3', type: 'c\0' } });
    const { body } = await controller.rest('GET', `/identities/${person.id}`);
    expect(body.data).toMatchObject({
      envInfo: { arch: 'arm64', os: 'linux', hostname: 'box' },
      sdkInfo: { appId: 'agent', version: '1.2.3', type: 'c' },
    });
    const [log] = await runSql(
      controller,
      `select count(*)::int as n from change where entity_type = 'Identity' and entity_id = '${person.id}' and operation = 'update'`,
    );
    expect(log).toEqual({ n: 0 });
  });

  test('ignores a session and bearers that come along', async () => {
    const bad = { 'zt-session': 'nonsense', authorization: bearersOf(['a', 'b.c.d', 'e']) };
    const answer = await authenticate(controller, 'password', {
      body: { username: person.username, password: PASSWORD },
      headers: bad,
    });
    expect(answer.status).toBe(200);
  });

  test('on GraphQL gives a session that REST knows', async () => {
    const query = `mutation { authenticate(method: "password", input: {
      username: "${person.username}", password: "${PASSWORD}" }) { token authQueries { typeId } expiresAt } }`;
    const answer = await call(controller, 'POST', '/graphql', { body: { query } });
    const { data } = answer.body as unknown as { data: { authenticate: SessionView } };
    await expect(isAlive(data.authenticate.token)).resolves.toBe(true);
  });
});

describe('a request in session', () => {
  const presented: [string, () => Call['headers'], boolean][] = [
    ['zt-session', () => ({ 'zt-session': session.token }), true],
    ['ZT-Session', () => ({ 'ZT-Session': session.token }), true],
    ['a bearer', () => ({ authorization: `Bearer ${session.token}` }), true],
    [
      'the third bearer',
      () => ({ authorization: bearersOf(['a.b.c', 'd.e.f', session.token]) }),
      true,
    ],
    [
      'the fourth bearer',
      () => ({ authorization: bearersOf(['a.b', 'c.d', 'e.f', session.token]) }),
      false,
    ],
    ['basic credentials', () => ({ authorization: `Basic ${session.token}` }), false],
    ['the id of the session', () => ({ 'zt-session': session.id }), false],
    ['nothing', () => ({}), false],
  ];

  test.each(presented)('may bring %s', async (_, headers, expected) => {
    const answer = await call(controller, 'GET', '/current-identity', { headers: headers() ?? {} });
    expect(answer.status).toBe(expected ? 200 : 401);
    if (expected) expect(answer.headers['expiration-seconds']).toBe('1200');
  });

  test('sees itself', async () => {
    const answer = await call(controller, 'GET', '/current-api-session', withToken(session.token));
    expect(sessionIn(answer)).toMatchObject({ id: session.id, token: session.token });
  });

  test('moves the end of the session', async () => {
    await eventually(async () => {
      const answer = await call(
        controller,
        'GET',
        '/current-api-session',
        withToken(session.token),
      );
      const now = sessionIn(answer);
      expect(Date.parse(now.expiresAt)).toBeGreaterThan(Date.parse(session.expiresAt));
      expect(Date.parse(now.cachedLastActivityAt)).toBeGreaterThan(Date.parse(now.lastActivityAt));
    });
  });

  test('may log out', async () => {
    const { status, body } = await call(
      controller,
      'DELETE',
      '/current-api-session',
      withToken(session.token),
    );
    expect([status, body.data]).toEqual([200, {}]);
    await expect(isAlive()).resolves.toBe(false);
    await eventually(async () => {
      await expect(isAlive(session.token, other)).resolves.toBe(false);
    });
  });
});

describe('a session ends at once, and soon on the other controller,', () => {
  const management = async (method: string, path: string, body?: unknown): Promise<void> => {
    const answer = await controller.rest(method, path, body);
    expect([200, 201]).toContain(answer.status);
  };
  const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

  const ENDS: [string, () => Promise<void>][] = [
    ['when an administrator deletes it', () => management('DELETE', `/api-sessions/${session.id}`)],
    [
      'with its authenticator',
      () => management('DELETE', `/authenticators/${person.authenticatorId}`),
    ],
    [
      'when its authenticator goes back to enrollment',
      () =>
        management('POST', `/authenticators/${person.authenticatorId}/re-enroll`, {
          expiresAt: inAnHour(),
        }),
    ],
    ['with its identity', () => management('DELETE', `/identities/${person.id}`)],
    [
      'when its identity is disabled',
      () => management('POST', `/identities/${person.id}/disable`, { durationMinutes: 1 }),
    ],
  ];

  test.each(ENDS)('%s', async (_, end) => {
    await expect(isAlive()).resolves.toBe(true);
    await expect(isAlive(session.token, other)).resolves.toBe(true);
    await end();
    await expect(isAlive()).resolves.toBe(false);
    await eventually(async () => {
      await expect(isAlive(session.token, other)).resolves.toBe(false);
    });
    const rows = await runSql(controller, 'select id from api_session where id = $1', [session.id]);
    expect(rows).toEqual([]);
  });

  test.each<[string, (id: string) => Promise<void>]>([
    ['deleted', (id) => management('DELETE', `/external-jwt-signers/${id}`)],
    ['disabled', (id) => management('PATCH', `/external-jwt-signers/${id}`, { enabled: false })],
  ])('when the signer that it logged in with is %s', async (_, end) => {
    const signer = await OutsideSigner.create(unique('issuer'));
    const id = await controller.create('external-jwt-signers', signer.settings);
    const headers = { authorization: bearersOf([await signer.jwt(person.id)]) };
    session = sessionIn(await authenticate(controller, 'ext-jwt', { headers }));
    await expect(isAlive(session.token, other)).resolves.toBe(true);
    await end(id);
    await expect(isAlive()).resolves.toBe(false);
    await eventually(async () => {
      await expect(isAlive(session.token, other)).resolves.toBe(false);
    });
  });

  test('and writes nothing on the other one meanwhile', async () => {
    const clerk = await newPerson(controller, { isAdmin: true });
    const { token, id } = await loggedIn(controller, clerk);
    await expect(isAlive(token, other)).resolves.toBe(true);
    const write = () =>
      call(other, 'POST', '/edge/management/v1/services', {
        ...withToken(token),
        body: { name: unique('late'), encryptionRequired: true },
      });
    expect((await write()).status).toBe(201);
    await management('DELETE', `/api-sessions/${id}`);
    expect(outcome(await write())).toEqual([401, 'UNAUTHORIZED']);
  });

  test('with all that its identity may do, when that changes', async () => {
    const summary = (on: TestController) =>
      call(on, 'GET', '/edge/management/v1/identities', withToken(session.token));
    expect((await summary(other)).status).toBe(401);
    await management('PATCH', `/identities/${person.id}`, { isAdmin: true });
    expect((await summary(controller)).status).toBe(200);
    await eventually(async () => {
      expect((await summary(other)).status).toBe(200);
    });
    await management('PATCH', `/identities/${person.id}`, { isAdmin: false });
    expect((await summary(controller)).status).toBe(401);
  });
});

describe('the administration of sessions', () => {
  test('lists them, without what concerns the caller alone', async () => {
    const filter = encodeURIComponent(`identity="${person.id}"`);
    const { status, body } = await controller.rest('GET', `/api-sessions?filter=${filter}`);
    expect(status).toBe(200);
    const [shown] = body.data as Record<string, unknown>[];
    expect(shown).toMatchObject({
      id: session.id,
      identityId: person.id,
      ipAddress: '127.0.0.1',
      authenticatorId: person.authenticatorId,
    });
    expect(shown).not.toHaveProperty('expiresAt');
    expect(shown).not.toHaveProperty('expirationSeconds');
    expect(body.meta.pagination.totalCount).toBe(1);
  });

  test('shows one', async () => {
    const { status, body } = await controller.rest('GET', `/api-sessions/${session.id}`);
    expect([status, (body.data as SessionView).id]).toEqual([200, session.id]);
  });

  type Who = 'nobody' | 'anybody' | 'an administrator';
  const CASES: [Who, string, string, number][] = [
    ['nobody', 'GET', '/api-sessions', 401],
    ['nobody', 'GET', '/api-sessions/ID', 401],
    ['nobody', 'DELETE', '/api-sessions/ID', 401],
    ['anybody', 'GET', '/api-sessions', 401],
    ['anybody', 'GET', '/api-sessions/ID', 401],
    ['anybody', 'DELETE', '/api-sessions/ID', 403],
    ['an administrator', 'GET', '/api-sessions/unknown', 404],
    ['an administrator', 'DELETE', '/api-sessions/unknown', 404],
    ['an administrator', 'POST', '/api-sessions', 405],
  ];

  test.each(CASES)('is for %s: %s %s is %d', async (who, method, path, expected) => {
    const tokens: Record<Who, Call> = {
      nobody: {},
      anybody: withToken(session.token),
      'an administrator': withToken(controller.token),
    };
    const victim = await loggedIn(controller, person);
    const full = `/edge/management/v1${path.replace('ID', victim.id)}`;
    expect((await call(controller, method, full, tokens[who])).status).toBe(expected);
    await expect(isAlive(victim.token)).resolves.toBe(true);
  });

  test('tells whether an identity is logged in', async () => {
    const hasApiSession = async (): Promise<boolean> => {
      const { body } = await controller.rest('GET', `/identities/${person.id}`);
      return (body.data as { hasApiSession: boolean }).hasApiSession;
    };
    await expect(hasApiSession()).resolves.toBe(true);
    await controller.rest('DELETE', `/api-sessions/${session.id}`);
    await expect(hasApiSession()).resolves.toBe(false);
  });
});
