import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { directoryOfToken } from '../../../src/access/directories/index.js';
import { sql } from '../../../src/base/sql.js';
import { remove } from '../../../src/kernel/write/write.js';
import { callerOf, InProcess } from '../../support/in-process.js';
import { issueToken, newDirectory } from './new-directory.js';

/** The tokens of directories: shown once, several at a time, with an end. */

const HOUR = 3_600_000;
let controller: InProcess;
let now = new Date();

beforeAll(async () => {
  controller = await InProcess.start(undefined, { now: () => now });
});
afterAll(() => controller.stop());

const ownerOf = (token: string): Promise<string | undefined> =>
  directoryOfToken(controller.anonymous(), token);

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
    const expiresAt = new Date(now.getTime() + HOUR).toISOString();
    const ending = await issueToken(controller, id, { expiresAt });
    const endless = await issueToken(controller, id);
    now = new Date(now.getTime() + HOUR);
    expect(await ownerOf(ending.token)).toBeUndefined();
    expect(await ownerOf(endless.token)).toBe(id);
    await remove(controller.ctx(), controller.catalog.resources.DirectoryToken, endless.id);
    expect(await ownerOf(endless.token)).toBeUndefined();
  });

  test('tells when it was last used, without a change in the log', async () => {
    const { id } = await newDirectory(controller);
    const { token } = await issueToken(controller, id);
    await ownerOf(token);
    const { directory } = await controller.read<{ directory: { tokens: { nodes: unknown[] } } }>(
      '{ directory(id: "' + id + '") { tokens { nodes { lastUsedAt revision } } } }',
    );
    expect(directory.tokens.nodes).toStrictEqual([{ lastUsedAt: now.toISOString(), revision: 1 }]);
  });

  test('is refused beyond ten, with an end in the past, and to all but administrators', async () => {
    const { id } = await newDirectory(controller);
    const issue = (expiresAt: string | null, ctx = controller.ctx()) =>
      controller.graph(
        'mutation ($id: ID!, $expiresAt: DateTime) { issueDirectoryToken(id: $id, expiresAt: $expiresAt) { id } }',
        { id, expiresAt },
        ctx,
      );
    const past = await issue(new Date(now.getTime() - 1).toISOString());
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
