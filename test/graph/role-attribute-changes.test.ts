import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { sql } from '../../src/base/sql.js';
import type { InProcess } from '../support/in-process.js';
import { callerOf, type GraphAnswer } from '../support/in-process.js';
import { startTwo, type TwoInProcess } from '../support/two-in-process.js';

/** Role attributes that are added and removed one by one, on each kind of entity that has some. */

let both: TwoInProcess;
let controller: InProcess;
let count = 0;

beforeAll(async () => {
  both = await startTwo({});
  ({ controller } = both);
});
afterAll(() => both.stop());

/** Kind -> what a new one has, and the permission to change it. */
const KINDS: Readonly<Record<string, { readonly input: Row; readonly permission: string }>> = {
  EdgeRouter: { input: {}, permission: 'router' },
  Identity: { input: { type: 'Default', isAdmin: false }, permission: 'identity' },
  PostureCheck: {
    input: { typeId: 'MAC', macAddresses: ['aa:bb:cc:dd:ee:ff'] },
    permission: 'posture-check',
  },
  Service: { input: { encryptionRequired: true }, permission: 'service' },
};

type Verb = 'add' | 'remove';

class Entity {
  private constructor(
    private readonly kind: string,
    readonly id: string,
  ) {}

  static async make(kind: string, roleAttributes: readonly string[]): Promise<Entity> {
    count += 1;
    const input = { ...KINDS[kind]?.input, name: `${kind} ${String(count)}`, roleAttributes };
    return new Entity(kind, await controller.create(kind, input));
  }

  change(
    verb: Verb,
    roleAttributes: readonly string[],
    more: { ifRevision?: number; on?: InProcess; ctx?: ReturnType<InProcess['ctx']> } = {},
  ): Promise<GraphAnswer> {
    const { ifRevision, on = controller, ctx = on.ctx() } = more;
    return on.graph(
      `mutation ($id: ID!, $roleAttributes: [String!]!, $ifRevision: Int) {
        result: ${verb}${this.kind}RoleAttributes(id: $id, roleAttributes: $roleAttributes, ifRevision: $ifRevision) {
          roleAttributes revision } }`,
      { id: this.id, roleAttributes: [...roleAttributes], ifRevision },
      ctx,
    );
  }

  async result(...args: Parameters<Entity['change']>): Promise<unknown> {
    const { data, messages } = await this.change(...args);
    expect(messages).toStrictEqual([]);
    return data?.result;
  }

  /** What the change log says of its attributes: before and after each change. */
  async logged(): Promise<unknown[]> {
    const rows = await controller.parts.store.query(
      sql<{ before: Row | null; after: Row }>`select before, after from change
        where entity_id = ${this.id}::text and entity_type = ${this.kind}::text and operation = 'update'
        order by revision`,
    );
    return rows.map(({ before, after }) => [before?.roleAttributes, after.roleAttributes]);
  }
}

const codeAndField = ({ errors }: GraphAnswer): unknown =>
  errors.map((error) => [
    error?.code,
    error?.detail?.kind === 'field' ? error.detail.field : undefined,
  ]);

describe.each(Object.keys(KINDS))('role attributes of %s', (kind) => {
  const permission = String(KINDS[kind]?.permission);

  test('come to those that it has, and leave them, with one record for each change', async () => {
    const entity = await Entity.make(kind, ['b', 'd']);
    expect(await entity.result('add', ['c', 'a', 'b', 'a'])).toStrictEqual({
      roleAttributes: ['a', 'b', 'c', 'd'],
      revision: 2,
    });
    expect(await entity.result('remove', ['d', 'x', 'a', 'd'])).toStrictEqual({
      roleAttributes: ['b', 'c'],
      revision: 3,
    });
    expect(await entity.logged()).toStrictEqual([
      [
        ['b', 'd'],
        ['a', 'b', 'c', 'd'],
      ],
      [
        ['a', 'b', 'c', 'd'],
        ['b', 'c'],
      ],
    ]);
  });

  test('that are there, or are not there, change nothing and leave no record', async () => {
    const entity = await Entity.make(kind, ['a', 'b']);
    const same = { roleAttributes: ['a', 'b'], revision: 1 };
    expect(await entity.result('add', ['b', 'a'])).toStrictEqual(same);
    expect(await entity.result('add', [])).toStrictEqual(same);
    expect(await entity.result('remove', ['c', 'A'])).toStrictEqual(same);
    expect(await entity.result('remove', [])).toStrictEqual(same);
    expect(await entity.logged()).toStrictEqual([]);
  });

  test('that callers of two controllers add and remove at once are all changed', async () => {
    const entity = await Entity.make(kind, ['old 1', 'old 2', 'old 3', 'old 4']);
    const on = (i: number): InProcess => (i % 2 === 0 ? controller : both.other);
    await Promise.all(
      [1, 2, 3, 4].flatMap((i) => [
        entity.result('add', [`new ${String(i)}`], { on: on(i) }),
        entity.result('remove', [`old ${String(i)}`], { on: on(i + 1) }),
      ]),
    );
    const logged = await entity.logged();
    expect(logged).toHaveLength(8);
    expect(logged.at(-1)).toStrictEqual([expect.anything(), ['new 1', 'new 2', 'new 3', 'new 4']]);
  });

  test('are changed only at the revision that the caller has seen, if it names one', async () => {
    const entity = await Entity.make(kind, ['a']);
    for (const attribute of ['a', 'b']) {
      const late = await entity.change('add', [attribute], { ifRevision: 2 });
      expect(codeAndField(late)).toStrictEqual([['REVISION_CONFLICT', undefined]]);
    }
    expect(await entity.result('add', ['b'], { ifRevision: 1 })).toMatchObject({ revision: 2 });
  });

  test('are refused as those of an update are', async () => {
    const entity = await Entity.make(kind, ['a']);
    for (const wrong of ['#a', '@a', 'a\u0000']) {
      const roleAttributes = ['b', wrong];
      const updated = await controller.graph(
        `mutation ($id: ID!, $input: Update${kind}Input!) { update${kind}(id: $id, input: $input) { id } }`,
        { id: entity.id, input: { roleAttributes } },
      );
      const refusal = codeAndField(updated);
      expect(refusal).toStrictEqual([
        ['COULD_NOT_VALIDATE', expect.stringMatching(/^roleAttributes/)],
      ]);
      for (const verb of ['add', 'remove'] as const) {
        expect(codeAndField(await entity.change(verb, roleAttributes))).toStrictEqual(refusal);
      }
    }
    expect(await entity.logged()).toStrictEqual([]);
  });

  test('belong to an entity that exists', async () => {
    const entity = await Entity.make(kind, []);
    await controller.read(`mutation ($id: ID!) { delete${kind}(id: $id) }`, { id: entity.id });
    for (const verb of ['add', 'remove'] as const) {
      const answer = await entity.change(verb, ['a']);
      expect(codeAndField(answer)).toStrictEqual([['NOT_FOUND', undefined]]);
    }
  });

  test('are changed by holders of the permission to update it alone', async () => {
    const entity = await Entity.make(kind, ['a']);
    for (const verb of ['add', 'remove'] as const) {
      for (const action of ['read', 'create', 'delete']) {
        const ctx = controller.ctx(callerOf('somebody', `${permission}.${action}`));
        // Also what changes nothing.
        for (const attribute of ['a', 'b']) {
          const answer = await entity.change(verb, [attribute], { ctx });
          expect(codeAndField(answer)).toStrictEqual([['UNAUTHORIZED', undefined]]);
        }
      }
    }
    const ctx = controller.ctx(callerOf('somebody', `${permission}.update`));
    expect(await entity.result('add', ['b'], { ctx })).toMatchObject({
      roleAttributes: ['a', 'b'],
    });
  });
});

test('each kind of entity with role attributes is in the table', () => {
  const kinds = [...controller.catalog.all()].filter(({ attributes }) =>
    attributes.has('roleAttributes'),
  );
  expect(kinds.map(({ name }) => name).sort()).toStrictEqual(Object.keys(KINDS));
});
