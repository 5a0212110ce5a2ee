import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import {
  newAuthority,
  newCsr,
  newKey,
  newLeaf,
  type ClientCertificate,
} from '../auth/certificates.js';
import { call, outcome, runSql, unique } from '../auth/client.js';
import {
  startController,
  type Answer,
  type Envelope,
  type TestController,
} from '../../support/controller.js';
import { armoured, derOf } from '../pki/certificates.js';
import { addAuthority, addVerified, enrollByText, invite, type Invited } from './enrolling.js';
import { disordered, RUNS, withWrongByte } from './wrong-texts.js';

/* Enrollments that do not happen: by what they are refused, and that nothing comes of them. */

let controller: TestController;
let csr: string;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  csr = await newCsr(newKey());
});
afterAll(() => controller.stop());

const enroll = (query: string, body?: unknown, certificate?: ClientCertificate) =>
  call(controller, 'POST', `/enroll${query}`, { body, certificate });

describe('certificates of authorities that enroll by themselves', () => {
  // First, while there is none.
  test('need such an authority', async () => {
    const authority = await newAuthority(unique('CA without rights'));
    await addAuthority(controller, authority, { isAutoCaEnrollmentEnabled: true });
    await addVerified(controller, await newAuthority(unique('CA of logins')));
    const answer = await enroll('?method=ca', {}, await newLeaf('device', authority));
    expect(outcome(answer)).toEqual([400, 'ENROLLMENT_NO_VALID_CAS']);
  });

  test('are refused when they do not count', async () => {
    const authority = await newAuthority(unique('CA that enrolls'));
    await addVerified(controller, authority, { isAutoCaEnrollmentEnabled: true });
    const bad = [
      undefined,
      await newLeaf('device', await newAuthority('CA of nobody')),
      await newLeaf('device', undefined),
      await newLeaf('device', authority, { isExpired: true }),
    ];
    for (const one of bad) {
      expect(outcome(await enroll('?method=ca', {}, one))).toEqual([400, 'CERT_FAILED_VALIDATION']);
    }
  });

  test('are refused without the claim of the authority', async () => {
    const authority = await newAuthority(unique('CA with claims'));
    await addVerified(controller, authority, {
      isAutoCaEnrollmentEnabled: true,
      externalIdClaim: { location: 'SAN_EMAIL', matcher: 'ALL', parser: 'NONE', index: 0 },
    });
    const answer = await enroll('?method=ca', {}, await newLeaf('device', authority));
    expect(outcome(answer)).toEqual([400, 'MISSING_CERT_CLAIM']);
  });

  const SOUND_NAMES = [
    ['of 10,000 letters', 'a'.repeat(10_000)],
    ['of blanks', '   '],
  ] as const;
  // The database refuses these, which should not be left to it.
  const UNSOUND_NAMES = [
    ['with NUL', 'a\u0000b'],
    ['with half a character', 'a\ud800b'],
    ['of 200,000 characters without order', disordered(20_000)],
  ] as const;

  test.each(SOUND_NAMES)('are no harm with names %s', takesName);
  test.each(UNSOUND_NAMES)('are no harm with names %s', takesName);

  async function takesName(_: string, name: string): Promise<void> {
    const authority = await newAuthority(unique('CA of names'));
    await addVerified(controller, authority, {
      isAutoCaEnrollmentEnabled: true,
      identityNameFormat: '[requestedName]',
    });
    const answer = await enroll('?method=ca', { name }, await newLeaf('device', authority));
    expect(answer.status).toBeLessThan(500);
  }
});

describe('a token', () => {
  const METHODS = ['ott', 'ottca', 'updb', 'erott', 'trott'];
  const requests = () => ({ clientCsr: csr, serverCsr: csr, password: 'horse battery' });

  function expectUnknown(answer: Answer<Envelope>): void {
    const [status, code] = outcome(answer);
    expect(code).toBe('INVALID_ENROLLMENT_TOKEN');
    expect(status).toBe(404);
  }

  test.each(METHODS)('that nobody knows is refused by %s', async (method) => {
    for (const token of [randomUUID(), '', 'nonsense', '%00', `${randomUUID()}0`, "' or 1=1"]) {
      const query = `?method=${method}&token=${token.includes('%') ? token : encodeURIComponent(token)}`;
      expectUnknown(await enroll(query, requests()));
    }
    expectUnknown(await enroll(`?method=${method}`, requests()));
  });

  test.each([undefined, '*/*', 'application/json', 'application/x-pem-file, application/json'])(
    'that nobody knows is refused in JSON for those who accept %s',
    async (accept) => {
      const answer = await call(controller, 'POST', `/enroll?method=ott&token=${randomUUID()}`, {
        body: requests(),
        headers: accept === undefined ? {} : { accept },
      });
      expect(answer.headers['content-type']).toBe('application/json');
      expectUnknown(answer);
    },
  );

  test('has to be named to enroll by password', async () => {
    const answer = await enroll('/updb', requests());
    expect(outcome(answer)).toEqual([400, 'COULD_NOT_VALIDATE']);
    expect(answer.body.error.cause).toMatchObject({ field: 'token' });
  });

  test('that nobody knows is not found', async () => {
    const answer = await enroll(`?method=ott&token=${randomUUID()}`, requests());
    expect(outcome(answer)).toEqual([404, 'INVALID_ENROLLMENT_TOKEN']);
  });

  test('that nobody knows is refused before the request is looked at', async () => {
    const token = randomUUID();
    for (const body of [undefined, {}, { clientCsr: 'nonsense' }]) {
      const answer = await enroll(`?method=ott&token=${token}`, body);
      expect(answer.body.error.code).toBe('INVALID_ENROLLMENT_TOKEN');
    }
  });

  test('is of no use to those who accept no JSON', async () => {
    const { token } = await invite(controller, { ott: true });
    const answer = await call(controller, 'POST', `/enroll?method=ott&token=${token}`, {
      body: requests(),
      headers: { accept: 'application/x-pem-file' },
    });
    expect(answer.status).toBe(406);
    expect((await enroll(`?token=${token}`, requests())).status).toBe(200);
  });

  test.each(METHODS.slice(1))('of method ott is refused by %s', async (method) => {
    const { token } = await invite(controller, { ott: true });
    const answer = await enroll(`?method=${method}&token=${token}`, requests());
    expect(outcome(answer)).toEqual([400, 'INVALID_ENROLL_METHOD']);
    expect((await enroll(`?token=${token}`, requests())).status).toBe(200);
  });

  const isRefused = async (method: string): Promise<void> => {
    const { token } = await invite(controller, { ott: true });
    const answer = await enroll(`?method=${method}&token=${token}`, requests());
    expect(outcome(answer)).toEqual([400, 'INVALID_ENROLL_METHOD']);
  };
  test.each(['nonsense', 'OTT'])('is refused by the method %s, which there is not', isRefused);
  test.each(['__proto__', 'constructor', 'toString'])(
    'is refused by the method %s, which objects have',
    isRefused,
  );

  test.each(['ott', 'updb'])('of method %s is refused when its time is over', async (method) => {
    const given = method === 'ott' ? { ott: true } : { updb: unique('late') };
    const { token } = await invite(controller, given);
    await runSql(
      controller,
      "update enrollment set expires_at = now() - interval '1 minute' where token = $1",
      [token],
    );
    const answer = await enroll(`?method=${method}&token=${token}`, requests());
    expect(outcome(answer)).toEqual([400, 'ENROLLMENT_EXPIRED']);
  });

  test('of an authority that may not enroll is refused', async () => {
    const authority = await newAuthority(unique('CA that lost its right'));
    const caId = await addVerified(controller, authority, { isOttCaEnrollmentEnabled: true });
    const { token } = await invite(controller, { ottca: caId });
    await controller.rest('PATCH', `/cas/${caId}`, { isOttCaEnrollmentEnabled: false });
    const certificate = await newLeaf('device', authority);
    const answer = await enroll(`?method=ottca&token=${token}`, {}, certificate);
    expect(outcome(answer)).toEqual([400, 'ENROLLMENT_CA_NOT_VALID']);
  });

  test('of an authority that is not verified is refused', async () => {
    const authority = await newAuthority(unique('CA without proof'));
    const caId = await addAuthority(controller, authority, { isOttCaEnrollmentEnabled: true });
    const { token } = await invite(controller, { ottca: caId });
    const certificate = await newLeaf('device', authority);
    const answer = await enroll(`?method=ottca&token=${token}`, {}, certificate);
    expect(outcome(answer)).toEqual([400, 'ENROLLMENT_CA_NOT_VALID']);
  });
});

describe('a request for a certificate', () => {
  let invited: Invited;
  let query: string;

  beforeEach(async () => {
    invited = await invite(controller, { ott: true });
    query = `?method=ott&token=${invited.token}`;
  });

  const expectUnused = async (): Promise<void> => {
    const { body } = await controller.rest(
      'GET',
      `/identities/${invited.identityId}/authenticators`,
    );
    expect(body.data).toEqual([]);
    expect((await enrollByText(controller, query, csr)).status).toBe(200);
  };

  const weak = () => newCsr(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey);
  const otherKind = async () => (await newLeaf('device', undefined)).cert;

  test.each<[string, () => string | Promise<string>]>([
    ['that is nonsense', () => 'nonsense'],
    ['that is empty inside', () => armoured('CERTIFICATE REQUEST', Buffer.alloc(0))],
    ['of zeros', () => armoured('CERTIFICATE REQUEST', Buffer.alloc(200))],
    ['for a weak RSA key', weak],
    ['that is a certificate', otherKind],
    [
      'that is a certificate by another label',
      async () => armoured('CERTIFICATE REQUEST', derOf(await otherKind())),
    ],
    ['that comes twice', () => csr + csr],
    ['with a certificate after it', async () => csr + (await otherKind())],
    ['in bare DER', () => derOf(csr).toString('latin1')],
    ['without its end', () => csr.slice(0, -40)],
    [
      'with something after its DER',
      () => armoured('CERTIFICATE REQUEST', Buffer.concat([derOf(csr), Buffer.alloc(4)])),
    ],
    ['that is too long', () => armoured('CERTIFICATE REQUEST', Buffer.alloc(100_000, 0x30))],
  ])('%s is refused', async (_, make) => {
    const made = await make();
    for (const answer of [
      await enrollByText(controller, query, made),
      await enroll(query, { clientCsr: made }),
    ]) {
      expect(outcome(answer)).toEqual([400, 'COULD_NOT_PROCESS_CSR']);
    }
    await expectUnused();
  });

  test('is missed', async () => {
    for (const answer of [
      await enroll(query),
      await enroll(query, {}),
      await enroll(query, { clientCsr: '' }),
      await enrollByText(controller, query, ''),
    ]) {
      expect(outcome(answer)).toEqual([400, 'MISSING_OR_INVALID_CSR']);
    }
    await expectUnused();
  });

  test.each<unknown>([
    [],
    [1],
    'text',
    1,
    null,
    true,
    { clientCsr: 5 },
    { clientCsr: {} },
    { clientCsr: ['a'] },
  ])('is missed in %j', async (body) => {
    const answer = await enroll(query, body);
    expect(answer.status).toBe(400);
    expect(typeof answer.body.error.code).toBe('string');
    await expectUnused();
  });

  test.each([
    ['application/json', '{"clientCsr":', 400, 'COULD_NOT_PARSE_BODY'],
    ['application/xml', '<csr/>', 415, 'COULD_NOT_VALIDATE'],
    ['application/json', ' '.repeat(1_048_577), 413, undefined],
    ['text/plain', 'a'.repeat(1_048_577), 413, undefined],
  ])('in the wrong %s is refused', async (contentType, body, status, code) => {
    const answer = await enrollByText(controller, query, body, contentType);
    expect(answer.status).toBe(status);
    if (code !== undefined) expect(answer.body.error.code).toBe(code);
    await expectUnused();
  });

  test('that was changed in any byte is refused', async () => {
    await fc.assert(
      fc.asyncProperty(withWrongByte('CERTIFICATE REQUEST', csr), async (sent) => {
        expect((await enrollByText(controller, query, sent)).status).toBe(400);
      }),
      RUNS,
    );
    await expectUnused();
  });

  test('of any bytes is refused', async () => {
    const part = fc.uint8Array({ maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(part, fc.boolean(), async (bytes, isPem) => {
        const sent = isPem ? armoured('CERTIFICATE REQUEST', bytes) : Buffer.from(bytes);
        expect((await enrollByText(controller, query, sent)).status).toBe(400);
      }),
      RUNS,
    );
    await expectUnused();
  });

  test('is read from POST alone', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      expect((await call(controller, method, `/enroll${query}`)).status).toBe(405);
    }
  });
});

describe('a password', () => {
  test.each([undefined, '', 'abc', 'a'.repeat(101), 12, null, {}, ['horse battery']])(
    'like %j is refused',
    async (password) => {
      const { token } = await invite(controller, { updb: unique('joining') });
      const query = `/updb?token=${token}`;
      const answer = await enroll(query, { password });
      expect(outcome(answer)).toEqual([400, 'COULD_NOT_VALIDATE']);
      expect(JSON.stringify(answer.body.error.cause)).not.toMatch(/abc|aaaa|horse/);
      expect((await enroll(query, { password: 'horse battery' })).status).toBe(200);
    },
  );
});
