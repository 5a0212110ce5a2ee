import { describe, expect, it, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import {
  verifyExternalJwt,
  type JwksKeys,
  type JwtSigner,
} from '../../../../src/trust/auth/ext-jwt/index.js';
import { next, old, oldSet, serve, setOf, setUp } from './key-server.js';
import {
  claims,
  ecPair,
  ed25519Pair,
  jwkOf,
  makeToken,
  NOW,
  rsaPair,
  signer,
  type KeyPair,
} from './support.js';

describe('the keys of an endpoint', () => {
  it('are downloaded once for all who ask at the same time', async () => {
    const held: ServerResponse[] = [];
    const server = await serve((_, response) => held.push(response));
    const { find } = setUp();
    const asking = Array.from({ length: 20 }, () => find(server.url, 'old'));
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
    asking.push(find(server.url, 'old'), find(server.url, 'unknown'));
    held[0]?.end(oldSet);
    const found = await Promise.all(asking);
    expect(found.filter((key) => key?.key.equals(old.publicKey))).toHaveLength(21);
    expect(found.at(-1)).toBeUndefined();
    expect(server.asked).toEqual(['/']);
  });

  it('are read again for an unknown key id, at most once per second', async () => {
    let set = oldSet;
    const server = await serve((_, response) => response.end(set));
    const { find, time } = setUp();
    expect(await find(server.url, 'old')).toBeDefined();
    set = setOf(jwkOf('next', next));
    for (const step of [0, 500, 499]) {
      time.now += step;
      expect(await find(server.url, 'next')).toBeUndefined();
    }
    expect(server.asked).toHaveLength(1);
    time.now += 1;
    expect((await find(server.url, 'next'))?.key.equals(next.publicKey)).toBe(true);
    expect(server.asked).toHaveLength(2);
  });

  it('are read again after the clock was set back', async () => {
    const server = await serve((_, response) => response.end(oldSet));
    const { find, time } = setUp();
    await find(server.url, 'next');
    time.now -= 3_600_000;
    await find(server.url, 'next');
    expect(server.asked).toHaveLength(2);
  });

  it('stay when a later download fails, which is not repeated within the second either', async () => {
    let works = true;
    const server = await serve((_, response) => {
      if (works) response.end(oldSet);
      else response.writeHead(500).end(setOf());
    });
    const { find, time, reasons } = setUp();
    await find(server.url, 'old');
    works = false;
    time.now += 1000;
    expect(await find(server.url, 'next')).toBeUndefined();
    expect(await find(server.url, 'next')).toBeUndefined();
    expect(await find(server.url, 'old')).toBeDefined();
    expect(server.asked).toHaveLength(2);
    expect(reasons()).toEqual(['answered with status 500']);
  });

  it('are replaced where the endpoint shows another key of the same id', async () => {
    let set = oldSet;
    const server = await serve((_, response) => response.end(set));
    const { find, time } = setUp();
    await find(server.url, 'old');
    set = setOf(jwkOf('old', next), jwkOf('next', next));
    time.now += 1000;
    await find(server.url, 'next');
    expect((await find(server.url, 'old'))?.key.equals(next.publicKey)).toBe(true);
  });

  it('are kept apart by endpoint', async () => {
    const server = await serve((request, response) => {
      response.end(setOf(jwkOf('k', request.url === '/a' ? old : next)));
    });
    const { find } = setUp();
    const [a, b] = await Promise.all(['/a', '/b'].map((path) => find(server.url + path, 'k')));
    expect(a?.key.equals(old.publicKey)).toBe(true);
    expect(b?.key.equals(next.publicKey)).toBe(true);
  });

  it('are kept for the last 256 signers that were asked for, and 512 keys of each', async () => {
    let page = 0;
    const server = await serve((request, response) => {
      if (request.url !== '/many') return response.end(oldSet);
      const many = Array.from({ length: 200 }, (_, i) => jwkOf(`${page}-${i}`, old));
      page++;
      return response.end(setOf(...many));
    });
    const { find, time } = setUp();
    const many = (kid: string) => find(`${server.url}/many`, kid);
    for (const kid of ['0-0', '1-0', '2-0']) {
      expect(await many(kid)).toBeDefined();
      time.now += 1000;
    }
    expect(await many('0-199')).toBeDefined();
    // The download for it finds a fourth page of other keys.
    expect(await many('0-0')).toBeUndefined();
    const findOf = (i: number) => find(`${server.url}/${i}`, 'old');
    for (let i = 0; i < 257; i++) await findOf(i);
    const before = server.asked.length;
    await findOf(256);
    await findOf(1);
    expect(server.asked).toHaveLength(before);
    await findOf(0);
    expect(server.asked).toHaveLength(before + 1);
  });
});

describe('a token checked by the keys of an endpoint', () => {
  const verifyBy = (keys: JwksKeys, endpoint: string, token: string) => {
    const row: JwtSigner = { ...signer, jwksEndpoint: endpoint };
    return verifyExternalJwt(token, [row], { clock: () => NOW, keys });
  };

  test.each<[string, KeyPair]>([
    ['ES256', old],
    ['ES384', ecPair('P-384')],
    ['ES512', ecPair('P-521')],
    ['RS256', rsaPair()],
    ['PS256', rsaPair()],
    ['EdDSA', ed25519Pair()],
  ])('signed %s verifies', async (alg, pair) => {
    const server = await serve((_, response) => response.end(setOf(jwkOf('k', pair, { alg }))));
    const { keys } = setUp();
    const token = makeToken({ alg, kid: 'k' }, claims, pair.privateKey);
    expect(await verifyBy(keys, server.url, token)).toMatchObject({
      ok: true,
      claim: 'identity-1',
    });
  });

  it('verifies by a key that came after it was asked for, without a restart', async () => {
    let set = oldSet;
    const server = await serve((_, response) => response.end(set));
    const { keys, time } = setUp();
    const byOld = makeToken({ alg: 'ES256', kid: 'old' }, claims, old.privateKey);
    const byNext = makeToken({ alg: 'ES256', kid: 'next' }, claims, next.privateKey);
    const outcomes = async () =>
      (await Promise.all([byOld, byNext].map((token) => verifyBy(keys, server.url, token)))).map(
        ({ ok }) => ok,
      );
    expect(await outcomes()).toEqual([true, false]);
    set = setOf(jwkOf('next', next));
    expect(await outcomes()).toEqual([true, false]);
    time.now += 1000;
    expect(await outcomes()).toEqual([true, true]);
    expect(server.asked).toHaveLength(2);
  });

  it('that is no good for another reason asks for no keys', async () => {
    const server = await serve((_, response) => response.end(oldSet));
    const { keys } = setUp();
    const forged = makeToken({ alg: 'none', kid: 'k' }, claims, old.privateKey, 'ES256');
    const strange = makeToken({ alg: 'ES256', kid: 'k' }, { iss: 'x' }, old.privateKey);
    await verifyBy(keys, server.url, forged);
    await verifyBy(keys, server.url, strange);
    expect(server.asked).toEqual([]);
  });
});
