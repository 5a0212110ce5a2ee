import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { originOf, removeIn } from '../../../src/kernel/write/write.js';
import { deleteExpiredRevocations } from '../../../src/trust/auth/index.js';
import { callerOf, type GraphAnswer, InProcess } from '../../support/in-process.js';

/* Revocations: who stores them, what they end, what ends by itself with one, and when they are deleted. */

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const BEGIN = Date.parse('2026-03-01T08:00:00.500Z');

let now = BEGIN;
let network: InProcess;
let ada: string;

beforeAll(async () => {
  network = await InProcess.start(undefined, { now: () => new Date(now) });
}, 60_000);
afterAll(() => network.stop());

let count = 0;
const newIdentity = (): Promise<string> =>
  network.create('Identity', {
    name: `ada ${String((count += 1))}`,
    type: 'Default',
    isAdmin: false,
  });

beforeEach(async () => {
  now = BEGIN + count * 30 * DAY;
  ada = await newIdentity();
});

const REVOKE = `mutation ($id: ID!, $type: RevocationType!, $tags: JSONObject) {
  revoke(id: $id, type: $type, tags: $tags) { id type issuedBefore expiresAt tags revision }
}`;

const revoke = (id: string, type: string, tags: object = {}): Promise<GraphAnswer> =>
  network.graph(REVOKE, { id, type, tags });

const sessionsOf = (identityId: string): Promise<{ id: string }[]> =>
  network.parts.store.query(
    sql<{
      id: string;
    }>`select id from api_session where identity_id = ${identityId}::text order by id`,
  );

const stored = (...ids: string[]): Promise<Row[]> =>
  network.parts.store.query(
    sql<Row>`select id, type, issued_before as "issuedBefore" from revocation where id = any(${ids}::text[]) order by type`,
  );

const session = (oidcClient?: string): Promise<{ id: string; token: string }> =>
  network.openSession(ada, oidcClient === undefined ? {} : { oidcClient });

describe('a new revocation', () => {
  test('lasts as long as the longest token, and is replaced by a later one', async () => {
    const id = randomUUID();
    const first = await revoke(id, 'JTI', { ticket: 7 });
    expect(first.data?.revoke).toEqual({
      id,
      type: 'JTI',
      issuedBefore: new Date(now).toISOString(),
      expiresAt: new Date(now + DAY).toISOString(),
      tags: { ticket: 7 },
      revision: 1,
    });
    now += 1_000;
    const second = await revoke(id, 'API_SESSION');
    expect(second.data?.revoke).toMatchObject({
      type: 'API_SESSION',
      issuedBefore: new Date(now).toISOString(),
      expiresAt: new Date(now + DAY).toISOString(),
      tags: {},
      revision: 2,
    });
    expect(await stored(id)).toHaveLength(1);
  });

  test('has the id of a token as tokens have it, in lower case', async () => {
    const id = randomUUID();
    const { data } = await revoke(id.toUpperCase(), 'JTI');
    expect(data?.revoke).toMatchObject({ id });
  });

  test.each([
    ['JTI', 'no id'],
    ['JTI', 'c0123456789abcdefghijklm'],
    ['JTI', `${randomUUID()}0`],
    ['API_SESSION', ''],
    ['API_SESSION', '../../etc/passwd'],
    ['API_SESSION', 'x'.repeat(100_000)],
  ])('of the type %s is refused for an id that none has', async (type, id) => {
    const { errors } = await revoke(id, type);
    expect(errors).toMatchObject([{ code: 'COULD_NOT_VALIDATE', detail: { field: 'id' } }]);
  });

  test('of an identity that does not exist is refused', async () => {
    const { errors } = await revoke(randomUUID(), 'IDENTITY');
    expect(errors).toMatchObject([{ code: 'NOT_FOUND' }]);
  });

  test('is for administrators alone', async () => {
    const id = randomUUID();
    const ctx = network.ctx(callerOf(ada, 'ops', 'identity', 'admin_readonly'));
    const { errors } = await network.graph(REVOKE, { id, type: 'JTI', tags: {} }, ctx);
    expect(errors).toMatchObject([{ code: 'UNAUTHORIZED' }]);
    expect(await stored(id)).toEqual([]);
  });

  test('of an API session ends it alone, over OpenID Connect or not', async () => {
    const [older, newer, other] = [await session(), await session('native'), await session()];
    for (const { id } of [older, newer])
      expect((await revoke(id, 'API_SESSION')).errors).toEqual([]);
    expect(await sessionsOf(ada)).toEqual([{ id: other.id }]);
    await expect(network.parts.sessions.find(older.token)).resolves.toBeUndefined();
    await expect(network.parts.sessions.findById(newer.id)).resolves.toBeUndefined();
  });

  test('of a token leaves its API session', async () => {
    await session('native');
    await revoke(randomUUID(), 'JTI');
    expect(await sessionsOf(ada)).toHaveLength(1);
  });

  test('of an identity ends all its API sessions, and none that it opens later', async () => {
    const others = await newIdentity();
    const left = await network.openSession(others);
    await session();
    await session('native');
    await revoke(ada, 'IDENTITY');
    expect(await sessionsOf(ada)).toEqual([]);
    expect(await sessionsOf(others)).toEqual([{ id: left.id }]);
    await session('native');
    expect(await sessionsOf(ada)).toHaveLength(1);
    // The sessions that it has ended have none of their own.
    expect(await stored(ada)).toMatchObject([{ type: 'IDENTITY' }]);
  });

  test('takes its turn with others of the same id', async () => {
    const id = randomUUID();
    const answers = await Promise.all(
      ['JTI', 'API_SESSION', 'JTI'].map((type) => revoke(id, type)),
    );
    expect(answers.flatMap(({ errors }) => errors)).toEqual([]);
    expect(await stored(id)).toHaveLength(1);
  });
});

describe('an API session that ends', () => {
  const remove = (resource: 'ApiSession' | 'Authenticator', id: string): Promise<void> =>
    network.parts.store.write(originOf(network.ctx()), (tx) =>
      removeIn(network.ctx(), tx, network.catalog.get(resource), id),
    );

  const ends: [string, (id: string) => Promise<unknown>][] = [
    ['a logout', (id) => network.parts.sessions.end(network.ctx(), originOf(network.ctx()), id)],
    ['an administrator', (id) => remove('ApiSession', id)],
  ];

  test.each(ends)('by %s has a revocation if its client may hold tokens', async (_, end) => {
    const [older, newer] = [await session(), await session('native')];
    await end(older.id);
    await end(newer.id);
    expect(await stored(older.id, newer.id, ada)).toEqual([
      { id: newer.id, type: 'API_SESSION', issuedBefore: new Date(now) },
    ]);
  });

  test('with its authenticator has a revocation, too', async () => {
    const authenticatorId = await network.create('Authenticator', {
      identityId: ada,
      method: 'updb',
      username: `user of ${ada}`,
      password: 'correct horse',
    });
    const { id } = await session('native');
    await network.parts.store.query(
      sql`update api_session set authenticator_id = ${authenticatorId}::text where id = ${id}::text`,
    );
    await remove('Authenticator', authenticatorId);
    expect(await sessionsOf(ada)).toEqual([]);
    expect(await stored(id)).toMatchObject([{ type: 'API_SESSION' }]);
  });

  test('after all its tokens have expired has none', async () => {
    const { id } = await session('native');
    now += 2 * DAY;
    await network.parts.sessions.expire(network.ctx(), originOf(network.ctx()));
    expect(await sessionsOf(ada)).toEqual([]);
    expect(await stored(id)).toEqual([]);
  });
});

describe('the tokens of an identity end', () => {
  const ends: [string, string][] = [
    ['is disabled', 'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 5) { id } }'],
    ['is deleted', 'mutation ($id: ID!) { deleteIdentity(id: $id) }'],
  ];

  test.each(ends)('when it %s', async (_, document) => {
    const sessions = [await session('native'), await session('openziti'), await session()];
    await network.read(document, { id: ada });
    expect(await sessionsOf(ada)).toEqual([]);
    expect(await stored(ada, ...sessions.map(({ id }) => id))).toEqual([
      { id: ada, type: 'IDENTITY', issuedBefore: new Date(now) },
    ]);
  });

  test.each(ends)('without a revocation when it %s and has no tokens', async (_, document) => {
    const { id } = await session();
    await network.read(document, { id: ada });
    expect(await stored(ada, id)).toEqual([]);
  });

  test('not when it is enabled', async () => {
    const { id } = await session('native');
    await network.read('mutation ($id: ID!) { enableIdentity(id: $id) { id } }', { id: ada });
    expect(await stored(ada, id)).toEqual([]);
    expect(await sessionsOf(ada)).toEqual([{ id }]);
  });

  test('again when it is disabled again', async () => {
    await session('native');
    const disable = 'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 0) { id } }';
    await network.read(disable, { id: ada });
    await network.read('mutation ($id: ID!) { enableIdentity(id: $id) { id } }', { id: ada });
    now += 5_000;
    await session('native');
    await network.read(disable, { id: ada });
    expect(await stored(ada)).toEqual([{ id: ada, type: 'IDENTITY', issuedBefore: new Date(now) }]);
  });
});

describe('a revocation', () => {
  const purge = (): Promise<void> =>
    deleteExpiredRevocations(network.ctx(), originOf(network.ctx()));

  test('is deleted when its tokens have expired, and its id may come again', async () => {
    const ids = Array.from({ length: 3 }, () => randomUUID());
    for (const id of ids) await revoke(id, 'JTI');
    // The clock of another controller may be a minute behind.
    now += DAY + MINUTE - 1;
    await purge();
    expect(await stored(...ids)).toHaveLength(3);
    now += 1;
    await purge();
    expect(await stored(...ids)).toEqual([]);
    const [id = ''] = ids;
    const { data } = await revoke(id, 'JTI');
    // Its creation and its deletion were the first two.
    expect(data?.revoke).toMatchObject({ revision: 3 });
  });

  test('is deleted with all that are over, however many', async () => {
    await network.parts.store.query(
      sql`insert into revocation (id, created_at, updated_at, type, issued_before, expires_at)
        select 'many ' || n, now(), now(), 'API_SESSION', now(), ${new Date(now - MINUTE)}::timestamptz from generate_series(1, 1200) n`,
    );
    await purge();
    const left = await network.parts.store.query(
      sql<{ id: string }>`select id from revocation where id like 'many %'`,
    );
    expect(left).toEqual([]);
  });

  test('is changed and deleted by nobody', () => {
    const fields = Object.keys(network.schema.getMutationType()?.getFields() ?? {});
    expect(fields.filter((name) => name.endsWith('Revocation'))).toEqual([]);
  });
});
