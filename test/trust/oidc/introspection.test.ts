import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADMIN_PASSWORD, startController, type TestController } from '../../support/controller.js';
import { newPerson, PASSWORD, runSql } from '../auth/client.js';
import { ask, claimsOf, LoginClient, type OidcAnswer, type Tokens } from './login-client.js';

/* The answers of the provider about tokens (RFC 7662), and the callers who get them. */

let controller: TestController & { dataDir: string };
let admin: Tokens;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  admin = await new LoginClient(controller).logInByPassword('admin', ADMIN_PASSWORD);
});
afterAll(() => controller.stop());

interface Owner {
  readonly id: string;
  readonly username: string;
  readonly tokens: Tokens;
}

async function newOwner(identity: Record<string, unknown> = {}): Promise<Owner> {
  const { id, username } = await newPerson(controller, identity);
  const client = new LoginClient(controller);
  return { id, username, tokens: await client.logInByPassword(username, PASSWORD) };
}

const introspect = (
  form: Readonly<Record<string, string>>,
  caller = admin.access_token,
): Promise<OidcAnswer> =>
  ask(controller.port, 'POST', '/oidc/oauth/introspect', {
    form,
    headers: { authorization: `Bearer ${caller}` },
  });

const INACTIVE = { status: 200, body: { active: false } };

test.each(['access_token', 'refresh_token'] as const)('an %s is active', async (name) => {
  const { id, username, tokens } = await newOwner();
  const token = tokens[name];
  const answer = await introspect({ token, token_type_hint: 'odd' });
  const { exp, jti, z_asid, z_t } = claimsOf(token);
  expect(answer.status).toBe(200);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.body).toEqual({
    ...{ active: true, scope: 'openid offline_access', client_id: 'native', aud: ['native'] },
    ...{ sub: id, username, exp, jti, z_asid, z_t, z_cfs: null },
    ...(name === 'access_token' ? { token_type: 'Bearer' } : {}),
  });
});

describe('a token is not active', () => {
  test('that is of another kind, altered, or garbage', async () => {
    const { tokens } = await newOwner();
    const altered = `${tokens.access_token.slice(0, -4)}AAAA`;
    for (const token of [tokens.id_token, altered, 'garbage', 'a.b.c', 'x'.repeat(20_000)]) {
      expect(await introspect({ token })).toMatchObject(INACTIVE);
    }
  });

  test('whose session has ended, or whose identity is disabled', async () => {
    const ended = await newOwner();
    await new LoginClient(controller).ask('POST', '/oidc/revoke', {
      form: { token: ended.tokens.refresh_token, client_id: 'native' },
    });
    const disabled = await newOwner();
    await controller.rest('POST', `/identities/${disabled.id}/disable`, { durationMinutes: 0 });
    for (const { tokens } of [ended, disabled]) {
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        expect(await introspect({ token })).toMatchObject(INACTIVE);
      }
    }
  });

  test('that was replaced long ago; a question ends no session', async () => {
    const { tokens } = await newOwner();
    const client = new LoginClient(controller);
    const renewed = (await client.refresh(tokens.refresh_token)).body as unknown as Tokens;
    const { jti } = claimsOf(tokens.refresh_token);
    expect((await introspect({ token: tokens.refresh_token })).body.active).toBe(true);
    await runSql(
      controller,
      `update used_refresh_token set used_at = used_at - interval '61 s' where jti = $1`,
      [jti],
    );
    expect(await introspect({ token: tokens.refresh_token })).toMatchObject(INACTIVE);
    expect((await introspect({ token: renewed.access_token })).body.active).toBe(true);
  });
});

describe('nothing is told', () => {
  test('to OAuth clients, which have no secret', async () => {
    const { tokens } = await newOwner();
    const form = { token: tokens.access_token, client_id: 'native' };
    for (const headers of [{}, { authorization: `Basic ${btoa('native:')}` }]) {
      const answer = await ask(controller.port, 'POST', '/oidc/oauth/introspect', {
        form,
        headers,
      });
      expect([answer.status, answer.body]).toEqual([
        400,
        { error: 'invalid_client', error_description: expect.any(String) },
      ]);
    }
  });

  test('to sessions that may not read API sessions, and by tokens of another kind', async () => {
    const { tokens } = await newOwner({ permissions: ['identity.read', 'service'] });
    const token = tokens.access_token;
    for (const caller of [token, tokens.refresh_token, admin.refresh_token, admin.id_token]) {
      expect((await introspect({ token }, caller)).body.error).toBe('invalid_client');
    }
    const reader = await newOwner({ permissions: ['ops.read'] });
    expect((await introspect({ token }, reader.tokens.access_token)).body.active).toBe(true);
  });

  test('without a token', async () => {
    const answer = await introspect({});
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });
});
