import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import { RequestScope } from '../../../src/kernel/request/request-scope.js';
import { originOf } from '../../../src/kernel/write/write.js';
import type { OpenTransaction } from '../../../src/data/store/open-transaction.js';
import { ADMIN, InProcess } from '../../support/in-process.js';

/** One transaction on a connection, as the store of the model uses it. */

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
  await controller.parts.store.query(sql`create table note (text text unique)`);
});
beforeEach(() => controller.parts.store.query(sql`delete from note`));
afterAll(() => controller.stop());

const insert = (text: string) => sql`insert into note values (${text})`;
const FAILING = sql`select 1 / 0`;

const begin = (scope?: RequestScope): Promise<OpenTransaction> =>
  controller.parts.database.begin(scope);

const notes = async (): Promise<string[]> =>
  (
    await controller.parts.store.query(sql<{ text: string }>`select text from note order by text`)
  ).map(({ text }) => text);

describe('a commit', () => {
  test('stores what was written, with the statement that goes with it', async () => {
    const transaction = await begin();
    await transaction.query(insert('a'));
    await transaction.commit(insert('b'));
    expect(await notes()).toStrictEqual(['a', 'b']);
  });

  test('stores nothing when the statement that goes with it fails', async () => {
    const transaction = await begin();
    await transaction.query(insert('a'));
    await expect(transaction.commit(FAILING)).rejects.toMatchObject({ code: '22012' });
    await transaction.rollback();
    expect(await notes()).toStrictEqual([]);
  });

  test('is an error after a failed statement, even if its error was ignored', async () => {
    const transaction = await begin();
    await transaction.query(insert('a'));
    await transaction.query(FAILING).catch(() => undefined);
    await expect(transaction.commit()).rejects.toThrow('rolled back');
    expect(await notes()).toStrictEqual([]);
  });

  test('is refused when the time of the request is up', async () => {
    const scope = new RequestScope();
    const transaction = await begin(scope);
    await transaction.query(insert('a'));
    scope.clientLeft();
    await expect(transaction.commit(insert('b'))).rejects.toMatchObject({ code: 'TIMEOUT' });
    await transaction.rollback();
    expect(await notes()).toStrictEqual([]);
  });

  test('is possible once', async () => {
    const transaction = await begin();
    await transaction.commit();
    await expect(transaction.query(insert('a'))).rejects.toMatchObject({ code: 'TIMEOUT' });
    await expect(transaction.commit()).rejects.toMatchObject({ code: 'TIMEOUT' });
    await transaction.rollback();
    expect(await notes()).toStrictEqual([]);
  });
});

describe('a rollback', () => {
  test('leaves nothing, and the connection serves the next transaction', async () => {
    for (let i = 0; i < 20; i += 1) {
      const transaction = await begin();
      await transaction.query(insert('a'));
      await transaction.rollback();
      await transaction.rollback();
    }
    expect(await notes()).toStrictEqual([]);
    const { pool } = controller.parts.database;
    expect(pool.idleCount).toBe(pool.totalCount);
  });
});

describe('a write', () => {
  const statementsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = controller.parts.database.statements;
    await work();
    return controller.parts.database.statements - before;
  };

  test('sends begin, session, lock, update, and the commit with the change', async () => {
    const id = await controller.create('ServicePolicy', {
      name: 'a',
      type: 'Dial',
      semantic: 'AnyOf',
    });
    const { id: apiSessionId } = await controller.openSession(await controller.defaultAdminId());
    const ctx = controller.ctx({ ...ADMIN, apiSessionId });
    const rename = (name: string): Promise<unknown> =>
      controller.read(
        `mutation { updateServicePolicy(id: "${id}", input: { name: "${name}" }) { id } }`,
        {},
        ctx,
      );
    await rename('b');
    expect(await statementsOf(() => rename('c'))).toBeLessThanOrEqual(6);
  });
});

test('a refused writer hears that first, and its first statement has no effect', async () => {
  const { store } = controller.parts;
  const origin = { ...originOf(controller.ctx()), apiSessionId: 'revoked' };
  await expect(store.write(origin, (tx) => tx.query(insert('a')))).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
  });
  await expect(store.write(origin, (tx) => tx.query(FAILING))).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
  });
  await expect(
    store.write(origin, () => Promise.reject(new Error('of the work'))),
  ).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  await expect(store.write(origin, () => Promise.resolve())).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
  });
  expect(await notes()).toStrictEqual([]);
});
