import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openSecret } from '../../../src/trust/pki/index.js';
import { startController, type TestController } from '../../support/controller.js';
import { keysOf } from './certificates.js';
import { outcome, runSql } from './client.js';
import { MFA, MfaHolder, type MfaRequest, type MfaStatus, type PendingMfa } from './mfa-holder.js';
import { oneTimeCode, wrongCode } from './one-time-code.js';

/* The second factor over REST, from none to pending to completed and back. */

let controller: TestController & { dataDir: string };
let holder: MfaHolder;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());
beforeEach(async () => {
  holder = await MfaHolder.create(controller);
});

describe('without a factor', () => {
  test.each<[string, string, MfaRequest, number, string]>([
    ['GET', MFA, {}, 404, 'NOT_FOUND'],
    ['GET', `${MFA}/qr-code`, {}, 404, 'NOT_FOUND'],
    ['POST', `${MFA}/verify`, { body: { code: '123456' } }, 404, 'NOT_FOUND'],
    ['POST', `${MFA}/verify`, { body: {} }, 400, 'COULD_NOT_VALIDATE'],
    ['DELETE', MFA, {}, 404, 'NOT_FOUND'],
    ['GET', `${MFA}/recovery-codes`, { code: '123456' }, 404, 'NOT_FOUND'],
    ['POST', `${MFA}/recovery-codes`, { body: { code: '123456' } }, 404, 'NOT_FOUND'],
    ['POST', '/authenticate/mfa', { body: { code: '123456' } }, 409, 'MFA_NOT_ENROLLED'],
    ['POST', '/authenticate/mfa', { body: {} }, 400, 'COULD_NOT_VALIDATE'],
    ['POST', '/authenticate/mfa', { body: { code: 123456 } }, 400, 'COULD_NOT_VALIDATE'],
  ])('%s %s with %j is %d %s', async (method, path, sent, expected, code) => {
    expect(outcome(await holder.send(method, path, sent))).toEqual([expected, code]);
  });

  test('a login is complete', async () => {
    await expect(holder.current()).resolves.toMatchObject({
      isMfaRequired: false,
      isMfaComplete: false,
      authQueries: [],
    });
  });
});

describe('a pending factor', () => {
  test('shows what an application needs, and twenty recovery codes', async () => {
    const created = await holder.send('POST', MFA);
    expect(created.body.data).toMatchObject({
      _links: { self: { href: './current-identity/mfa' } },
      id: expect.any(String),
    });
    const { provisioningUrl, recoveryCodes, isVerified, _links } = await holder.status();
    expect(isVerified).toBe(false);
    expect(provisioningUrl).toMatch(
      new RegExp(
        `^otpauth://totp/openziti\\.io:${holder.person.username}\\?issuer=openziti\\.io&secret=[A-Z2-7]{16,}$`,
      ),
    );
    expect(recoveryCodes).toHaveLength(20);
    expect(new Set(recoveryCodes).size).toBe(20);
    expect(recoveryCodes?.every((code) => /^[A-Z2-7]{6}$/.test(code))).toBe(true);
    expect(Object.keys(_links).sort()).toEqual(['current-identity', 'qr', 'self', 'verify']);
  });

  test('has a picture of 256 pixels without envelope', async () => {
    await holder.begin();
    const { status: code, headers, text } = await holder.send('GET', `${MFA}/qr-code`);
    const png = Buffer.from(text, 'latin1');
    expect([code, headers['content-type']]).toEqual([200, 'image/png']);
    expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
    // The width and height of the first chunk.
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([256, 256]);
  });

  test('is replaced by beginning anew', async () => {
    const first = await holder.begin();
    const second = await holder.begin();
    expect(second.secret).not.toBe(first.secret);
    expect(second.recoveryCodes).not.toEqual(first.recoveryCodes);
    const late = await holder.send('POST', `${MFA}/verify`, {
      body: { code: oneTimeCode(first.secret) },
    });
    expect(outcome(late)).toEqual([401, 'MFA_INVALID_TOKEN']);
  });

  test.each<[string, (pending: PendingMfa) => string]>([
    ['a wrong code', ({ secret }) => wrongCode(secret)],
    ['a blank code', () => ''],
    ['a recovery code', ({ recoveryCodes }) => recoveryCodes[0] ?? ''],
    ['a code of 8 digits', ({ secret }) => `00${oneTimeCode(secret)}`],
    ['a code with a blank', ({ secret }) => ` ${oneTimeCode(secret)}`],
    ['a code of three steps ago', ({ secret }) => oneTimeCode(secret, new Date(), -4)],
  ])('is not completed by %s', async (_, code) => {
    const pending = await holder.begin();
    const answer = await holder.send('POST', `${MFA}/verify`, { body: { code: code(pending) } });
    expect(outcome(answer)).toEqual([401, 'MFA_INVALID_TOKEN']);
    expect((await holder.status()).isVerified).toBe(false);
  });

  test.each([-1, 0, 1])('is completed by the code %d steps from now', async (drift) => {
    const { secret } = await holder.begin();
    const code = oneTimeCode(secret, new Date(), drift);
    expect((await holder.send('POST', `${MFA}/verify`, { body: { code } })).status).toBe(200);
  });

  test('asks nothing at a login', async () => {
    await holder.begin();
    const session = await holder.logIn();
    expect(session).toMatchObject({ isMfaRequired: false, authQueries: [] });
    const answer = await holder.send('POST', '/authenticate/mfa', { body: { code: '123456' } });
    expect(outcome(answer)).toEqual([409, 'MFA_NOT_ENROLLED']);
  });

  test.each([{}, { code: '' }, { code: 'whatever' }])('is removed with %j', async (sent) => {
    await holder.begin();
    expect(outcome(await holder.send('DELETE', MFA, sent))).toEqual([200, undefined]);
    expect((await holder.send('GET', MFA)).status).toBe(404);
  });
});

describe('completing the factor', () => {
  test('shows no secrets any more', async () => {
    await holder.complete();
    const seen = await holder.status();
    expect(seen).toMatchObject({ isVerified: true });
    expect(seen.provisioningUrl).toBeUndefined();
    expect(seen.recoveryCodes).toBeUndefined();
    expect(Object.keys(seen._links).sort()).toEqual(['current-identity', 'recovery-codes', 'self']);
    expect((await holder.send('GET', `${MFA}/qr-code`)).status).toBe(404);
    await expect(holder.isMfaEnabled()).resolves.toBe(true);
  });

  test('counts for the session that did it, and asks nothing of those that were there', async () => {
    const { token: other } = await holder.logIn();
    await holder.complete();
    await expect(holder.current()).resolves.toMatchObject({
      isMfaRequired: true,
      isMfaComplete: true,
      authQueries: [],
    });
    await expect(holder.current(other)).resolves.toMatchObject({
      isMfaRequired: false,
      authQueries: [],
    });
  });

  test('refuses to begin or to complete once more', async () => {
    const { secret } = await holder.complete();
    expect(outcome(await holder.send('POST', MFA))).toEqual([409, 'MFA_EXISTS']);
    const again = await holder.send('POST', `${MFA}/verify`, {
      body: { code: oneTimeCode(secret) },
    });
    expect(outcome(again)).toEqual([404, 'NOT_FOUND']);
  });

  test('keeps its secrets sealed in the database, and out of the change log', async () => {
    const { secret, recoveryCodes } = await holder.complete();
    const [row] = await runSql(controller, 'select * from mfa where identity_id = $1', [
      holder.person.id,
    ]);
    const stored = JSON.stringify(row);
    const [log] = await runSql(
      controller,
      'select string_agg(c::text, chr(10)) as text from change c',
    );
    for (const text of [secret, ...recoveryCodes]) {
      expect(stored).not.toContain(text);
      expect(String(log?.text)).not.toContain(text);
    }
    const { secretKey } = await keysOf(controller);
    expect(openSecret(secretKey, String(row?.secret))).toBe(secret);
    expect(String(log?.text)).not.toContain(String(row?.secret));
  });
});

describe('the recovery codes of a completed factor', () => {
  test.each<[string, (code: string) => MfaRequest]>([
    ['in the header', (code) => ({ code })],
    ['in the body', (code) => ({ body: { code } })],
    ['in the body before the header', (code) => ({ body: { code }, code: '000000' })],
  ])('are shown for a code %s', async (_, sent) => {
    const { secret, recoveryCodes } = await holder.complete();
    const answer = await holder.send('GET', `${MFA}/recovery-codes`, sent(oneTimeCode(secret)));
    expect(answer.status).toBe(200);
    expect((answer.body.data as MfaStatus).recoveryCodes).toEqual(recoveryCodes);
  });

  test('are not shown for anything else', async () => {
    const { secret, recoveryCodes } = await holder.complete();
    for (const code of [wrongCode(secret), recoveryCodes[0], undefined]) {
      const answer = await holder.send(
        'GET',
        `${MFA}/recovery-codes`,
        code === undefined ? {} : { code },
      );
      expect(outcome(answer)).toEqual([401, 'MFA_INVALID_TOKEN']);
      expect(answer.text).not.toContain('recoveryCodes');
    }
  });

  test.each<[string, (pending: PendingMfa) => string, number]>([
    ['a code of now', ({ secret }) => oneTimeCode(secret), 200],
    ['a recovery code', ({ recoveryCodes }) => recoveryCodes[3] ?? '', 200],
    ['a wrong code', ({ secret }) => wrongCode(secret), 401],
  ])('are replaced for %s', async (_, code, expected) => {
    const pending = await holder.complete();
    const answer = await holder.send('POST', `${MFA}/recovery-codes`, {
      body: { code: code(pending) },
    });
    expect(answer.status).toBe(expected);
    const seen = await holder.send('GET', `${MFA}/recovery-codes`, {
      code: oneTimeCode(pending.secret, new Date(), 1),
    });
    const { recoveryCodes } = seen.body.data as MfaStatus;
    expect(recoveryCodes).toHaveLength(20);
    const kept = pending.recoveryCodes.filter((c) => recoveryCodes?.includes(c));
    expect(kept).toHaveLength(expected === 200 ? 0 : 20);
  });

  test('are not shown while the factor is pending', async () => {
    const { secret } = await holder.begin();
    const answer = await holder.send('GET', `${MFA}/recovery-codes`, { code: oneTimeCode(secret) });
    expect(outcome(answer)).toEqual([404, 'NOT_FOUND']);
  });
});

describe('removing a completed factor', () => {
  test.each<[string, (pending: PendingMfa) => string]>([
    ['a code of now', ({ secret }) => oneTimeCode(secret)],
    ['a recovery code', ({ recoveryCodes }) => recoveryCodes[0] ?? ''],
  ])('takes %s', async (_, code) => {
    const pending = await holder.complete();
    expect((await holder.send('DELETE', MFA, { code: code(pending) })).status).toBe(200);
    expect((await holder.send('GET', MFA)).status).toBe(404);
    await expect(holder.isMfaEnabled()).resolves.toBe(false);
    await expect(holder.logIn()).resolves.toMatchObject({ authQueries: [] });
  });

  test('is refused without a right code', async () => {
    const { secret } = await holder.complete();
    for (const sent of [{}, { code: '' }, { code: wrongCode(secret) }]) {
      expect(outcome(await holder.send('DELETE', MFA, sent))).toEqual([401, 'MFA_INVALID_TOKEN']);
    }
    expect((await holder.status()).isVerified).toBe(true);
  });

  test('needs a session in full standing', async () => {
    const { secret } = await holder.complete();
    const { token: partial } = await holder.logIn();
    const answer = await holder.send('DELETE', MFA, { code: oneTimeCode(secret), as: partial });
    expect(outcome(answer)).toEqual([401, 'UNAUTHORIZED']);
  });
});
