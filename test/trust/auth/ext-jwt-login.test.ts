import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { newKey } from './certificates.js';
import {
  authenticate,
  bearersOf,
  call,
  newPerson,
  outcome,
  sessionIn,
  unique,
  withToken,
  type Person,
} from './client.js';
import { KeySetServer, OutsideSigner } from './signers.js';

/* Logins by a JWT of an external signer, end to end. */

let controller: TestController;
let keySets: KeySetServer;
let person: Person;

beforeAll(async () => {
  const env = { OVERGRAPH_LOGIN_LIMIT: '0', OVERGRAPH_JWKS_ALLOW_PRIVATE: 'true' };
  [controller, keySets] = await Promise.all([startController({ env }), KeySetServer.listen()]);
});
afterAll(async () => {
  await Promise.all([controller.stop(), keySets.stop()]);
});
beforeEach(async () => {
  person = await newPerson(controller);
});

const logIn = (...tokens: string[]) =>
  authenticate(controller, 'ext-jwt', { headers: { authorization: bearersOf(tokens) } });

const newSigner = async (
  settings: (signer: OutsideSigner) => object = (signer) => signer.settings,
): Promise<{ signer: OutsideSigner; id: string }> => {
  const signer = await OutsideSigner.create(unique('issuer'));
  return { signer, id: await controller.create('external-jwt-signers', settings(signer)) };
};

describe('a signer with a certificate', () => {
  test('lets in whom its JWT names by id', async () => {
    const { signer, id } = await newSigner();
    const answer = await logIn(await signer.jwt(person.id));
    const session = sessionIn(answer);
    expect(session).toMatchObject({
      identityId: person.id,
      authenticatorId: `extJwtId:${id}`,
      isCertExtendable: false,
      authQueries: [],
    });
    expect(answer.headers['zt-session']).toBe(session.token);
    const used = await call(controller, 'GET', '/current-identity', withToken(session.token));
    expect(used.body.data).toMatchObject({ id: person.id });
  });

  test('may name identities by their external id', async () => {
    const externalId = unique('external');
    const known = await newPerson(controller, { externalId });
    const { signer } = await newSigner((s) => ({ ...s.settings, useExternalId: true }));
    expect(sessionIn(await logIn(await signer.jwt(externalId))).identityId).toBe(known.id);
    expect(outcome(await logIn(await signer.jwt(known.id)))).toEqual([401, 'UNAUTHORIZED']);
  });

  test.each([
    ['email', { email: 'ID' }],
    ['/user/id', { user: { id: 'ID' } }],
    ['/ids/0', { ids: ['ID'] }],
  ])('may name them in the claim %s', async (claimsProperty, claims) => {
    const { signer } = await newSigner((s) => ({ ...s.settings, claimsProperty }));
    const named = JSON.parse(JSON.stringify(claims).replace('ID', person.id)) as object;
    expect((await logIn(await signer.jwt('nobody', { ...named }))).status).toBe(200);
    expect((await logIn(await signer.jwt(person.id))).status).toBe(401);
  });

  test('is found among several bearers, and session tokens', async () => {
    const { signer } = await newSigner();
    const { signer: second } = await newSigner();
    const wrong = await second.jwt('nobody', { aud: 'elsewhere' });
    const right = await signer.jwt(person.id);
    expect((await logIn(wrong, 'x.y.z', right)).status).toBe(200);
    expect((await logIn(wrong, 'x.y.z', wrong, right)).status).toBe(401);
    const beside = await authenticate(controller, 'ext-jwt', {
      headers: { 'zt-session': controller.token, authorization: bearersOf([right]) },
    });
    expect(sessionIn(beside).identityId).toBe(person.id);
  });

  test('counts no more when it is disabled, and again when it is enabled', async () => {
    const { signer, id } = await newSigner();
    const token = await signer.jwt(person.id);
    const statuses: number[] = [];
    for (const enabled of [false, true]) {
      await controller.rest('PATCH', `/external-jwt-signers/${id}`, { enabled });
      statuses.push((await logIn(token)).status);
    }
    expect(statuses).toEqual([401, 200]);
  });

  test('does not speak for another', async () => {
    const { signer } = await newSigner();
    const { signer: other } = await newSigner();
    const forged = await signer.jwt(person.id, {}, { key: other.key });
    expect(outcome(await logIn(forged))).toEqual([401, 'UNAUTHORIZED']);
    const borrowed = await other.jwt(person.id, { iss: signer.issuer }, { kid: other.kid });
    expect(outcome(await logIn(borrowed))).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('a signer with a key set', () => {
  test('lets in by the keys that it shows, and by new ones', async () => {
    const { signer } = await newSigner((s) => s.settingsBy(keySets.url));
    keySets.keys.set('first', signer.key);
    const first = await signer.jwt(person.id, {}, { kid: 'first' });
    expect((await logIn(first)).status).toBe(200);
    const { downloads } = keySets;
    expect((await logIn(first)).status).toBe(200);
    expect(keySets.downloads).toBe(downloads);

    const key = newKey();
    keySets.keys.clear();
    keySets.keys.set('second', key);
    const second = await signer.jwt(person.id, {}, { kid: 'second', key });
    await expect(eventualStatus(second)).resolves.toBe(200);
    // What was shown once still counts.
    expect((await logIn(first)).status).toBe(200);
  });

  /** Unknown keys are asked for once per second. */
  async function eventualStatus(token: string): Promise<number> {
    for (let i = 0; i < 60; i += 1) {
      const { status } = await logIn(token);
      if (status === 200) return status;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return 401;
  }

  test('asks for the key set once per second at most', async () => {
    const { signer } = await newSigner((s) => s.settingsBy(`${keySets.url}?often`));
    const before = keySets.downloads;
    const begun = Date.now();
    const unknown = await signer.jwt(person.id, {}, { kid: 'unknown' });
    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => logIn(unknown)));
    const seconds = Math.floor((Date.now() - begun) / 1000);
    expect(keySets.downloads - before).toBeLessThanOrEqual(1 + seconds);
  });

  test('that can not be reached says no more than a wrong token', async () => {
    const { signer, id } = await newSigner((s) => s.settingsBy('http://127.0.0.1:1/keys'));
    const answer = await logIn(await signer.jwt(person.id));
    expect(outcome(answer)).toEqual([401, 'UNAUTHORIZED']);
    expect(answer.headers['www-authenticate']).toContain('error="invalid"');
    expect(answer.headers['www-authenticate']).toContain(id);
    expect(answer.text).not.toMatch(/ECONN|127\.0\.0\.1/);
  });
});

describe('clients without a session', () => {
  test('read what they need to get a JWT', async () => {
    const { signer, id } = await newSigner();
    const filter = encodeURIComponent(`id="${id}"`);
    const { status, body } = await call(
      controller,
      'GET',
      `/external-jwt-signers?filter=${filter}`,
    );
    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      {
        id,
        name: signer.issuer,
        externalAuthUrl: `https://${signer.issuer}.example/login`,
        clientId: `client-of-${signer.issuer}`,
        scopes: ['openid'],
        audience: 'overlay',
      },
    ]);
    expect(JSON.stringify(body.data)).not.toMatch(/certPem|jwksEndpoint|kid/);
  });
});

describe('GraphQL', () => {
  test('takes the bearer of the request too', async () => {
    const { signer } = await newSigner();
    const answer = await call(controller, 'POST', '/graphql', {
      headers: { authorization: bearersOf([await signer.jwt(person.id)]) },
      body: { query: 'mutation { authenticate(method: "ext-jwt", input: {}) { identityId } }' },
    });
    expect(answer.body).toMatchObject({ data: { authenticate: { identityId: person.id } } });
  });
});
