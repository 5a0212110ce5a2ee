import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import type { KeyMaterial } from '../../../src/trust/pki/index.js';
import { startController, type TestController } from '../../support/controller.js';
import { keysOf, newCsr, newKey, withKey, type KeyKind } from './certificates.js';
import {
  authenticate,
  call,
  loggedIn,
  newPerson,
  outcome,
  runSql,
  type Person,
  type SessionView,
} from './client.js';

/* Short-lived certificates of API sessions. */

const PATH = '/current-api-session/certificates';
const HOUR = 3_600_000;

let controller: TestController & { dataDir: string };
let keys: KeyMaterial;
let person: Person;
let session: SessionView;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  keys = await keysOf(controller);
  person = await newPerson(controller);
});
afterAll(() => controller.stop());
beforeEach(async () => {
  session = await loggedIn(controller, person);
});

const send = (method: string, path = '', body?: unknown, { token } = session) =>
  call(controller, method, `${PATH}${path}`, {
    headers: { 'zt-session': token },
    ...(body === undefined ? {} : { body }),
  });

interface Made {
  readonly id: string;
  readonly certificate: string;
  readonly cas: string;
}

async function make(kind: KeyKind = 'ec'): Promise<Made> {
  const { status, body } = await send('POST', '', { csr: await newCsr(newKey(kind)) });
  expect(status).toBe(201);
  return body.data;
}

describe('a new certificate', () => {
  test.each<KeyKind>(['ec', 'rsa'])(
    'certifies the key of a request (%s) for the session',
    async (kind) => {
      const key = newKey(kind);
      const before = Date.now();
      const answer = await send('POST', '', { csr: await newCsr(key, 'CN=admin, O=Whatever') });
      expect(answer.status).toBe(201);
      const { id, certificate, cas, ...rest } = answer.body.data as Made;
      expect(rest).toEqual({ _links: { self: { href: `.${PATH}/${id}` } } });
      expect(cas).toBe(keys.caBundlePem);

      const issued = new X509Certificate(certificate);
      expect(issued.subject).toBe(`CN=${person.id}`);
      expect(issued.subjectAltName).toBe(
        `URI:spiffe://${keys.trustDomain}/identity/${person.id}/apiSession/${session.id}/apiSessionCertificate/${id}`,
      );
      expect(issued.checkPrivateKey(key)).toBe(true);
      expect(issued.ca).toBe(false);
      expect(issued.verify(keys.signer.cert.publicKey)).toBe(true);
      expect(Date.parse(issued.validFrom)).toBeLessThanOrEqual(Date.now());
      expect(Math.abs(Date.parse(issued.validTo) - before - 12 * HOUR)).toBeLessThan(60_000);
    },
  );

  test('is shown, alone and in the list', async () => {
    const { id, certificate } = await make();
    const issued = new X509Certificate(certificate);
    const expected = {
      id,
      certificate,
      fingerprint: issued.fingerprint.replaceAll(':', '').toLowerCase(),
      subject: `CN=${person.id}`,
      validFrom: new Date(issued.validFrom).toISOString(),
      validTo: new Date(issued.validTo).toISOString(),
      _links: { self: { href: `.${PATH}/${id}` } },
    };
    expect((await send('GET', `/${id}`)).body.data).toMatchObject(expected);
    const { body } = await send('GET');
    expect(body.data).toMatchObject([expected]);
    expect(body.meta.pagination.totalCount).toBe(1);
    const filter = encodeURIComponent(`fingerprint="${expected.fingerprint}"`);
    expect((await send('GET', `?filter=${filter}`)).body.data).toHaveLength(1);
  });

  test('is no way to log in', async () => {
    const key = newKey();
    const { body } = await send('POST', '', { csr: await newCsr(key) });
    const certificate = withKey((body.data as Made).certificate, key);
    expect(outcome(await authenticate(controller, 'cert', { certificate }))).toEqual([
      401,
      'INVALID_AUTH',
    ]);
  });

  test.each<[string, unknown, string]>([
    ['nothing', {}, 'COULD_NOT_VALIDATE'],
    ['a number', { csr: 5 }, 'COULD_NOT_VALIDATE'],
    ['a blank', { csr: '' }, 'COULD_NOT_PROCESS_CSR'],
    ['some text', { csr: 'nonsense' }, 'COULD_NOT_PROCESS_CSR'],
  ])('is not made of %s', async (_, body, code) => {
    expect(outcome(await send('POST', '', body))).toEqual([400, code]);
  });

  test('is not made of a request with a forged signature, nor of a certificate', async () => {
    const csr = await newCsr(newKey());
    const lines = csr.trim().split('\n');
    const last = lines.at(-2) ?? '';
    const forged = [
      ...lines.slice(0, -2),
      last.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')),
      lines.at(-1),
    ];
    for (const bad of [forged.join('\n'), keys.root.toString(), `${csr}\n${csr}`]) {
      expect(outcome(await send('POST', '', { csr: bad }))).toEqual([400, 'COULD_NOT_PROCESS_CSR']);
    }
  });
});

describe('certificates of other sessions', () => {
  test('do not exist, even those of the same identity', async () => {
    const { id } = await make();
    const other = await loggedIn(controller, person);
    expect(outcome(await send('GET', `/${id}`, undefined, other))).toEqual([404, 'NOT_FOUND']);
    expect(outcome(await send('DELETE', `/${id}`, undefined, other))).toEqual([404, 'NOT_FOUND']);
    expect((await send('GET', '', undefined, other)).body.data).toEqual([]);
    expect((await send('GET', `/${id}`)).status).toBe(200);
  });

  test('are not shown to strangers', async () => {
    for (const method of ['GET', 'POST']) {
      expect((await call(controller, method, PATH, {})).status).toBe(401);
    }
  });
});

describe('the end of a certificate', () => {
  test('comes when it is deleted', async () => {
    const { id } = await make();
    const { status, body } = await send('DELETE', `/${id}`);
    expect([status, body.data]).toEqual([200, {}]);
    expect((await send('GET', `/${id}`)).status).toBe(404);
    expect(outcome(await send('DELETE', `/${id}`))).toEqual([404, 'NOT_FOUND']);
  });

  test('comes with its session', async () => {
    const { id } = await make();
    await call(controller, 'DELETE', '/current-api-session', {
      headers: { 'zt-session': session.token },
    });
    const rows = await runSql(controller, 'select id from api_session_certificate where id = $1', [
      id,
    ]);
    expect(rows).toEqual([]);
  });
});
