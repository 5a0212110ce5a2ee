import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { authPolicy, newPerson, PASSWORD } from '../auth/client.js';
import { MfaHolder } from '../auth/mfa-holder.js';
import { oneTimeCode, secretIn, wrongCode } from '../auth/one-time-code.js';
import { OutsideSigner } from '../auth/signers.js';
import { ask, claimsOf, LoginClient, type OidcAnswer } from './login-client.js';

/* Second factors within a login over OpenID Connect. */

let controller: TestController & { dataDir: string };

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());

const client = (options = {}): LoginClient => new LoginClient(controller, options);

interface Query {
  readonly typeId: string;
  readonly isTotpEnrolled?: boolean;
}
const queriesIn = (answer: OidcAnswer): Query[] => answer.body.authQueries as unknown as Query[];

describe('somebody with a second factor', () => {
  test('is asked for a code, and the token says that it was given', async () => {
    const holder = await MfaHolder.create(controller);
    const { secret } = await holder.complete();
    const own = client();
    await own.begin();
    const asked = await own.password(holder.person.username, PASSWORD);
    expect([asked.status, asked.headers['totp-required']]).toEqual([200, 'true']);
    expect(queriesIn(asked)).toEqual([
      {
        typeId: 'TOTP',
        provider: 'ziti',
        format: 'numeric',
        httpMethod: 'POST',
        httpUrl: './oidc/login/totp',
        minLength: 6,
        maxLength: 8,
        isTotpEnrolled: true,
      },
    ]);
    const wrong = await own.ask('POST', '/oidc/login/totp', {
      form: { id: own.id, code: wrongCode(secret) },
    });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'INVALID TOTP CODE']);
    const proved = await own.ask('POST', '/oidc/login/totp', {
      json: { id: own.id, code: oneTimeCode(secret) },
    });
    const { access_token: token } = await own.tokens(proved);
    expect(claimsOf(token).amr).toEqual(['password', 'totp']);
  });

  test('gets no code of the provider before', async () => {
    const holder = await MfaHolder.create(controller);
    await holder.complete();
    const own = client();
    await own.begin();
    await own.password(holder.person.username, PASSWORD);
    const back = await own.ask('GET', `/oidc/authorize/callback?id=${own.id}`);
    expect(String(back.headers.location)).toContain('?error=interaction_required&state=');
    const guessed = await own.ask('GET', `/oidc/authorize/callback?id=${own.id}&key=guessed`);
    expect(String(guessed.headers.location)).not.toContain('code=');
  });
});

describe('a verified second factor', () => {
  const atFactor = async (holder: MfaHolder): Promise<LoginClient> => {
    const own = client();
    await own.begin();
    expect((await own.password(holder.person.username, PASSWORD)).status).toBe(200);
    return own;
  };

  test('is proved by a recovery code, once', async () => {
    const holder = await MfaHolder.create(controller);
    const { recoveryCodes } = await holder.complete();
    const json = { code: recoveryCodes[0] };
    const own = await atFactor(holder);
    const proved = await own.ask('POST', '/oidc/login/totp', { json: { ...json, id: own.id } });
    expect(claimsOf((await own.tokens(proved)).access_token).amr).toEqual(['password', 'totp']);
    const later = await atFactor(holder);
    const again = await later.ask('POST', '/oidc/login/totp', { json: { ...json, id: later.id } });
    expect([again.status, again.body.code]).toEqual([400, 'INVALID TOTP CODE']);
  });

  test('is not removed within the login without a right code', async () => {
    const holder = await MfaHolder.create(controller);
    const { secret } = await holder.complete();
    const own = await atFactor(holder);
    for (const code of ['', wrongCode(secret)]) {
      const json = { id: own.id, code };
      const answer = await own.ask('DELETE', '/oidc/login/totp/enroll', { json });
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID TOTP CODE']);
    }
    expect(await holder.isMfaEnabled()).toBe(true);
  });
});

describe('the missing proofs of a login', () => {
  const missing = (own: LoginClient): Promise<OidcAnswer> =>
    own.ask('GET', `/oidc/login/auth-queries?id=${own.id}`);

  test('are shown after the first proof until none is missing', async () => {
    const holder = await MfaHolder.create(controller);
    const { secret } = await holder.complete();
    const own = client();
    await own.begin();
    expect((await missing(own)).status).toBe(401);
    await own.password(holder.person.username, PASSWORD);
    const shown = await missing(own);
    expect(shown.status).toBe(200);
    expect(queriesIn(shown)).toMatchObject([{ typeId: 'TOTP', isTotpEnrolled: true }]);
    const json = { id: own.id, code: oneTimeCode(secret) };
    await own.ask('POST', '/oidc/login/totp', { json });
    expect(queriesIn(await missing(own))).toEqual([]);
  });

  test('are read without an end of the key of a finished login', async () => {
    const { username } = await newPerson(controller);
    const own = client();
    await own.begin();
    const proved = await own.password(username, PASSWORD);
    expect(queriesIn(await missing(own))).toEqual([]);
    expect((await own.tokens(proved)).token_type).toBe('Bearer');
  });
});

describe('somebody whose policy wants a code, without a second factor', () => {
  const newRequired = async () => {
    const policy = authPolicy({ secondary: { requireTotp: true } });
    const authPolicyId = await controller.create('auth-policies', policy);
    return newPerson(controller, { authPolicyId });
  };

  test('sets one up within the login', async () => {
    const person = await newRequired();
    const own = client();
    await own.begin();
    expect(queriesIn(await own.password(person.username, PASSWORD))[0]?.isTotpEnrolled).toBe(false);
    const json = { id: own.id };
    const begun = await own.ask('POST', '/oidc/login/totp/enroll', { json });
    expect(begun.status).toBe(201);
    const factor = begun.body as unknown as { provisioningUrl: string; recoveryCodes: string[] };
    expect(factor).toMatchObject({ isVerified: false });
    expect(factor.recoveryCodes.length).toBeGreaterThan(0);
    expect((await own.ask('POST', '/oidc/login/totp/enroll', { json })).status).toBe(409);
    const secret = secretIn(factor.provisioningUrl);
    const wrong = await own.ask('POST', '/oidc/login/totp/enroll/verify', {
      json: { id: own.id, code: wrongCode(secret) },
    });
    expect(wrong.status).toBe(400);
    const verified = await own.ask('POST', '/oidc/login/totp/enroll/verify', {
      json: { id: own.id, code: oneTimeCode(secret) },
    });
    const { access_token: token } = await own.tokens(verified);
    expect(claimsOf(token).amr).toEqual(['password', 'totp']);
  });

  test('can give a pending one back, with the id in the address', async () => {
    const person = await newRequired();
    const own = client();
    await own.begin();
    await own.password(person.username, PASSWORD);
    const path = `/oidc/login/totp/enroll?id=${own.id}`;
    const text = { type: 'application/x-www-form-urlencoded', body: '' };
    expect((await own.ask('DELETE', path, { text })).status).toBe(404);
    expect((await own.ask('POST', path, { text })).status).toBe(201);
    expect((await own.ask('DELETE', path, { text })).status).toBe(200);
    expect((await own.ask('POST', path, { text })).status).toBe(201);
  });

  test('is nobody before the first proof', async () => {
    const own = client();
    await own.begin();
    for (const path of ['totp', 'totp/enroll', 'totp/enroll/verify']) {
      const answer = await own.ask('POST', `/oidc/login/${path}`, {
        json: { id: own.id, code: '123456' },
      });
      expect(answer.status).toBe(401);
    }
  });
});

describe('a JWT as second factor', () => {
  test('comes beside the first proof, which may be repeated for it', async () => {
    const signer = await OutsideSigner.create('second-issuer');
    const signerId = await controller.create('external-jwt-signers', {
      ...signer.settings,
    });
    const policy = authPolicy({ secondary: { requireExtJwtSigner: signerId } });
    const authPolicyId = await controller.create('auth-policies', policy);
    const person = await newPerson(controller, { authPolicyId });
    const own = client();
    await own.begin();
    const asked = await own.password(person.username, PASSWORD);
    expect(asked.status).toBe(200);
    expect(asked.headers['totp-required']).toBeUndefined();
    expect(queriesIn(asked)[0]).toMatchObject({ typeId: 'EXT-JWT', id: signerId });
    expect(asked.headers['www-authenticate']).toContain('openziti-secondary-ext-jwt');
    const form = { id: own.id, username: person.username, password: PASSWORD };
    const withToken = async (subject: string) =>
      own.ask('POST', '/oidc/login/password', {
        form,
        headers: { authorization: `Bearer ${await signer.jwt(subject)}` },
      });
    // The token of somebody else is no proof.
    expect((await withToken((await newPerson(controller)).id)).status).toBe(200);
    const { access_token: token } = await own.tokens(await withToken(person.id));
    expect(claimsOf(token).amr).toEqual(['password', `ejs:${signerId}`]);
    // As on every session, each request needs it again.
    const path = '/edge/client/v1/current-identity';
    const alone = await ask(controller.port, 'GET', path, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(alone.status).toBe(401);
    const beside = await ask(controller.port, 'GET', path, {
      headers: {
        authorization: [`Bearer ${token}`, `Bearer ${await signer.jwt(person.id)}`],
      },
    });
    expect(beside.status).toBe(200);
  });
});
