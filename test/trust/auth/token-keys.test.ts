import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { importJWK, jwtVerify, type JWK } from 'jose';
import { signingKeys } from '../../../src/data/rows/controller/index.js';
import {
  serviceSessionTokens,
  TokenKeys,
  type ServiceSessionTokens,
} from '../../../src/trust/auth/index.js';
import { fingerprint, signJwt, type KeyMaterial } from '../../../src/trust/pki/index.js';
import { sql } from '../../../src/base/sql.js';
import { InProcess } from '../../support/in-process.js';
import {
  after,
  load,
  makeKey,
  makeRoot,
  makeServer,
  NOW,
  temporaryFolder,
  type KeyKind,
} from '../pki/support.js';

/* Two controllers of one network, each with a key of its own. */

let now = NOW;
let network: InProcess;
let here: KeyMaterial;
let elsewhere: KeyMaterial;

beforeAll(async () => {
  network = await InProcess.start();
  here = await load(await temporaryFolder());
  elsewhere = await load(await temporaryFolder());
}, 60_000);
afterAll(() => network.stop());
beforeEach(async () => {
  now = NOW;
  await network.parts.store.query(sql`delete from signing_key`);
});

interface Signer {
  readonly server: KeyMaterial['server'];
}

const keysOf = (material: () => Signer): TokenKeys =>
  new TokenKeys({ rows: network.parts.store, keyMaterial: material, now: () => now });

const register = (controllerId: string, { server: { leaf } }: Signer): Promise<void> =>
  signingKeys.register(
    network.parts.store,
    controllerId,
    { kid: fingerprint(leaf), certPem: leaf.toString() },
    now,
  );

const kidOf = ({ server }: Signer): string => fingerprint(server.leaf);

/** The statements that some work costs. */
async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const before = network.parts.database.statements;
  await work();
  return network.parts.database.statements - before;
}

describe('a key is found', () => {
  test('at every controller that did not sign with it', async () => {
    const keys = keysOf(() => here);
    await register('one', here);
    await register('two', elsewhere);
    const verification = await keys.find(kidOf(elsewhere));
    expect(verification?.algorithm.jws).toBe('ES256');
    expect(verification?.key.equals(elsewhere.server.leaf.publicKey)).toBe(true);
  });

  test('a year and a day after another one has taken its place', async () => {
    const keys = keysOf(() => here);
    await register('two', elsewhere);
    const renewed = await load(await temporaryFolder());
    await register('two', renewed);
    now = after(365);
    await expect(keys.find(kidOf(elsewhere))).resolves.toBeDefined();
    now = after(367);
    await register('three', here);
    await expect(keys.find(kidOf(renewed))).resolves.toBeDefined();
    await expect(keys.find(kidOf(elsewhere))).resolves.toBeUndefined();
    const kids = await signingKeys.all(network.parts.store, NOW);
    expect(kids.map(({ kid }) => kid)).not.toContain(kidOf(elsewhere));
  });

  test('again when its controller goes back to it', async () => {
    const renewed = await load(await temporaryFolder());
    for (const material of [elsewhere, renewed, elsewhere]) await register('two', material);
    now = after(400);
    await expect(keysOf(() => here).find(kidOf(elsewhere))).resolves.toBeDefined();
    await expect(keysOf(() => here).find(kidOf(renewed))).resolves.toBeUndefined();
  });

  test('of this controller without a statement', async () => {
    const keys = keysOf(() => here);
    expect(await statementsOf(() => keys.find(kidOf(here)))).toBe(0);
    await expect(keys.find(kidOf(here))).resolves.toBeDefined();
  });

  test('although another row holds no certificate', async () => {
    await register('two', elsewhere);
    await network.parts.store.query(
      sql`insert into signing_key (kid, controller_id, cert_pem, published_at) values ('x', 'x', 'x', now())`,
    );
    await expect(keysOf(() => here).find(kidOf(elsewhere))).resolves.toBeDefined();
  });
});

describe('strangers choose what a token names as its key, so', () => {
  const garbage = (seed: number): string => createHash('sha1').update(String(seed)).digest('hex');

  test('other texts than fingerprints cost no statement', async () => {
    const keys = keysOf(() => here);
    const texts = [
      '',
      'x',
      garbage(1).toUpperCase(),
      `${garbage(1)}0`,
      '../../etc',
      '1'.repeat(1e5),
    ];
    expect(await statementsOf(() => Promise.all(texts.map((kid) => keys.find(kid))))).toBe(0);
  });

  test('unknown ones cost one statement a second', async () => {
    const keys = keysOf(() => here);
    const findMany = () =>
      Promise.all(Array.from({ length: 200 }, (_, i) => keys.find(garbage(i))));
    expect(await statementsOf(findMany)).toBe(1);
    now = new Date(NOW.getTime() + 999);
    expect(await statementsOf(findMany)).toBe(0);
    now = new Date(NOW.getTime() + 1_000);
    expect(await statementsOf(findMany)).toBe(1);
  });

  test('a new key is found within a second, and a deleted one is not after a minute', async () => {
    const keys = keysOf(() => here);
    await expect(keys.find(kidOf(elsewhere))).resolves.toBeUndefined();
    await register('two', elsewhere);
    now = new Date(NOW.getTime() + 1_000);
    await expect(keys.find(kidOf(elsewhere))).resolves.toBeDefined();
    await network.parts.store.query(sql`delete from signing_key`);
    now = new Date(NOW.getTime() + 61_000);
    await expect(keys.find(kidOf(elsewhere))).resolves.toBeUndefined();
  });

  test('a clock that is set back does not stop the reads', async () => {
    const keys = keysOf(() => here);
    await keys.find(garbage(1));
    await register('two', elsewhere);
    now = after(-30);
    await expect(keys.find(kidOf(elsewhere))).resolves.toBeDefined();
  });
});

describe('the set of public keys', () => {
  test('has the one that signs first, and verifies what each controller signs', async () => {
    await register('one', here);
    await register('two', elsewhere);
    const { keys } = await keysOf(() => elsewhere).jwks();
    expect(keys.map(({ kid }) => kid)).toEqual([kidOf(elsewhere), kidOf(here)]);
    for (const [i, { server }] of [elsewhere, here].entries()) {
      const { privateKey, algorithm, leaf } = server;
      const token = signJwt({ privateKey, algorithm, kid: fingerprint(leaf) }, { sub: 'x' });
      await jwtVerify(token, await importJWK(keys[i] as JWK));
    }
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual([
      'alg',
      'crv',
      'kid',
      'kty',
      'use',
      'x',
      'y',
    ]);
  });

  const KINDS: [KeyKind, string, string][] = [
    ['P-256', 'EC', 'ES256'],
    ['P-384', 'EC', 'ES384'],
    ['P-521', 'EC', 'ES512'],
    ['RSA', 'RSA', 'RS256'],
  ];

  test.each(KINDS)('gives a key of the kind %s its one algorithm', async (kind, kty, alg) => {
    const { cert: leaf } = await makeServer(await makeRoot('P-256'), kind);
    await register('two', { server: { ...elsewhere.server, leaf } });
    const { keys } = await keysOf(() => here).jwks();
    const use = { use: 'sig', kty, kid: fingerprint(leaf), alg };
    expect(keys).toContainEqual(expect.objectContaining(use));
    // Never a member of the private key.
    expect(keys.flatMap((key) => Object.keys(key))).not.toContain('d');
  });
});

describe('a token of a session for a service', () => {
  const tokensOf = (keys: TokenKeys, advertise: string): ServiceSessionTokens =>
    serviceSessionTokens({ keys, advertise });
  const INPUT = {
    sessionId: 'session1',
    serviceId: 'service1',
    identityId: 'identity1',
    apiSessionId: 'login1',
    type: 'Dial',
  } as const;

  test('is valid at the other controller, also after a renewal of the key', async () => {
    let current = elsewhere;
    const there = tokensOf(
      keysOf(() => current),
      'two.example.com:1280',
    );
    const verifier = tokensOf(
      keysOf(() => here),
      'one.example.com:1280',
    );
    await register('two', elsewhere);
    const token = there.signSessionToken({ ...INPUT, now: NOW });
    current = await load(await temporaryFolder());
    await register('two', current);
    await expect(verifier.verifySessionToken(token, now)).resolves.toEqual(INPUT);
    const next = there.signSessionToken({ ...INPUT, now: NOW });
    now = new Date(NOW.getTime() + 1_000);
    await expect(verifier.verifySessionToken(next, now)).resolves.toEqual(INPUT);
  });

  test('is refused with the algorithm of another key', async () => {
    await register('two', elsewhere);
    const rsa = makeKey('RSA');
    const algorithm = { jws: 'RS256', digest: 'sha256' } as const;
    const token = signJwt({ privateKey: rsa, algorithm, kid: kidOf(elsewhere) }, INPUT);
    const verifier = tokensOf(
      keysOf(() => here),
      'one.example.com:1280',
    );
    await expect(verifier.verifySessionToken(token, now)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
  });
});
