import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { failure } from '../../../src/base/errors.js';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { RequestScope } from '../../../src/kernel/request/request-scope.js';
import type { Caller } from '../../../src/kernel/request/context.js';
import type { Change, EntityKey, Transaction } from '../../../src/kernel/request/store-port.js';
import { changeIn, originOf } from '../../../src/kernel/write/write.js';
import { callerOf, InProcess } from '../../support/in-process.js';

/** Edits of one entity that arrive at once share a transaction, and each has an outcome of its own. */

let controller: InProcess;
let of: EntityKey;

beforeAll(async () => {
  controller = await InProcess.start();
  await controller.create('Service', { name: 'taken', encryptionRequired: true });
});
let edited = 0;
beforeEach(async () => {
  const name = `edited ${String((edited += 1))}`;
  const id = await controller.create('Service', { name, encryptionRequired: true });
  of = { resource: controller.catalog.get('Service'), id };
});
afterAll(() => controller.stop());

const DONE = 'done';

const outcomeOf = (write: Promise<unknown>): Promise<unknown> =>
  write.then(
    () => DONE,
    (error: unknown) => (error as { code?: unknown }).code ?? error,
  );

interface Editor {
  readonly ctx?: ReturnType<InProcess['ctx']>;
  readonly ifRevision?: number;
  readonly scope?: RequestScope;
}

const write = (work: (tx: Transaction) => Promise<unknown>, scope?: RequestScope) =>
  outcomeOf(controller.parts.store.write(originOf(controller.ctx()), work, of, scope));

function edit(input: Row, { ctx = controller.ctx(), ifRevision, scope }: Editor = {}) {
  const work = (tx: Transaction): Promise<void> =>
    changeIn(ctx, tx, of.resource, 'update', of.id, input, ifRevision);
  return outcomeOf(controller.parts.store.write(originOf(ctx), work, of, scope));
}

/** Holds back the writes of the entity while they are made, so that they wait together. */
async function atOnce(make: () => readonly Promise<unknown>[]): Promise<unknown[]> {
  let letGo: () => void = () => undefined;
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const first = write(() => isLetGo);
  const others = make();
  letGo();
  expect(await first).toBe(DONE);
  return Promise.all(others);
}

interface Record_ extends Row {
  readonly revision: number;
  readonly xid: string;
  readonly before: Row | null;
  readonly after: Row;
}

/** The change records of the entity after its creation. */
const recordsOf = async (): Promise<Record_[]> => {
  const records = await controller.parts.store.query(
    sql<Record_>`select revision, xid::text as xid, before, after, actor_id, request_id from change
      where entity_id = ${of.id}::text order by id`,
  );
  return records.slice(1);
};

const tagsOf = async (): Promise<unknown> => {
  const { service } = await controller.read<{ service: { tags: Row } }>(
    'query ($id: ID!) { service(id: $id) { tags } }',
    { id: of.id },
  );
  return service.tags;
};

const transactionsOf = (records: readonly Record_[]): number =>
  new Set(records.map(({ xid }) => xid)).size;

describe('edits of one entity at once', () => {
  test('are all done in their order, in fewer transactions, each with its own record', async () => {
    const editors = Array.from({ length: 10 }, (_, i) =>
      controller.ctx(callerOf(`editor-${String(i)}`, 'service')),
    );
    const outcomes = await atOnce(() => editors.map((ctx, n) => edit({ tags: { n } }, { ctx })));
    expect(outcomes).toStrictEqual(editors.map(() => DONE));
    const records = await recordsOf();
    expect(
      records.map((record) => [record.revision, record.actor_id, record.request_id]),
    ).toStrictEqual(editors.map(({ requestId }, i) => [i + 2, `editor-${String(i)}`, requestId]));
    expect(records.map(({ after }) => after.tags)).toStrictEqual(editors.map((_, n) => ({ n })));
    expect(records.slice(1).map(({ before }) => before)).toStrictEqual(
      records.slice(0, -1).map(({ after }) => after),
    );
    expect(transactionsOf(records)).toBeLessThan(editors.length);
    expect(await tagsOf()).toStrictEqual({ n: 9 });
  });

  test('see the change records of those before them in the same transaction', async () => {
    const seen: number[] = [];
    const editAndCount = (n: number): Promise<unknown> =>
      write(async (tx) => {
        await changeIn(controller.ctx(), tx, of.resource, 'update', of.id, { tags: { n } });
        const [counted] = await tx.query(
          sql<{ count: number }>`select count(*)::int as count from change
            where entity_id = ${of.id}::text`,
        );
        seen.push(counted?.count ?? NaN);
      });
    await atOnce(() => [editAndCount(1), editAndCount(2), edit({ tags: {} }), editAndCount(3)]);
    expect(seen).toStrictEqual([1, 2, 4]);
    const records = await recordsOf();
    expect(records.map(({ revision }) => revision)).toStrictEqual([2, 3, 4, 5]);
    expect(transactionsOf(records)).toBeLessThan(4);
  });

  test('are told to listeners, each once', async () => {
    const told: Change[] = [];
    controller.parts.store.onChange((changes) => {
      told.push(...changes.filter(({ id }) => id === of.id));
    });
    await atOnce(() => [edit({ tags: { a: 1 } }), edit({ tags: { a: 2 } })]);
    expect(told.map(({ revision }) => revision)).toStrictEqual([2, 3]);
  });

  test('that name the same revision are done but once', async () => {
    const outcomes = await atOnce(() =>
      Array.from({ length: 5 }, (_, n) => edit({ tags: { n } }, { ifRevision: 1 })),
    );
    expect(outcomes).toStrictEqual([DONE, ...Array<string>(4).fill('REVISION_CONFLICT')]);
    expect(await tagsOf()).toStrictEqual({ n: 0 });
  });

  test('take more than one transaction when there are many', async () => {
    await atOnce(() => Array.from({ length: 40 }, (_, n) => edit({ tags: { n } })));
    const records = await recordsOf();
    expect(records.map(({ revision }) => revision)).toStrictEqual(records.map((_, i) => i + 2));
    expect(records).toHaveLength(40);
    expect(transactionsOf(records)).toBeGreaterThanOrEqual(3);
  });
});

describe('edits of one session at once', () => {
  const caller = async (): Promise<Caller> => {
    const identity = await controller.create('Identity', {
      name: `editor ${String(edited)}`,
      type: 'Default',
      isAdmin: false,
    });
    const { id: apiSessionId } = await controller.openSession(identity);
    return { ...callerOf(identity, 'service'), apiSessionId };
  };

  test('are refused each that claims rights which its identity has not', async () => {
    const without = await caller();
    const ctx = controller.ctx({ ...without, permissions: [] });
    const claiming = controller.ctx({ ...without, isAdmin: true });
    const outcomes = await atOnce(() => [
      edit({ tags: { a: 1 } }, { ctx }),
      edit({ tags: { never: true } }, { ctx: claiming }),
      edit({ tags: { a: 2 } }, { ctx }),
    ]);
    expect(outcomes).toStrictEqual([DONE, 'UNAUTHORIZED', DONE]);
    expect((await recordsOf()).map(({ after }) => after.tags)).toStrictEqual([{ a: 1 }, { a: 2 }]);
  });

  test('hold the session until all are stored', async () => {
    const editor = await caller();
    const ctx = controller.ctx({ ...editor, permissions: [] });
    const sessionsInUse = async (tx: Transaction): Promise<void> => {
      const free = await controller.parts.store.query(
        sql`select id from api_session where id = ${editor.apiSessionId}::text
          for update skip locked`,
      );
      expect(free).toStrictEqual([]);
      await tx.update(of.resource, of.id, { tags: { held: true } });
    };
    const outcomes = await atOnce(() => [
      edit({ tags: { a: 1 } }, { ctx }),
      outcomeOf(controller.parts.store.write(originOf(ctx), sessionsInUse, of)),
    ]);
    expect(outcomes).toStrictEqual([DONE, DONE]);
  });
});

describe('one that fails', () => {
  test('alone is not run again', async () => {
    let runs = 0;
    const outcome = await write(async (tx) => {
      runs += 1;
      await tx.update(of.resource, of.id, { name: 'taken' });
    });
    expect([outcome, runs]).toStrictEqual(['COULD_NOT_VALIDATE', 1]);
  });
});

describe('one that fails among others', () => {
  test.each<[how: string, code: string, fail: () => Promise<unknown>]>([
    ['for its input', 'COULD_NOT_VALIDATE', () => edit({ name: '' })],
    ['in the database', 'COULD_NOT_VALIDATE', () => edit({ name: 'taken' })],
    ['for its revision', 'REVISION_CONFLICT', () => edit({ tags: {} }, { ifRevision: 77 })],
    [
      'since its session ended',
      'UNAUTHORIZED',
      () =>
        edit(
          { tags: {} },
          { ctx: controller.ctx({ ...callerOf('gone', 'service'), apiSessionId: 'gone' }) },
        ),
    ],
    [
      'after it has written',
      'FORBIDDEN',
      () =>
        write(async (tx) => {
          await tx.update(of.resource, of.id, { tags: { never: true } });
          throw failure('FORBIDDEN');
        }),
    ],
    [
      'with its connection',
      'UNAVAILABLE',
      () => write((tx) => tx.query(sql`select pg_terminate_backend(pg_backend_pid())`)),
    ],
  ])('%s has no effect, and the others are done', async (_, code, fail) => {
    const outcomes = await atOnce(() => [
      edit({ tags: { a: 1 } }),
      fail(),
      edit({ encryptionRequired: false }),
    ]);
    expect(outcomes).toStrictEqual([DONE, code, DONE]);
    const records = await recordsOf();
    expect(records.map(({ revision, after }) => [revision, after.tags])).toStrictEqual([
      [2, { a: 1 }],
      [3, { a: 1 }],
    ]);
  });

  test('since its time was up before its turn is not done', async () => {
    const scope = new RequestScope();
    const outcomes = await atOnce(() => {
      const writes = [edit({ tags: { late: 1 } }, { scope }), edit({ tags: { a: 1 } })];
      scope.clientLeft();
      return writes;
    });
    expect(outcomes).toStrictEqual(['TIMEOUT', DONE]);
    expect(await recordsOf()).toHaveLength(1);
  });

  test('since its time was up before the commit takes nothing with it', async () => {
    const scope = new RequestScope(1_000_000);
    const outcomes = await atOnce(() => [
      edit({ tags: { a: 1 } }),
      write(async (tx) => {
        await tx.query(sql`select 1`);
        Object.defineProperty(scope, 'maySend', { value: false });
      }, scope),
      edit({ tags: { a: 2 } }),
    ]);
    scope.end();
    expect(outcomes).toStrictEqual([DONE, 'TIMEOUT', DONE]);
    expect((await recordsOf()).map(({ after }) => after.tags)).toStrictEqual([{ a: 1 }, { a: 2 }]);
  });
});

describe('an access rule', () => {
  test('is kept by an edit that follows one which had ended a violation', async () => {
    await controller.create('Identity', {
      type: 'Default',
      isAdmin: false,
      name: 'eve',
      roleAttributes: ['guest'],
    });
    await controller.create('ServicePolicy', {
      name: 'guests',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#guest'],
      serviceRoles: ['#open'],
    });
    await controller.create('AccessRule', {
      name: 'no guests',
      kind: 'MUST_NEVER_REACH',
      type: 'Dial',
      semantic: 'AnyOf',

      identityRoles: ['#guest'],
      serviceRoles: ['#open'],
    });
    const overriding = { ...controller.ctx(), reason: 'an exception' };
    expect(await edit({ roleAttributes: ['open'] })).toBe('ACCESS_RULE_VIOLATED');
    expect(await edit({ roleAttributes: ['open'] }, { ctx: overriding })).toBe(DONE);
    const outcomes = await atOnce(() => [
      edit({ roleAttributes: [] }),
      edit({ roleAttributes: ['open'] }),
    ]);
    expect(outcomes).toStrictEqual([DONE, 'ACCESS_RULE_VIOLATED']);
  });
});
