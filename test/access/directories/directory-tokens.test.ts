import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { directoryOfToken } from '../../../src/access/directories/index.js';
import { sql } from '../../../src/base/sql.js';
import { remove } from '../../../src/kernel/write/write.js';
import { callerOf, InProcess } from '../../support/in-process.js';
import { issueToken, newDirectory } from './new-directory.js';

/** The tokens of directories: shown once, several at a time, with an end. The clock of `ahead` is wrong by an hour. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
let controller: InProcess;
let ahead: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
  ahead = await InProcess.start(controller, { now: () => new Date(Date.now() + HOUR) });
});
afterAll(async () => {
  await ahead.stop();
  await controller.stop();
});

const inMinutes = (minutes: number): string =>
  new Date(Date.now() + minutes * MINUTE).toISOString();

const passMinutes = (id: string, minutes: number): Promise<unknown> =>
  controller.parts.store.query(
    sql`update directory_token set expires_at = expires_at - make_interval(mins => ${minutes}::int),
      last_used_at = last_used_at - make_interval(mins => ${minutes}::int) where id = ${id}::text`,
  );

/** The age of its last use, in seconds. */
const sinceUse = async (id: string): Promise<number | null | undefined> => {
  const [row] = await controller.parts.store.query(
    sql<{
      seconds: number | null;
    }>`select extract(epoch from clock_timestamp() - last_used_at)::float8 as seconds
      from directory_token where id = ${id}::text`,
  );
  return row?.seconds;
};

const ownerOf = (token: string, on = controller): Promise<string | undefined> =>
  directoryOfToken(on.anonymous(), token);

describe('a token of a directory', () => {
  test('is shown once: neither the graph nor the change log nor the table has it', async () => {
    const { id } = await newDirectory(controller);
    const { token } = await issueToken(controller, id, { note: 'Entra' });
    expect(token).toMatch(/^ogdir_[\w-]{43}$/);
    const texts = await controller.parts.store.query(
      sql<{ text: string }>`select t::text as text from directory_token t
        union all select c::text from change c`,
    );
    expect(texts.filter(({ text }) => text.includes(token.slice(6)))).toStrictEqual([]);
    const fields = Object.keys(controller.schema.getType('DirectoryToken')?.toConfig() as object);
    expect(fields).not.toContain('tokenHash');
  });

  test('names its directory, and so do others of the same directory', async () => {
    const [one, other] = [await newDirectory(controller), await newDirectory(controller)];
    const tokens = [
      await issueToken(controller, one.id),
      await issueToken(controller, one.id),
      await issueToken(controller, other.id),
    ];
    const owners = await Promise.all(tokens.map(({ token }) => ownerOf(token)));
    expect(owners).toStrictEqual([one.id, one.id, other.id]);
    expect(await ownerOf('ogdir_')).toBeUndefined();
    expect(await ownerOf(`${String(tokens[0]?.token)}x`)).toBeUndefined();
  });

  test('counts until its end, or until it is deleted', async () => {
    const { id } = await newDirectory(controller);
    const ending = await issueToken(controller, id, { expiresAt: inMinutes(60) });
    const endless = await issueToken(controller, id);
    expect(await ownerOf(ending.token)).toBe(id);
    await passMinutes(ending.id, 60);
    expect(await ownerOf(ending.token)).toBeUndefined();
    expect(await ownerOf(endless.token)).toBe(id);
    await remove(controller.ctx(), controller.catalog.resources.DirectoryToken, endless.id);
    expect(await ownerOf(endless.token)).toBeUndefined();
  });

  test('ends by the clock of the database, not by that of a controller', async () => {
    const { id } = await newDirectory(controller);
    const { token } = await issueToken(ahead, id, { expiresAt: inMinutes(30) });
    expect(await ownerOf(token)).toBe(id);
    expect(await ownerOf(token, ahead)).toBe(id);
  });

  test.each([
    ['right', () => controller],
    ['ahead', () => ahead],
  ])('tells when it was last used, with a clock that is %s', async (_name, on) => {
    const { id } = await newDirectory(controller);
    const { token, id: tokenId } = await issueToken(controller, id);
    expect(await sinceUse(tokenId)).toBeNull();
    await ownerOf(token, on());
    expect(Math.abs((await sinceUse(tokenId)) ?? HOUR)).toBeLessThan(60);
  });

  test('stores its use once a minute, without a change in the log', async () => {
    const { id } = await newDirectory(controller);
    const { token, id: tokenId } = await issueToken(controller, id);
    const lastUse = async (): Promise<{ lastUsedAt: string | null; revision: number }[]> => {
      const { directory } = await controller.read<{
        directory: { tokens: { nodes: { lastUsedAt: string; revision: number }[] } };
      }>('{ directory(id: "' + id + '") { tokens { nodes { lastUsedAt revision } } } }');
      return directory.tokens.nodes;
    };
    await ownerOf(token);
    const first = await lastUse();
    expect(first).toMatchObject([{ lastUsedAt: expect.any(String), revision: 1 }]);
    await ownerOf(token);
    expect(await lastUse()).toStrictEqual(first);
    await passMinutes(tokenId, 1);
    await ownerOf(token);
    const [second] = await lastUse();
    expect(second?.revision).toBe(1);
    expect(String(second?.lastUsedAt) > String(first[0]?.lastUsedAt)).toBe(true);
  });

  test('is refused beyond ten, with an end in the past, and to all but administrators', async () => {
    const { id } = await newDirectory(controller);
    const issue = (expiresAt: string | null, ctx = controller.ctx()) =>
      controller.graph(
        'mutation ($id: ID!, $expiresAt: DateTime) { issueDirectoryToken(id: $id, expiresAt: $expiresAt) { id } }',
        { id, expiresAt },
        ctx,
      );
    const past = await issue(inMinutes(-1));
    expect(past.errors).toMatchObject([
      { code: 'COULD_NOT_VALIDATE', detail: { field: 'expiresAt' } },
    ]);
    const stranger = await issue(
      null,
      controller.ctx(callerOf('stranger', 'identity', 'admin_readonly')),
    );
    expect(stranger.errors).toMatchObject([{ code: 'UNAUTHORIZED' }]);
    for (let i = 0; i < 10; i += 1) await issueToken(controller, id);
    expect((await issue(null)).errors).toMatchObject([{ code: 'COULD_NOT_VALIDATE' }]);
  });
});
