import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { authPolicy, newPerson, PASSWORD, type Person } from '../auth/client.js';
import { MfaHolder } from '../auth/mfa-holder.js';
import { oneTimeCode } from '../auth/one-time-code.js';
import { claimsOf, LoginClient, type OidcAnswer, type Tokens } from './login-client.js';

/* Refreshes and exchanges after a change of the identity or of its auth policy. */

let controller: TestController & { dataDir: string };

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());

const client = (): LoginClient => new LoginClient(controller);

const TYPE = 'urn:ietf:params:oauth:token-type:';
const exchange = (token: string, type = 'refresh_token', wanted = type): Promise<OidcAnswer> =>
  client().token({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: token,
    subject_token_type: TYPE + type,
    requested_token_type: TYPE + wanted,
  });

/** The errors of a refresh and of the exchanges of the tokens of a login; undefined for new tokens. */
async function errorsOf(tokens: Tokens): Promise<unknown[]> {
  const answers = [
    await exchange(tokens.refresh_token),
    await exchange(tokens.access_token, 'access_token', 'id_token'),
    await client().refresh(tokens.refresh_token),
  ];
  return answers.map(({ body }) => body.error);
}

const NONE = [undefined, undefined, undefined];
const ALL = ['invalid_request', 'invalid_request', 'invalid_grant'];

interface Member {
  readonly person: Person;
  readonly policyId: string;
  readonly tokens: Tokens;
}

/** Somebody with a policy of their own, who has logged in. */
async function newMember(): Promise<Member> {
  const policyId = await controller.create('auth-policies', authPolicy({}));
  const person = await newPerson(controller, { authPolicyId: policyId });
  return { person, policyId, tokens: await client().logInByPassword(person.username, PASSWORD) };
}

test('tokens of an identity whose rights stay give others', async () => {
  expect(await errorsOf((await newMember()).tokens)).toEqual(NONE);
});

test('tokens of a disabled identity give none', async () => {
  const { person, tokens } = await newMember();
  await controller.rest('POST', `/identities/${person.id}/disable`, { durationMinutes: 0 });
  expect(await errorsOf(tokens)).toEqual(ALL);
});

describe('tokens give none after the auth policy', () => {
  const CHANGES: [string, Parameters<typeof authPolicy>[0]][] = [
    ['forbids the method of the login', { updb: { allowed: false } }],
    ['begins to require a one-time code', { secondary: { requireTotp: true } }],
  ];
  test.each(CHANGES)('%s, and do again when it is as before', async (_, change) => {
    const { policyId, tokens } = await newMember();
    const path = `/auth-policies/${policyId}`;
    expect((await controller.rest('PUT', path, authPolicy(change))).status).toBe(200);
    expect(await errorsOf(tokens)).toEqual(ALL);
    expect((await controller.rest('PUT', path, authPolicy({}))).status).toBe(200);
    expect(await errorsOf(tokens)).toEqual(NONE);
  });
});

test('the tokens of an exchange name the second factor of the login', async () => {
  const holder = await MfaHolder.create(controller);
  const { secret } = await holder.complete();
  const own = client();
  await own.begin();
  await own.password(holder.person.username, PASSWORD);
  const json = { id: own.id, code: oneTimeCode(secret) };
  const tokens = await own.tokens(await own.ask('POST', '/oidc/login/totp', { json }));
  const given = [
    await exchange(tokens.refresh_token, 'refresh_token', 'access_token'),
    await exchange(tokens.refresh_token, 'refresh_token', 'refresh_token'),
    await exchange(tokens.refresh_token, 'refresh_token', 'id_token'),
    await exchange(tokens.access_token, 'access_token', 'id_token'),
  ];
  for (const { body } of given) {
    expect(claimsOf(String(body.access_token)).amr).toEqual(['password', 'totp']);
  }
});
