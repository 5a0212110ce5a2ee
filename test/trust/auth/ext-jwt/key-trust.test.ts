import { describe, expect, it, test } from '@jest/globals';
import { verifyExternalJwt, type JwtSigner } from '../../../../src/trust/auth/ext-jwt/index.js';
import { eventually } from '../../../support/eventually.js';
import { GRACE_MS, next, old, oldSet, serve, setOf, setUp } from './key-server.js';
import { claims, encode, jwkOf, makeToken, NOW_S, signer, type KeyPair } from './support.js';

/* Which keys of an endpoint count, and what lets the controller read it again. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const tokenBy = (
  { privateKey }: KeyPair,
  kid = 'old',
  changed: Record<string, unknown> = {},
): string =>
  makeToken({ alg: 'ES256', kid }, { ...claims, exp: NOW_S + 86_400, ...changed }, privateKey);

/** An endpoint whose set can be replaced, and a controller with a clock that asks it. */
async function setUpEndpoint(more: Partial<Parameters<typeof setUp>[0]> = {}) {
  const shown = { set: oldSet, works: true };
  /** Holds an answer back, if it is set. */
  const gate: { opened?: Promise<void> } = {};
  const server = await serve((_, response) => {
    const { set, works } = shown;
    void Promise.resolve(gate.opened).then(() => {
      if (works) response.end(set);
      else response.writeHead(500).end(setOf());
    });
  });
  const { keys, time } = setUp(more);
  const row: JwtSigner = { ...signer, jwksEndpoint: server.url };
  const verify = async (token: string, changed: Partial<JwtSigner> = {}): Promise<string> => {
    const clock = () => new Date(time.now);
    const result = await verifyExternalJwt(token, [{ ...row, ...changed }], { clock, keys });
    return result.ok ? 'ok' : result.reason;
  };
  return { shown, gate, server, keys, time, verify };
}

describe('a key that is replaced under the same id', () => {
  it('counts with the first token of the new key, a second after the last read', async () => {
    const { shown, server, time, verify } = await setUpEndpoint();
    expect(await verify(tokenBy(old))).toBe('ok');
    shown.set = setOf(jwkOf('old', next));
    time.now += 999;
    expect(await verify(tokenBy(next))).toBe('WRONG_SIGNATURE');
    expect(server.asked).toHaveLength(1);
    time.now += 1;
    expect(await verify(tokenBy(next))).toBe('ok');
    expect(server.asked).toHaveLength(2);
    expect(await verify(tokenBy(old))).toBe('WRONG_SIGNATURE');
  });

  it('counts also when it is for another algorithm', async () => {
    const { shown, time, verify } = await setUpEndpoint();
    shown.set = setOf(jwkOf('old', old, { alg: 'ES512' }));
    expect(await verify(tokenBy(old))).toBe('ALGORITHM_NOT_ALLOWED');
    shown.set = setOf(jwkOf('old', old, { alg: 'ES256' }));
    time.now += SECOND;
    expect(await verify(tokenBy(old))).toBe('ok');
  });

  it('counts for all who ask meanwhile, by one read', async () => {
    const { shown, server, time, verify } = await setUpEndpoint();
    await verify(tokenBy(old));
    shown.set = setOf(jwkOf('old', next));
    time.now += SECOND;
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => verify(tokenBy(next))));
    expect(new Set(outcomes)).toEqual(new Set(['ok']));
    expect(server.asked).toHaveLength(2);
  });
});

describe('a new key', () => {
  it('counts with its first token, also while a read that began before is under way', async () => {
    const { shown, gate, server, time, verify } = await setUpEndpoint();
    await verify(tokenBy(old));
    shown.works = false;
    time.now += MINUTE;
    await verify(tokenBy(old));
    let open: () => void = () => undefined;
    gate.opened = new Promise((resolve) => {
      open = resolve;
    });
    time.now += MINUTE;
    await verify(tokenBy(old));
    await eventually(() => {
      expect(server.asked).toHaveLength(3);
    });
    delete gate.opened;
    Object.assign(shown, { set: setOf(jwkOf('next', next)), works: true });
    time.now += MINUTE;
    const outcome = verify(tokenBy(next, 'next'));
    open();
    expect(await outcome).toBe('ok');
  });
});

describe('the endpoint of a signer', () => {
  const future = { nbf: NOW_S + 86_400 };
  /** By kinds of strangers; none of them has a key of the signer. */
  const GARBAGE: readonly (readonly [string, string])[] = [
    ['an audience of others', tokenBy(next, 'old', { aud: 'other' })],
    ['no audience', tokenBy(next, 'old', { aud: undefined })],
    ['an end in the past', tokenBy(next, 'old', { exp: NOW_S - 1 })],
    ['no end', tokenBy(next, 'old', { exp: undefined })],
    ['a begin in the future', tokenBy(next, 'unknown', future)],
    ['times that are texts', tokenBy(next, 'unknown', { exp: 'never' })],
    ['another algorithm', `${encode({ alg: 'none', kid: 'k' })}.${encode(claims)}.`],
    ['no key id', `${encode({ alg: 'ES256' })}.${encode(claims)}.AAAA`],
    ['another issuer', tokenBy(next, 'unknown', { iss: 'https://evil.example.com' })],
    ['half a token', tokenBy(next).slice(0, 60)],
  ];

  test.each(GARBAGE)('is not read again for a token with %s', async (_, garbage) => {
    const { server, time, verify } = await setUpEndpoint();
    await verify(tokenBy(old));
    for (let i = 0; i < 5; i += 1) {
      time.now += SECOND;
      expect(await verify(garbage)).not.toBe('ok');
    }
    expect(server.asked).toHaveLength(1);
  });

  test.each([
    ['a key id that does not exist', 'unknown'],
    ['a false signature', 'old'],
  ])('is read once in ten seconds at last for forged tokens with %s', async (_, kid) => {
    const { server, time, verify } = await setUpEndpoint();
    const begin = time.now;
    await verify(tokenBy(old));
    const readAt: number[] = [];
    for (let second = 1; second <= 55; second += 1) {
      time.now = begin + second * SECOND;
      const before = server.asked.length;
      await verify(tokenBy(next, kid));
      if (server.asked.length > before) readAt.push(second);
    }
    expect(readAt).toEqual([1, 2, 4, 8, 16, 26, 36, 46]);
  });

  it('shows its next key within ten seconds also beside forged tokens', async () => {
    const { shown, time, verify } = await setUpEndpoint();
    await verify(tokenBy(old));
    for (let second = 0; second < 50; second += 1) {
      time.now += SECOND;
      await verify(tokenBy(next, 'unknown'));
    }
    shown.set = setOf(jwkOf('next', next));
    let waited = 0;
    while ((await verify(tokenBy(next, 'next'))) !== 'ok' && waited < 60) {
      waited += 1;
      time.now += SECOND;
    }
    expect(waited).toBeLessThanOrEqual(10);
    // After a read that was worth it, the next one may follow in a second.
    shown.set = setOf(jwkOf('next', old));
    time.now += SECOND;
    expect(await verify(tokenBy(old, 'next'))).toBe('ok');
  });

  it('is read once a minute while tokens come', async () => {
    const { server, time, verify } = await setUpEndpoint();
    for (let i = 0; i < 18; i += 1) {
      expect(await verify(tokenBy(old))).toBe('ok');
      time.now += 10 * SECOND;
    }
    expect(server.asked).toHaveLength(3);
  });
});

describe('a key that its endpoint does not list any more', () => {
  it('is noticed within a minute, and counts for the grace', async () => {
    const { shown, time, verify } = await setUpEndpoint();
    expect(await verify(tokenBy(old))).toBe('ok');
    shown.set = setOf(jwkOf('next', next));
    time.now += MINUTE;
    expect(await verify(tokenBy(old))).toBe('ok');
    time.now += GRACE_MS - 1;
    expect(await verify(tokenBy(old))).toBe('ok');
    time.now += 1;
    expect(await verify(tokenBy(old))).toBe('UNKNOWN_KEY_ID');
    expect(await verify(tokenBy(next, 'next'))).toBe('ok');
  });

  it('stops at once without a grace', async () => {
    const { shown, time, verify } = await setUpEndpoint({ graceMs: 0 });
    expect(await verify(tokenBy(old))).toBe('ok');
    shown.set = setOf();
    time.now += MINUTE;
    expect(await verify(tokenBy(old))).toBe('UNKNOWN_KEY_ID');
  });

  it('goes on when it is listed again', async () => {
    const { shown, time, verify } = await setUpEndpoint();
    await verify(tokenBy(old));
    shown.set = setOf(jwkOf('next', next));
    time.now += MINUTE;
    await verify(tokenBy(old));
    shown.set = oldSet;
    time.now += MINUTE;
    await verify(tokenBy(old));
    time.now += GRACE_MS;
    expect(await verify(tokenBy(old))).toBe('ok');
  });

  it('has no longer grace because the clock was set back', async () => {
    const { shown, time, verify } = await setUpEndpoint();
    await verify(tokenBy(old));
    shown.set = setOf(jwkOf('next', next));
    time.now += MINUTE;
    expect(await verify(tokenBy(old))).toBe('ok');
    time.now -= 30 * MINUTE;
    expect(await verify(tokenBy(old))).toBe('UNKNOWN_KEY_ID');
  });

  it('counts on while downloads fail, and the grace begins with one that succeeds', async () => {
    const { shown, time, verify } = await setUpEndpoint();
    await verify(tokenBy(old));
    Object.assign(shown, { set: setOf(jwkOf('next', next)), works: false });
    for (let hour = 0; hour < 5; hour += 1) {
      time.now += 60 * MINUTE;
      expect(await verify(tokenBy(old))).toBe('ok');
    }
    shown.works = true;
    time.now += MINUTE;
    // Known keys do not wait for an endpoint that failed; a new one does.
    expect(await verify(tokenBy(next, 'next'))).toBe('ok');
    expect(await verify(tokenBy(old))).toBe('ok');
    time.now += GRACE_MS;
    expect(await verify(tokenBy(old))).toBe('UNKNOWN_KEY_ID');
  });
});

describe('the keys of a signer', () => {
  const changed = { revision: 2 };
  const anew = { createdAt: new Date('2026-11-20T00:00:00Z') };

  test.each<[string, Partial<JwtSigner>]>([
    ['changed', changed],
    ['made anew with the same id', anew],
    ['made anew with another id', { ...anew, id: 's2' }],
  ])('are read again when it is %s', async (_, change) => {
    const { shown, server, verify } = await setUpEndpoint();
    expect(await verify(tokenBy(old))).toBe('ok');
    shown.set = setOf(jwkOf('next', next));
    // Without a pause and without a grace: a change of the signer counts at once.
    expect(await verify(tokenBy(old), change)).toBe('UNKNOWN_KEY_ID');
    expect(server.asked).toHaveLength(2);
    expect(await verify(tokenBy(next, 'next'), change)).toBe('ok');
  });

  it('end with its endpoint', async () => {
    const { verify } = await setUpEndpoint();
    const other = await serve((_, response) => response.writeHead(500).end());
    expect(await verify(tokenBy(old))).toBe('ok');
    const elsewhere = { ...changed, jwksEndpoint: other.url };
    expect(await verify(tokenBy(old), elsewhere)).toBe('UNKNOWN_KEY_ID');
  });

  test.each<[string, Partial<JwtSigner>, string]>([
    ['count when it is changed', changed, 'ok'],
    ['do not count when it is made anew', anew, 'UNKNOWN_KEY_ID'],
  ])('%s while the endpoint fails', async (_, change, outcome) => {
    const { shown, time, verify } = await setUpEndpoint();
    expect(await verify(tokenBy(old))).toBe('ok');
    shown.works = false;
    time.now += MINUTE;
    expect(await verify(tokenBy(old), change)).toBe(outcome);
  });

  it('are not those of an earlier state of the signer', async () => {
    const { shown, server, verify } = await setUpEndpoint();
    shown.set = setOf(jwkOf('next', next));
    expect(await verify(tokenBy(next, 'next'), changed)).toBe('ok');
    const other = await serve((_, response) => response.end(oldSet));
    expect(await verify(tokenBy(old), { jwksEndpoint: other.url })).toBe('UNKNOWN_KEY_ID');
    expect([server.asked.length, other.asked.length]).toEqual([1, 0]);
  });

  it('are not shared with another signer at the same endpoint', async () => {
    const { shown, server, verify } = await setUpEndpoint();
    expect(await verify(tokenBy(old))).toBe('ok');
    shown.set = setOf();
    expect(await verify(tokenBy(old), { id: 's2' })).toBe('UNKNOWN_KEY_ID');
    expect(await verify(tokenBy(old))).toBe('ok');
    expect(server.asked).toHaveLength(2);
  });

  it('are forgotten with it', async () => {
    const { keys, server, verify } = await setUpEndpoint();
    await verify(tokenBy(old));
    keys.forget(signer.id);
    await verify(tokenBy(old));
    expect(server.asked).toHaveLength(2);
  });
});
