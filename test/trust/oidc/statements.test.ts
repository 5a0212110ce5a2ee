import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import { eventually } from '../../support/eventually.js';
import { InProcess } from '../../support/in-process.js';
import { networkCertificate } from '../auth/certificates.js';
import { InProcessDoor, type DoorAnswer } from './in-process-door.js';

/* The statements of a login over OpenID Connect, with those that begin and end transactions. */

let controller: InProcess;
let door: InProcessDoor;

beforeAll(async () => {
  controller = await InProcess.start();
  const identityId = await controller.create('Identity', {
    name: 'device',
    type: 'Device',
    isAdmin: false,
  });
  const certificate = await networkCertificate(controller.parts.keys, identityId);
  await controller.create('Authenticator', {
    identityId,
    method: 'cert',
    certPem: certificate.leaf,
  });
  door = await InProcessDoor.listen(controller, certificate.leaf);
});
afterAll(async () => {
  await door.stop();
  await controller.stop();
});

const REDIRECT = 'http://localhost:8080/auth/callback';
const VERIFIER = 'v'.repeat(43);

const AUTHORIZE = new URLSearchParams({
  ...{ client_id: 'native', response_type: 'code', scope: 'openid offline_access' },
  ...{ redirect_uri: REDIRECT, state: 'state', code_challenge_method: 'S256', method: 'cert' },
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
}).toString();

const parameterOf = ({ location }: DoorAnswer, name: string): string =>
  new URL(location, 'https://localhost').searchParams.get(name) ?? '';

const begin = (): Promise<DoorAnswer> => door.ask('GET', `/oidc/authorize?${AUTHORIZE}`);

const CLIENT = { sdkType: 'example', envOs: 'linux', configTypes: 'all' };

const prove = (id: string, facts: Readonly<Record<string, string>> = CLIENT): Promise<DoorAnswer> =>
  door.ask('POST', '/oidc/login/cert', { id, ...facts });

type Step = 'authorize' | 'login' | 'callback' | 'token' | 'refresh';

async function logIn(): Promise<Record<Step, DoorAnswer>> {
  const authorize = await begin();
  const login = await prove(parameterOf(authorize, 'authRequestID'));
  const { pathname, search } = new URL(login.location);
  const callback = await door.ask('GET', pathname + search);
  const token = await door.ask('POST', '/oidc/oauth/token', {
    ...{ client_id: 'native', grant_type: 'authorization_code', redirect_uri: REDIRECT },
    ...{ code: parameterOf(callback, 'code'), code_verifier: VERIFIER },
  });
  const { refresh_token } = JSON.parse(token.text) as { refresh_token: string };
  const refresh = await door.ask('POST', '/oidc/oauth/token', {
    ...{ client_id: 'native', grant_type: 'refresh_token', refresh_token },
  });
  return { authorize, login, callback, token, refresh };
}

/** The most statements of each step. */
const STEPS: readonly (readonly [Step, number])[] = [
  ['authorize', 1],
  // Two reads, and the transaction that opens the session and completes the request.
  ['login', 8],
  ['callback', 2],
  ['token', 2],
  ['refresh', 2],
];

describe('SQL statements of a login by certificate', () => {
  let steps: Record<Step, DoorAnswer>;

  beforeAll(async () => {
    // The first login of a client records more about it.
    await logIn();
    steps = await logIn();
  });

  test.each(STEPS)('%s: at most %d', (step, most) => {
    const { status, statements } = steps[step];
    expect(status).toBeLessThan(400);
    expect(statements.length).toBeLessThanOrEqual(most);
  });

  test('one more if the client says something new of itself', async () => {
    const id = parameterOf(await begin(), 'authRequestID');
    const { statements } = await prove(id, { ...CLIENT, envOs: 'plan9' });
    expect(statements.length).toBe(9);
    const { identities } = await controller.read<{
      identities: { nodes: readonly { envInfo: { os: string } }[] };
    }>('{ identities(filter: "name = \\"device\\"") { nodes { envInfo { os } } } }');
    expect(identities.nodes).toStrictEqual([{ envInfo: { os: 'plan9' } }]);
  });
});

const WAITING = `select from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

const sessionIds = (): Promise<object[]> =>
  controller.parts.store.query(sql`select id from api_session order by id`);

describe('a login whose request ends meanwhile', () => {
  test('opens no session', async () => {
    const id = parameterOf(await begin(), 'authRequestID');
    const before = await sessionIds();
    const other = await controller.parts.database.openSession();
    try {
      await other.query('begin');
      await other.query('update authorization_request set is_code_used = true where id = $1', [id]);
      const login = prove(id);
      await eventually(async () => {
        expect((await other.query(WAITING)).rowCount).toBeGreaterThan(0);
      });
      await other.query('commit');
      expect((await login).status).toBe(401);
    } finally {
      await other.end();
    }
    expect(await sessionIds()).toStrictEqual(before);
  });
});
