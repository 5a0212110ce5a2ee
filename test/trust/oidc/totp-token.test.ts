import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { jwtVerify } from 'jose';
import { startController, type TestController } from '../../support/controller.js';
import { newPerson, PASSWORD } from '../auth/client.js';
import { MfaHolder } from '../auth/mfa-holder.js';
import { oneTimeCode, wrongCode } from '../auth/one-time-code.js';
import { ask, claimsOf, LoginClient, type OidcAnswer, type Tokens } from './login-client.js';

/* The proof of a one-time code for routers that judge the posture themselves. */

let controller: TestController & { dataDir: string };

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());

interface Holder {
  readonly holder: MfaHolder;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  readonly tokens: Tokens;
}

/** Somebody with a second factor, whose login used the code before that of now. */
async function newHolder(): Promise<Holder> {
  const holder = await MfaHolder.create(controller);
  const { secret, recoveryCodes } = await holder.begin();
  const own = new LoginClient(controller);
  const tokens = await own.logInByPassword(holder.person.username, PASSWORD);
  const body = { code: oneTimeCode(secret, new Date(), -1) };
  expect((await holder.send('POST', '/current-identity/mfa/verify', { body })).status).toBe(200);
  return { holder, secret, recoveryCodes, tokens };
}

const prove = (
  headers: Readonly<Record<string, string>>,
  json: unknown,
  face = 'client',
): Promise<OidcAnswer> =>
  ask(controller.port, 'POST', `/edge/${face}/v1/current-api-session/totp-token`, {
    json,
    headers,
  });

const bearer = ({ access_token: token }: Pick<Tokens, 'access_token'>) => ({
  authorization: `Bearer ${token}`,
});
const outcome = ({ status, body }: OidcAnswer): [number, string | undefined] => [
  status,
  (body as unknown as { error?: { code: string } }).error?.code,
];

test.each(['client', 'management'])(
  'a right code gives a token at the %s interface',
  async (face) => {
    const { secret, tokens } = await newHolder();
    const before = Math.floor(Date.now() / 1000);
    const answer = await prove(bearer(tokens), { code: oneTimeCode(secret) }, face);
    expect(answer.status).toBe(200);
    const { token, issuedAt } = answer.body.data as unknown as { token: string; issuedAt: string };
    const { keys } = (await ask(controller.port, 'GET', '/oidc/keys')).body as unknown as {
      keys: JsonWebKey[];
    };
    const [jwk] = keys;
    const key = createPublicKey({ key: jwk ?? {}, format: 'jwk' });
    const { payload, protectedHeader } = await jwtVerify(token, key);
    const { sub, z_asid, aud } = claimsOf(tokens.access_token);
    expect(payload).toStrictEqual({
      ...{ sub, z_asid, aud, z_t: 't', iat: expect.any(Number) },
      iss: expect.stringMatching(/^https:\/\/[^/]+$/),
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(protectedHeader).toMatchObject({ kid: jwk?.kid, typ: 'JWT' });
    expect(payload.iat).toBeGreaterThanOrEqual(before);
    expect(Math.floor(Date.parse(issuedAt) / 1000)).toBe(payload.iat);
    // It proves a code and nothing else.
    expect((await prove({ authorization: `Bearer ${token}` }, { code: '123456' })).status).toBe(
      401,
    );
    for (const grant of ['refresh_token', 'subject_token']) {
      const own = new LoginClient(controller);
      const refused = await own.token({ grant_type: 'refresh_token', [grant]: token });
      expect(refused.status).toBe(400);
    }
    // A code counts once.
    const again = await prove(bearer(tokens), { code: oneTimeCode(secret) }, face);
    expect(outcome(again)).toEqual([400, 'MFA_INVALID_TOKEN']);
  },
);

test('the controller counts the proof for the session as well', async () => {
  const { secret, tokens } = await newHolder();
  expect((await prove(bearer(tokens), { code: oneTimeCode(secret) })).status).toBe(200);
  const renewed = await new LoginClient(controller).refresh(tokens.refresh_token);
  const { access_token: next } = renewed.body as unknown as Tokens;
  expect(claimsOf(next).amr).toEqual(['password', 'totp']);
});

describe('no token is given', () => {
  test('for a wrong code, none, or a recovery code, which stays good', async () => {
    const { secret, recoveryCodes, tokens, holder } = await newHolder();
    for (const code of [wrongCode(secret), '', 'x'.repeat(10_000), recoveryCodes[0]]) {
      expect(outcome(await prove(bearer(tokens), { code }))).toEqual([400, 'MFA_INVALID_TOKEN']);
    }
    expect(outcome(await prove(bearer(tokens), {}))).toEqual([400, 'COULD_NOT_VALIDATE']);
    const body = { code: recoveryCodes[0] };
    expect((await holder.send('POST', '/authenticate/mfa', { body })).status).toBe(200);
  });

  test('to a session of another kind, whatever its code', async () => {
    const { holder, secret } = await newHolder();
    for (const code of [oneTimeCode(secret), wrongCode(secret)]) {
      const answer = await prove({ 'zt-session': holder.token }, { code });
      expect(outcome(answer)).toEqual([400, 'INVALID_BACKING_TOKEN_TYPE']);
    }
  });

  test('to an identity without a second factor, or with a pending one', async () => {
    const person = await newPerson(controller);
    const tokens = await new LoginClient(controller).logInByPassword(person.username, PASSWORD);
    const answer = await prove(bearer(tokens), { code: '123456' });
    expect(outcome(answer)).toEqual([409, 'MFA_NOT_ENROLLED']);
    const begun = await ask(controller.port, 'POST', '/edge/client/v1/current-identity/mfa', {
      headers: bearer(tokens),
    });
    expect(begun.status).toBe(201);
    expect(outcome(await prove(bearer(tokens), { code: '123456' }))).toEqual([
      409,
      'MFA_NOT_ENROLLED',
    ]);
  });

  test('without a session, or by a token of another kind', async () => {
    const { secret, tokens } = await newHolder();
    const code = oneTimeCode(secret);
    const others = [tokens.refresh_token, tokens.id_token].map((access_token) =>
      bearer({ access_token }),
    );
    for (const headers of [{}, ...others]) {
      expect((await prove(headers, { code })).status).toBe(401);
    }
  });

  test('to somebody who guesses', async () => {
    const { secret, tokens } = await newHolder();
    let status = 0;
    for (let tries = 0; tries < 40 && status !== 429; tries += 1) {
      status = (await prove(bearer(tokens), { code: wrongCode(secret) })).status;
    }
    expect(status).toBe(429);
    expect((await prove(bearer(tokens), { code: oneTimeCode(secret) })).status).toBe(429);
  });
});
