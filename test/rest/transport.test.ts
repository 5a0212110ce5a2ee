import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse as parseYaml } from 'yaml';
import {
  ADMIN_PASSWORD,
  startController,
  type Envelope,
  type TestController,
} from '../support/controller.js';

/** What the wire looks like whatever is asked: paths, headers, envelopes, paging. */

const CLIENT = '/edge/client/v1';
const MANAGEMENT = '/edge/management/v1';

let controller: TestController;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());

/** Without session. */
const get = (path: string, headers: Record<string, string> = {}) =>
  controller.send<Envelope>('GET', path, { headers });

/** With the admin's session. */
const read = (path: string, headers: Record<string, string> = {}) =>
  get(path, { 'zt-session': controller.token, ...headers });

describe('the version', () => {
  test.each([
    '/',
    '/version',
    CLIENT,
    `${CLIENT}/`,
    `${CLIENT}/version`,
    MANAGEMENT,
    `${MANAGEMENT}/`,
    `${MANAGEMENT}/version`,
    '/edge/v1',
    '/edge/v1/version',
    `${MANAGEMENT}/version?rejectUnauthorized=false`,
  ])('is at %s', async (path) => {
    const { status, headers, body } = await get(path);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(body.data).toMatchObject({
      // C SDKs enroll by JWTs of others at controllers of version 2 alone.
      version: expect.stringMatching(/^v2\.\d+\.\d+$/),
      buildDate: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      apiVersions: {
        edge: { v1: { path: CLIENT } },
        'edge-client': { v1: { path: CLIENT } },
        'edge-management': { v1: { path: MANAGEMENT } },
        fabric: { v1: { path: '/fabric/v1' } },
      },
    });
  });

  test('promises no OIDC, and its capabilities are a list', async () => {
    const { body } = await get('/version');
    const { capabilities, apiVersions } = body.data as Record<string, object>;
    expect(capabilities).toEqual([]);
    expect(apiVersions).not.toHaveProperty('edge-oidc');
  });

  test('names base addresses that end in the path', async () => {
    const { body } = await get('/version');
    const { apiVersions } = body.data as {
      apiVersions: Record<string, { v1: { path: string; apiBaseUrls: string[] } }>;
    };
    for (const { v1 } of Object.values(apiVersions)) {
      expect(v1.apiBaseUrls[0]).toBe(`https://localhost:${String(controller.port)}${v1.path}`);
    }
  });
});

describe('the CA bundle', () => {
  test.each(['', CLIENT, MANAGEMENT, '/edge/v1'])(
    'is PKCS#7 in base64 lines under "%s"',
    async (base) => {
      const { status, headers, text } = await get(`${base}/.well-known/est/cacerts`, {
        accept: 'application/pkcs7-mime',
      });
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('application/pkcs7-mime');
      expect(headers['content-transfer-encoding']).toBe('base64');
      expect(text).toMatch(/^([A-Za-z0-9+/]{64}\n)*[A-Za-z0-9+/]{1,64}={0,2}$/);
      const der = Buffer.from(text, 'base64').toString('hex');
      // A SEQUENCE that begins with the object identifier of SignedData (RFC 5652, section 14).
      expect(der).toMatch(/^3082[0-9a-f]{4}06092a864886f70d010702/);
    },
  );
});

describe('other names of paths', () => {
  test.each(['', CLIENT, MANAGEMENT, '/edge/v1'])('network JWTs are under "%s"', async (base) => {
    const { status, body } = await get(`${base}/network-jwts`);
    expect(status).toBe(200);
    expect(body.data).toEqual([
      { name: expect.any(String), token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) },
    ]);
  });

  test.each(['/current-identity', '/services', '/edge/v1/services', '/specs', '/protocols'])(
    'the client path %s is served without its base path',
    async (path) => {
      expect((await read(path)).status).toBe(200);
    },
  );

  test('a login without base path is one on the client interface', async () => {
    const answer = await controller.send<Envelope>('POST', '/authenticate?method=password', {
      body: JSON.stringify({ username: 'admin', password: 'correct horse' }),
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(200);
    const { token } = answer.body.data as { token: string };
    expect(answer.headers['zt-session']).toBe(token);
    expect((await get(`${MANAGEMENT}/identities`, { 'zt-session': token })).status).toBe(200);
  });

  test.each([
    `${MANAGEMENT}//identities`,
    `${MANAGEMENT}/identities/`,
    `//edge//management/v1///identities//`,
    `${MANAGEMENT}/identity-types/Default//`,
    `${MANAGEMENT}/config-types/NH5p4FpGR/configs/`,
  ])('slashes do not count in %s', async (path) => {
    expect((await read(path)).status).toBe(200);
  });
});

describe('what is not served', () => {
  test.each([
    `${MANAGEMENT}/nothing`,
    `${CLIENT}/nothing`,
    '/nothing',
    '/fabric/v1/nothing',
    '/fabric/v2/routers',
    '/edge/other/v1/identities',
    `${MANAGEMENT}/identities/%zz`,
  ])('%s is not found', async (path) => {
    const { status, headers, body } = await read(path);
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/json');
    expect(body).toEqual({
      error: {
        code: 'NOT_FOUND',
        message: 'The resource requested was not found or is no longer available',
        requestId: expect.stringMatching(/^.+$/),
      },
      meta: { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' },
    });
  });

  test.each([
    ['POST', '/version'],
    ['POST', `${MANAGEMENT}/version`],
    ['POST', `${CLIENT}/services`],
    ['POST', `${MANAGEMENT}/identity-types`],
    ['DELETE', `${MANAGEMENT}/controllers`],
  ])('%s %s is no method of the path', async (method, path) => {
    const { status, headers, body } = await controller.rest(method, path);
    expect(status).toBe(405);
    expect(headers.allow).toContain('GET');
    expect(body.error).toMatchObject({
      code: 'METHOD_NOT_ALLOWED',
      message: 'The resource requested does not support this HTTP verb',
    });
    expect(body).not.toHaveProperty('data');
  });
});

describe('content types', () => {
  test('of a body that nobody reads are a fault of the request', async () => {
    const { status, body } = await controller.send<Envelope>('POST', `${MANAGEMENT}/services`, {
      body: '<service/>',
      headers: { 'content-type': 'application/xml', 'zt-session': controller.token },
    });
    expect([status, body.error]).toMatchObject([
      415,
      {
        code: 'COULD_NOT_VALIDATE',
        message:
          'The supplied request contains an invalid document or no valid accept content were available, see cause',
        cause: { message: 'content type application/xml is not supported' },
      },
    ]);
  });

  test('that can not be had are a fault of the request', async () => {
    const { status, body } = await get(`${CLIENT}/version`, { accept: 'text/html' });
    expect([status, body.error.code]).toEqual([406, 'COULD_NOT_VALIDATE']);
    expect(body.error.cause?.message).toMatch(/content type/);
  });
});

describe('headers', () => {
  test('every answer tells the instance and the server', async () => {
    const answers = [
      await get('/version'),
      await get('/nothing'),
      await read(`${CLIENT}/services`),
    ];
    const instances = answers.map(({ headers }) => headers['ziti-instance-id']);
    expect(new Set(instances).size).toBe(1);
    expect(instances[0]).toMatch(/^.{8,}$/);
    for (const { headers } of answers) {
      expect(headers.server).toMatch(/^ziti-controller\/v\d/);
      expect(Number(headers['content-length'])).toBeGreaterThan(0);
      expect(headers).not.toHaveProperty('set-cookie');
      expect(headers).not.toHaveProperty('ziti-ctrl-address');
      expect(headers).not.toHaveProperty('x-powered-by');
    }
  });

  test('authenticated answers tell when the session ends', async () => {
    const { headers } = await read(`${MANAGEMENT}/identities`);
    expect(headers['expiration-seconds']).toBe('1800');
    const left = new Date(String(headers['expires-at'])).getTime() - Date.now();
    expect(left).toBeGreaterThan(1_790_000);
    expect(left).toBeLessThanOrEqual(1_800_000);
    expect((await get('/version')).headers).not.toHaveProperty('expires-at');
  });

  test.each([CLIENT, MANAGEMENT])('the login at %s tells when its session ends', async (base) => {
    const credentials = { username: 'admin', password: ADMIN_PASSWORD };
    const { headers, body } = await controller.rest(
      'POST',
      `${base}/authenticate?method=password`,
      credentials,
      { 'zt-session': '' },
    );
    const { expiresAt } = body.data as { expiresAt: string };
    expect(headers).toMatchObject({ 'expiration-seconds': '1800', 'expires-at': expiresAt });
  });

  test('a refusal tells it to those who have a session', async () => {
    const missing = await read(`${MANAGEMENT}/identities/nobody`);
    expect([missing.status, missing.headers['expiration-seconds']]).toEqual([404, '1800']);
    expect((await get(`${MANAGEMENT}/identities`)).headers).not.toHaveProperty('expires-at');
  });

  test('a second snapshot within a minute is told when to come back, on both doors', async () => {
    const snapshot = () => controller.rest('POST', '/database/snapshot');
    expect((await snapshot()).status).toBe(200);
    const overGraph = controller.send('POST', '/graphql', {
      body: JSON.stringify({ query: 'mutation { createSnapshot { name } }' }),
      headers: { 'content-type': 'application/json', 'zt-session': controller.token },
    });
    for (const { status, headers } of [await snapshot(), await overGraph]) {
      expect(status).toBe(429);
      expect(Number(headers['retry-after'])).toBeGreaterThan(30);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    }
  });

  test('HEAD is GET without the body', async () => {
    const path = `${MANAGEMENT}/identities`;
    const whole = await read(path);
    const head = await controller.send('HEAD', path, {
      headers: { 'zt-session': controller.token },
    });
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
    expect(head.headers['content-type']).toBe('application/json');
  });

  test.each([
    ['zt-session', 'made-up'],
    ['authorization', 'Bearer 5bd2a1a2-7f53-4f1c-9d41-8c9d9e6dfa56'],
  ])('an open path ignores a bad %s', async (name, value) => {
    const { status, headers } = await get('/version', { [name]: value });
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('www-authenticate');
  });

  test('a bearer token is a session too, and a bad one is answered as such', async () => {
    const path = `${MANAGEMENT}/identities`;
    expect((await get(path, { authorization: `Bearer ${controller.token}` })).status).toBe(200);
    const { status, headers } = await get(path, { authorization: 'Bearer made-up' });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toMatch(
      /^Bearer realm="openziti-oidc" error="invalid" error_description="/,
    );
  });

  test.each([
    undefined,
    '*/*',
    'application/json',
    'application/*',
    'text/html, application/json;q=0.9',
  ])('accepting %s is accepting JSON', async (accept) => {
    const { status } = await read(`${MANAGEMENT}/identities`, accept ? { accept } : {});
    expect(status).toBe(200);
  });
});

describe('pages of other origins', () => {
  const origin = 'https://console.example.com';

  test('may ask before they send', async () => {
    const { status, headers } = await controller.send('OPTIONS', `${MANAGEMENT}/identities`, {
      headers: {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'content-type,zt-session',
      },
    });
    expect(status).toBe(200);
    expect(headers['access-control-allow-origin']).toBe('*');
    for (const name of ['content-type', 'accept', 'authorization', 'zt-session', 'session-token']) {
      expect(headers['access-control-allow-headers']).toContain(name);
    }
    expect(headers['access-control-allow-headers']).toContain('mfa-validation-code');
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(headers['access-control-allow-methods']).toContain(method);
    }
  });

  test('may read answers, without credentials of the browser', async () => {
    for (const path of ['/version', '/nothing', `${MANAGEMENT}/identities`]) {
      const { headers } = await get(path, { origin });
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });
});

describe('the specs', () => {
  test.each([
    [CLIENT, ['edge-client']],
    [MANAGEMENT, ['edge-client', 'edge-management']],
  ])('are listed with their links at %s', async (base, ids) => {
    const { body } = await get(`${base}/specs`);
    const specs = body.data as { id: string; name: string; _links: object }[];
    expect(specs.map(({ id }) => id).sort()).toEqual(ids);
    for (const { id, name, _links } of specs) {
      expect(name).toBe(id);
      expect(_links).toEqual({
        self: { href: `./specs/${id}` },
        spec: { href: `./specs/${id}/spec` },
      });
    }
  });

  test.each(['edge-client', 'edge-management'])('%s comes as JSON and as YAML', async (id) => {
    const path = `${MANAGEMENT}/specs/${id}/spec`;
    const asJson = await get(path, { accept: 'application/json' });
    expect(asJson.headers['content-type']).toBe('application/json');
    expect(asJson.body).toMatchObject({ openapi: expect.stringMatching(/^3\./) });
    const asYaml = await get(path, { accept: 'text/yaml' });
    expect(asYaml.headers['content-type']).toBe('text/yaml');
    expect(parseYaml(asYaml.text)).toEqual(asJson.body);
  });

  test('an unknown spec is not found', async () => {
    const { status, body } = await get(`${CLIENT}/specs/other`);
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  test.each([
    [CLIENT, undefined, CLIENT],
    [MANAGEMENT, undefined, MANAGEMENT],
    [CLIENT, `https://localhost${MANAGEMENT}/docs`, MANAGEMENT],
  ])('%s/swagger.json asked from %s describes %s', async (base, referer, described) => {
    const { headers, body } = await get(`${base}/swagger.json`, referer ? { referer } : {});
    expect(headers['content-type']).toBe('application/json');
    expect(body).toMatchObject({ servers: [{ url: described }] });
  });
});

describe('a lost update', () => {
  const path = '/config-types';
  let id: string;
  const etag = async () => String((await controller.rest('GET', `${path}/${id}`)).headers.etag);
  const patch = (ifMatch: string) =>
    controller.rest('PATCH', `${path}/${id}`, { tags: { at: ifMatch } }, { 'if-match': ifMatch });

  beforeAll(async () => {
    id = await controller.create('config-types', { name: 'guarded' });
  });

  test('is refused by an ETag that is no longer true', async () => {
    const before = await etag();
    expect((await patch(before)).status).toBe(200);
    expect(await etag()).not.toBe(before);
    const late = await patch(before);
    expect([late.status, late.body.error.code]).toEqual([412, 'REVISION_CONFLICT']);
    const replaced = await controller.rest(
      'PUT',
      `${path}/${id}`,
      { name: 'guarded' },
      {
        'if-match': before,
      },
    );
    expect(replaced.status).toBe(412);
    const deleted = await controller.rest('DELETE', `${path}/${id}`, undefined, {
      'if-match': before,
    });
    expect(deleted.status).toBe(412);
  });

  test.each(['"no revision"', 'garbage', '"999999"'])('is refused for %s', async (ifMatch) => {
    expect((await patch(ifMatch)).status).toBe(412);
  });

  test('is refused by the ETag of another entity, even of the same revision', async () => {
    const [one, other] = [
      await controller.create('config-types', { name: 'one' }),
      await controller.create('config-types', { name: 'other' }),
    ];
    const tagOf = async (of: string) =>
      String((await controller.rest('GET', `${path}/${of}`)).headers.etag);
    const send = async (method: string, ifMatch: string) => {
      const body = method === 'DELETE' ? undefined : { name: 'one' };
      const headers = { 'if-match': ifMatch };
      return (await controller.rest(method, `${path}/${one}`, body, headers)).status;
    };
    const othersTag = await tagOf(other);
    expect(othersTag).toMatch(/^"1\b.*"$/);
    for (const method of ['PATCH', 'PUT', 'DELETE']) {
      expect([method, await send(method, othersTag)]).toEqual([method, 412]);
    }
    expect(await send('PATCH', await tagOf(one))).toBe(200);
  });

  test('is refused by a bare revision, too, as the graph shows it', async () => {
    const bare = await controller.create('config-types', { name: 'bare' });
    const send = async (ifMatch: string) =>
      (await controller.rest('PATCH', `${path}/${bare}`, {}, { 'if-match': ifMatch })).status;
    expect([await send('"2"'), await send('"1"')]).toEqual([412, 200]);
  });

  test('is not feared with * or without If-Match', async () => {
    expect((await patch('*')).status).toBe(200);
    expect((await controller.rest('PATCH', `${path}/${id}`, {})).status).toBe(200);
    expect((await patch(`W/${await etag()}`)).status).toBe(200);
  });
});
