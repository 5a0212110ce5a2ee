import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  ADMIN_PASSWORD,
  startController,
  type Answer,
  type Envelope,
  type TestController,
} from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { Speaker } from '../../requests/limits/speaker.js';
import { newPerson, PASSWORD, runSql, type Person } from '../auth/client.js';
import { ask, claimsOf, LoginClient, type OidcAnswer, type Tokens } from './login-client.js';

/* Revoked tokens at the doors of several controllers, each of several processes. */

const ENV = { OVERGRAPH_LOGIN_LIMIT: '0', OVERGRAPH_WORKERS: '2' };
/** Connections of their own, so that both processes are met. */
const ASKED = 6;

let controller: TestController & { dataDir: string };
let other: TestController;

beforeAll(async () => {
  controller = await startController({ env: ENV });
  other = await startController({ with: controller, env: ENV });
});
afterAll(async () => {
  await other.stop();
  await controller.stop();
});

const client = (at: TestController = controller): LoginClient => new LoginClient(at);

interface LoggedIn {
  readonly person: Person;
  readonly tokens: Tokens;
  readonly sessionId: string;
}

async function logIn(person?: Person): Promise<LoggedIn> {
  const owner = person ?? (await newPerson(controller));
  const tokens = await client().logInByPassword(owner.username, PASSWORD);
  return { person: owner, tokens, sessionId: String(claimsOf(tokens.access_token).z_asid) };
}

const revoke = (
  type: string,
  id: string,
  at: TestController = controller,
): Promise<Answer<Envelope>> => at.rest('POST', '/revocations', { type, id });

/** The statuses of requests with a token, each on a connection of its own. */
async function statuses(token: string, at: TestController = controller): Promise<number[]> {
  const asked = Array.from({ length: ASKED }, () =>
    ask(at.port, 'GET', '/edge/client/v1/current-identity', {
      headers: { authorization: `Bearer ${token}` },
    }),
  );
  return [...new Set((await Promise.all(asked)).map(({ status }) => status))];
}

/** The token counts at both controllers, whose processes remember it. */
async function rememberEverywhere(token: string): Promise<void> {
  for (const at of [controller, other]) {
    await eventually(async () => {
      expect(await statuses(token, at)).toEqual([200]);
    });
  }
}

async function countsNowhere(token: string): Promise<void> {
  // At the controller that revoked it at once.
  expect(await statuses(token)).toEqual([401]);
  await eventually(async () => {
    expect(await statuses(token, other)).toEqual([401]);
  });
  expect(await statuses(token)).toEqual([401]);
}

const outcomeOf = ({ status, body }: OidcAnswer): unknown[] => [status, body.error];

describe('a revoked access token', () => {
  const speakers: Speaker[] = [];
  afterEach(() => {
    for (const speaker of speakers.splice(0)) speaker.end();
  });

  test('counts at no process of any controller, and the other tokens of its session do', async () => {
    const { tokens } = await logIn();
    const stays = (await client().refresh(tokens.refresh_token)).body as unknown as Tokens;
    await rememberEverywhere(tokens.access_token);
    await rememberEverywhere(stays.access_token);
    const { status, body } = await revoke('JTI', String(claimsOf(tokens.access_token).jti));
    expect([status, (body.data as { id: string }).id]).toEqual([
      201,
      claimsOf(tokens.access_token).jti,
    ]);
    await countsNowhere(tokens.access_token);
    expect(await statuses(stays.access_token)).toEqual([200]);
    expect((await client().refresh(stays.refresh_token)).status).toBe(200);
  });

  test('is refused as an invalid token', async () => {
    const { tokens } = await logIn();
    await revoke('JTI', String(claimsOf(tokens.access_token).jti));
    const answer = await ask(controller.port, 'GET', '/edge/client/v1/current-identity', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect([answer.status, (answer.body as unknown as Envelope).error.code]).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
    expect(String(answer.headers['www-authenticate'])).toContain('error="invalid"');
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const json = { query: '{ currentIdentity { id } }' };
    const graph = await ask(controller.port, 'POST', '/graphql', { json, headers });
    expect(graph.text).toContain('UNAUTHORIZED');
    expect((await ask(controller.port, 'GET', '/oidc/userinfo', { headers })).status).toBe(401);
  });

  test('ends the subscriptions that it began, and no others', async () => {
    const own = await client().logInByPassword('admin', ADMIN_PASSWORD);
    const [token, other] = [own, (await client().refresh(own.refresh_token)).body] as Tokens[];
    for (const each of [token, other]) {
      const speaker = await Speaker.open(controller);
      const authorization = `Bearer ${String(each?.access_token)}`;
      speaker.say({ type: 'connection_init', payload: { authorization } });
      await eventually(() => {
        expect(speaker.received).toMatchObject([{ type: 'connection_ack' }]);
      });
      speaker.subscribe('one');
      speakers.push(speaker);
    }
    const [ended, stays] = speakers;
    // Its changes come only to a subscription that has begun.
    for (const speaker of speakers) {
      await eventually(async () => {
        await controller.create('services', { name: randomUUID(), encryptionRequired: false });
        expect(speaker.received.map(({ type }) => type)).toContain('next');
      });
    }
    await revoke('JTI', String(claimsOf(own.access_token).jti));
    await eventually(() => {
      expect(JSON.stringify(ended?.received)).toContain('UNAUTHORIZED');
      expect(ended?.received.at(-1)).toMatchObject({ type: 'complete' });
    });
    const before = stays?.received.length ?? 0;
    await eventually(async () => {
      await controller.create('services', { name: randomUUID(), encryptionRequired: false });
      expect(stays?.received.length).toBeGreaterThan(before);
    });
    expect(JSON.stringify(stays?.received)).not.toContain('UNAUTHORIZED');
  });

  test('counts no more at a controller that starts later, either', async () => {
    const { tokens } = await logIn();
    await revoke('JTI', String(claimsOf(tokens.access_token).jti));
    const late = await startController({ with: controller, env: ENV });
    try {
      expect(await statuses(tokens.access_token, late)).toEqual([401]);
    } finally {
      await late.stop();
    }
  });

  test('gives no ID token', async () => {
    const { tokens } = await logIn();
    await revoke('JTI', String(claimsOf(tokens.access_token).jti));
    const type = 'urn:ietf:params:oauth:token-type:';
    const answer = await client().token({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: tokens.access_token,
      subject_token_type: `${type}access_token`,
      requested_token_type: `${type}id_token`,
    });
    expect(outcomeOf(answer)).toEqual([400, 'invalid_request']);
  });

  test('of one person leaves the tokens of others', async () => {
    const [ada, bob] = [await logIn(), await logIn()];
    await revoke('JTI', String(claimsOf(ada.tokens.access_token).jti));
    expect(await statuses(ada.tokens.access_token)).toEqual([401]);
    expect(await statuses(bob.tokens.access_token)).toEqual([200]);
  });
});

test('a revoked refresh token gives no tokens at any controller, and leaves its session', async () => {
  const { tokens } = await logIn();
  await revoke('JTI', String(claimsOf(tokens.refresh_token).jti));
  for (const at of [controller, other]) {
    expect(outcomeOf(await client(at).refresh(tokens.refresh_token))).toEqual([
      400,
      'invalid_grant',
    ]);
  }
  expect(await statuses(tokens.access_token)).toEqual([200]);
});

describe('a revoked API session', () => {
  test('ends with all its tokens, at all controllers', async () => {
    const { tokens, sessionId, person } = await logIn();
    const stays = await logIn(person);
    await rememberEverywhere(tokens.access_token);
    expect((await revoke('API_SESSION', sessionId)).status).toBe(201);
    await countsNowhere(tokens.access_token);
    expect(outcomeOf(await client(other).refresh(tokens.refresh_token))).toEqual([
      400,
      'invalid_grant',
    ]);
    expect(await statuses(stays.tokens.access_token)).toEqual([200]);
  });

  test('may be one of the older login', async () => {
    const token = await other.login();
    const current = await other.rest('GET', '/current-api-session', undefined, {
      'zt-session': token,
    });
    await revoke('API_SESSION', (current.body.data as { id: string }).id);
    const again = (at: TestController): Promise<Answer<Envelope>> =>
      at.rest('GET', '/current-api-session', undefined, { 'zt-session': token });
    expect((await again(controller)).status).toBe(401);
    await eventually(async () => {
      expect((await again(other)).status).toBe(401);
    });
  });
});

describe('a revoked identity', () => {
  test('loses what it has, and may log in again in the same second', async () => {
    const { person, tokens } = await logIn();
    await rememberEverywhere(tokens.access_token);
    expect((await revoke('IDENTITY', person.id, other)).status).toBe(201);
    await eventually(async () => {
      expect(await statuses(tokens.access_token)).toEqual([401]);
    });
    expect(outcomeOf(await client().refresh(tokens.refresh_token))).toEqual([400, 'invalid_grant']);
    const anew = await logIn(person);
    expect(await statuses(anew.tokens.access_token)).toEqual([200]);
    const [row] = await runSql(
      controller,
      `select extract(epoch from issued_before)::float8 as at from revocation where id = $1`,
      [person.id],
    );
    // Routers end what was issued before: also tokens have whole seconds alone.
    expect(claimsOf(anew.tokens.access_token).iat).toBeGreaterThan(Number(row?.at));
    expect(claimsOf(anew.tokens.access_token).exp).toBeGreaterThan(Number(row?.at));
    expect((await client().refresh(anew.tokens.refresh_token)).status).toBe(200);
  });

  test('has tokens that begin later than a revocation of a clock that is ahead', async () => {
    const { person } = await logIn();
    await revoke('IDENTITY', person.id);
    await runSql(
      controller,
      `update revocation set issued_before = issued_before + interval '5 s' where id = $1`,
      [person.id],
    );
    const { tokens } = await logIn(person);
    const [row] = await runSql(
      controller,
      `select extract(epoch from issued_before)::float8 as at from revocation where id = $1`,
      [person.id],
    );
    expect(claimsOf(tokens.access_token).iat).toBeGreaterThan(Number(row?.at));
    expect(await statuses(tokens.access_token)).toEqual([200]);
  });

  test('may be the administrator who revokes', async () => {
    const own = await client().logInByPassword('admin', ADMIN_PASSWORD);
    const id = String(claimsOf(own.access_token).sub);
    const answer = await ask(controller.port, 'POST', '/edge/management/v1/revocations', {
      json: { id, type: 'IDENTITY' },
      headers: { authorization: `Bearer ${own.access_token}` },
    });
    expect(answer.status).toBe(201);
    expect(await statuses(own.access_token)).toEqual([401]);
    controller.token = await controller.login();
    other.token = await other.login();
  });
});

describe('the end of a session is a revocation', () => {
  const ENDS: [string, (login: LoggedIn) => Promise<unknown>][] = [
    [
      'a logout',
      ({ tokens }) =>
        ask(controller.port, 'DELETE', '/edge/client/v1/current-api-session', {
          headers: { authorization: `Bearer ${tokens.access_token}` },
        }),
    ],
    [
      'the revocation endpoint',
      ({ tokens }) =>
        ask(controller.port, 'POST', '/oidc/revoke', {
          form: { token: tokens.access_token, client_id: 'native' },
        }),
    ],
    [
      'the end-session endpoint',
      ({ tokens }) =>
        ask(controller.port, 'GET', `/oidc/end_session?id_token_hint=${tokens.id_token}`),
    ],
    [
      'an administrator',
      ({ sessionId }) => controller.rest('DELETE', `/api-sessions/${sessionId}`),
    ],
    [
      'a replaced refresh token that comes again',
      async ({ tokens }) => {
        await client().refresh(tokens.refresh_token);
        await runSql(
          controller,
          `update used_refresh_token set used_at = used_at - interval '61 s' where jti = $1`,
          [claimsOf(tokens.refresh_token).jti],
        );
        await client().refresh(tokens.refresh_token);
      },
    ],
  ];

  test.each(ENDS)('after %s', async (_, end) => {
    const login = await logIn();
    await end(login);
    const { status, body } = await controller.rest('GET', `/revocations/${login.sessionId}`);
    expect([status, body.data]).toMatchObject([200, { type: 'API_SESSION' }]);
    expect(await statuses(login.tokens.access_token)).toEqual([401]);
  });

  test('but not of the older login', async () => {
    const token = await controller.login();
    const headers = { 'zt-session': token };
    const current = await controller.rest('GET', '/current-api-session', undefined, headers);
    const { id } = current.body.data as { id: string };
    await controller.rest('DELETE', '/current-api-session', undefined, headers);
    expect((await controller.rest('GET', `/revocations/${id}`)).status).toBe(404);
  });
});

describe('over REST', () => {
  test('a revocation shows its type and its end, and is the same in the list', async () => {
    const id = randomUUID();
    await controller.rest('POST', '/revocations', { id, type: 'JTI', tags: { why: 'lost' } });
    const one = await controller.rest('GET', `/revocations/${id}`);
    expect(one.body.data).toMatchObject({ id, type: 'JTI', tags: { why: 'lost' } });
    expect(one.body.data).not.toHaveProperty('issuedBefore');
    for (const filter of [
      `id = "${id}"`,
      'type = "JTI"',
      'issuedBefore < datetime(2100-01-01T00:00:00Z)',
    ]) {
      const query = new URLSearchParams({ filter, limit: '500' });
      const { status, body } = await controller.rest('GET', `/revocations?${String(query)}`);
      expect(status).toBe(200);
      expect((body.data as { id: string }[]).filter((each) => each.id === id)).toEqual([
        one.body.data,
      ]);
    }
  });

  test.each([
    ['an id that is none', 400, { id: 'none', type: 'JTI' }],
    ['an API session that can be none', 400, { id: 'none', type: 'API_SESSION' }],
    ['an unknown type', 400, { id: randomUUID(), type: 'REFRESH' }],
    ['no type', 400, { id: randomUUID() }],
    ['no id', 400, { type: 'JTI' }],
    ['an identity that does not exist', 404, { id: randomUUID(), type: 'IDENTITY' }],
  ])('%s is refused', async (_, status, body) => {
    expect((await controller.rest('POST', '/revocations', body)).status).toBe(status);
  });

  test.each(['PUT', 'PATCH', 'DELETE'])('there is no %s', async (method) => {
    const id = randomUUID();
    await revoke('JTI', id);
    const body = method === 'DELETE' ? undefined : { type: 'JTI' };
    const answer = await controller.rest(method, `/revocations/${id}`, body);
    expect([404, 405]).toContain(answer.status);
    expect((await controller.rest('GET', `/revocations/${id}`)).status).toBe(200);
  });

  test('nobody without rights revokes or reads, not even themselves', async () => {
    const { person, tokens, sessionId } = await logIn();
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    for (const [type, id] of [
      ['IDENTITY', person.id],
      ['API_SESSION', sessionId],
      ['JTI', randomUUID()],
    ]) {
      const path = '/edge/management/v1/revocations';
      const answer = await ask(controller.port, 'POST', path, { json: { type, id }, headers });
      expect(answer.status).toBe(401);
    }
    expect(await statuses(tokens.access_token)).toEqual([200]);
  });
});
