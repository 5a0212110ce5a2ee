import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Parameters } from '../../../src/trust/oidc/index.js';
import { startController, type TestController } from '../../support/controller.js';
import { GARBAGE_ENDPOINTS } from './garbage-requests.js';
import { runGarbage } from './garbage-run.js';
import { ask, LoginClient } from './login-client.js';

/* Requests that no client sends: each gets a clear refusal, and none is a fault of the controller. */

let controller: TestController & { dataDir: string };

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());

const ODD = ['\0', '\u{1F600}', '\uD800', '../..', "' or 1=1 --", '{}', 'x'.repeat(3_000), '%00'];

/** Valid values of the other parameters, so that the odd one is reached. */
function usual(path: string): Record<string, string> {
  if (path === '/oidc/authorize')
    return Object.fromEntries(new LoginClient(controller).parameters());
  const id = '8a4a5b1f-0000-4000-8000-000000000000';
  const grant = { grant_type: 'refresh_token', client_id: 'native', refresh_token: 'a.b.c' };
  return { id, username: 'somebody', password: 'a password', code: '123456', token: 'x', ...grant };
}

describe('odd values', () => {
  test.each(GARBAGE_ENDPOINTS)('%s %s is no fault with %j', async (method, path, names) => {
    for (const name of names) {
      for (const value of ODD) {
        const form = { ...usual(path), [name]: value };
        const query = new URLSearchParams(form).toString();
        const address = method === 'POST' ? path : `${path}?${query}`;
        const answer = await ask(
          controller.port,
          method,
          address,
          method === 'POST' ? { form } : {},
        );
        expect([name, value.slice(0, 20), answer.status < 500]).toEqual([
          name,
          value.slice(0, 20),
          true,
        ]);
      }
    }
  });

  test('of JSON are no faults, either', async () => {
    const bodies = [
      null,
      7,
      [],
      'text',
      { id: {} },
      { id: 7, username: [] },
      { sdkInfo: 'x', envInfo: [{}] },
    ];
    for (const json of bodies) {
      for (const path of ['password', 'cert', 'ext-jwt', 'totp', 'totp/enroll/verify']) {
        const { status } = await ask(controller.port, 'POST', `/oidc/login/${path}`, { json });
        expect([json, path, status >= 400 && status < 500]).toEqual([json, path, true]);
      }
    }
  });

  test('of headers are no faults', async () => {
    for (const authorization of [
      'Basic',
      'Basic %%%',
      'Basic Og==',
      'Bearer ',
      'Bearer a.b.c',
      'x',
    ]) {
      const form = { grant_type: 'refresh_token', refresh_token: 'x' };
      const answer = await ask(controller.port, 'POST', '/oidc/oauth/token', {
        form,
        headers: { authorization },
      });
      expect([authorization, answer.status, answer.body.error]).toEqual([
        authorization,
        400,
        'invalid_client',
      ]);
    }
  });
});

test.each(['0', '65536', '99999'])('a host with the port %s has no provider', async (port) => {
  const headers = { host: `localhost:${port}` };
  const redirect = encodeURIComponent('https://a.example/auth/callback');
  for (const path of [
    `authorize?client_id=native&redirect_uri=${redirect}`,
    `end_session?post_logout_redirect_uri=${redirect}`,
    '.well-known/openid-configuration',
  ]) {
    const answer = await ask(controller.port, 'GET', `/oidc/${path}`, { headers });
    expect([path, answer.status, answer.text]).toEqual([path, 404, 'not found']);
  }
});

test('garbage of a fixed seed is refused as the standards say, and tells no secret', async () => {
  const { faults, sent, refused } = await runGarbage({ seed: 20_261_128, count: 400 });
  expect(faults).toEqual([]);
  expect([sent, refused > 200]).toEqual([400, true]);
});

test('a foreign path and a foreign method are refused', async () => {
  for (const path of [
    '/oidc',
    '/oidc/',
    '/oidc/other',
    '/oidc/constructor',
    '/oidc/../oidc/keys',
  ]) {
    expect([path, (await ask(controller.port, 'GET', path)).status]).toEqual([path, 404]);
  }
  const answer = await ask(controller.port, 'PUT', '/oidc/oauth/token');
  expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
});

test('a body of one parameter many times is read in one pass', () => {
  const many = Array.from({ length: 400_000 }, (): [string, string] => ['a', 'b']);
  expect(new Parameters(many).all('a')).toHaveLength(400_000);
});
