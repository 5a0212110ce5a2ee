import { sql } from '../../src/base/sql.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { InProcess, type GraphAnswer } from '../support/in-process.js';

let controller: InProcess;
let id: string;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

const ADA = {
  name: 'ada',
  type: 'Default',
  isAdmin: false,
  externalId: 'ext-1',
  roleAttributes: ['sales'],
  tags: { floor: 3 },
  appData: { theme: 'dark' },
  defaultHostingCost: 7,
};

const FIELDS =
  'id name externalId roleAttributes tags appData defaultHostingCost authPolicyId revision';
const READ = `query ($id: ID!) { identity(id: $id) { ${FIELDS} } }`;
const UPDATE = `mutation ($id: ID!, $input: UpdateIdentityInput!, $rev: Int) {
  updateIdentity(id: $id, input: $input, ifRevision: $rev) { ${FIELDS} } }`;
const REPLACE = `mutation ($id: ID!, $input: ReplaceIdentityInput!, $rev: Int) {
  replaceIdentity(id: $id, input: $input, ifRevision: $rev) { ${FIELDS} } }`;
const DELETE = 'mutation ($id: ID!, $rev: Int) { deleteIdentity(id: $id, ifRevision: $rev) }';

beforeEach(async () => {
  const [old] = await controller.parts.database.query(
    sql<{ id: string }>`select id from identity where name = 'ada'`,
  );
  if (old) await controller.read(DELETE, { id: old.id });
  id = await controller.create('Identity', ADA);
});

const refusals = ({ errors }: GraphAnswer): object[] =>
  errors.map((e) => ({
    code: e?.code,
    status: e?.status,
    ...(e?.detail?.kind === 'field' ? { field: e.detail.field } : {}),
  }));

describe('update', () => {
  test('keeps what is absent and changes what is sent', async () => {
    await expect(
      controller.read(UPDATE, { id, input: { defaultHostingCost: 9, tags: {} } }),
    ).resolves.toStrictEqual({
      updateIdentity: {
        id,
        name: 'ada',
        externalId: 'ext-1',
        roleAttributes: ['sales'],
        tags: {},
        appData: { theme: 'dark' },
        defaultHostingCost: 9,
        authPolicyId: 'default',
        revision: 2,
      },
    });
  });

  test('null clears a nullable attribute', async () => {
    const answer = await controller.read<{ updateIdentity: object }>(UPDATE, {
      id,
      input: { externalId: null },
    });
    expect(answer.updateIdentity).toMatchObject({ externalId: null, name: 'ada', revision: 2 });
  });

  test.each(['name', 'type', 'isAdmin', 'roleAttributes', 'tags', 'appData', 'defaultHostingCost'])(
    'null is refused for %s',
    async (field) => {
      const answer = await controller.graph(UPDATE, { id, input: { [field]: null } });
      expect(refusals(answer)).toStrictEqual([{ code: 'COULD_NOT_VALIDATE', status: 400, field }]);
      const kept = await controller.read<{ identity: object }>(READ, { id });
      expect(kept.identity).toMatchObject({ ...without(ADA, 'type', 'isAdmin'), revision: 1 });
    },
  );

  test('an empty input changes nothing but counts as a change', async () => {
    const answer = await controller.graph(UPDATE, { id, input: {} });
    expect(answer.errors).toStrictEqual([]);
    expect(answer.data?.updateIdentity).toMatchObject({ ...without(ADA, 'type', 'isAdmin') });
  });
});

const without = (row: Record<string, unknown>, ...names: string[]): object =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

describe('replace', () => {
  test('resets what is absent to its default', async () => {
    await expect(
      controller.read(REPLACE, { id, input: { name: 'ada', type: 'Default', isAdmin: false } }),
    ).resolves.toStrictEqual({
      replaceIdentity: {
        id,
        name: 'ada',
        externalId: null,
        roleAttributes: [],
        tags: {},
        appData: {},
        defaultHostingCost: 0,
        authPolicyId: 'default',
        revision: 2,
      },
    });
  });
});

describe('ifRevision', () => {
  const input = { name: 'ada', type: 'Default', isAdmin: false };
  test.each([
    ['update', UPDATE, { roleAttributes: ['new'] }],
    ['replace', REPLACE, input],
    ['delete', DELETE, undefined],
  ])('%s refuses any other revision and takes the right one', async (_, document, sent) => {
    for (const rev of [0, 2, -1]) {
      const late = await controller.graph(document, { id, rev, ...(sent ? { input: sent } : {}) });
      expect(refusals(late)).toStrictEqual([{ code: 'REVISION_CONFLICT', status: 412 }]);
    }
    const same = await controller.read<{ identity: object }>(READ, { id });
    expect(same.identity).toMatchObject({ revision: 1, roleAttributes: ['sales'] });
    const right = await controller.graph(document, {
      id,
      rev: 1,
      ...(sent ? { input: sent } : {}),
    });
    expect(right.errors).toStrictEqual([]);
  });

  test('of two updates with one revision exactly one succeeds', async () => {
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((role) =>
        controller.graph(UPDATE, { id, rev: 1, input: { roleAttributes: [role] } }),
      ),
    );
    const lost = answers.filter((a) => a.errors.length > 0);
    expect(lost.map(refusals)).toStrictEqual([
      [{ code: 'REVISION_CONFLICT', status: 412 }],
      [{ code: 'REVISION_CONFLICT', status: 412 }],
    ]);
  });
});

describe('delete', () => {
  test('gives the id, and the entity is gone', async () => {
    await expect(controller.read(DELETE, { id })).resolves.toStrictEqual({ deleteIdentity: id });
    expect(refusals(await controller.graph(READ, { id }))).toStrictEqual([
      { code: 'NOT_FOUND', status: 404 },
    ]);
    expect(refusals(await controller.graph(DELETE, { id }))).toStrictEqual([
      { code: 'NOT_FOUND', status: 404 },
    ]);
  });
});

describe('refusals', () => {
  test('a duplicate name names the field, on create and on update', async () => {
    const other = await controller.create('Identity', {
      name: `bob-${id}`,
      type: 'Default',
      isAdmin: false,
    });
    const created = await controller.graph(
      'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { id } }',
      { input: { name: 'ada', type: 'Default', isAdmin: false } },
    );
    const renamed = await controller.graph(UPDATE, { id: other, input: { name: 'ada' } });
    for (const answer of [created, renamed]) {
      expect(refusals(answer)).toStrictEqual([
        { code: 'COULD_NOT_VALIDATE', status: 400, field: 'name' },
      ]);
    }
  });

  test('of several mutations each answers for itself', async () => {
    const answer = await controller.graph(
      `mutation ($id: ID!) {
        first: updateIdentity(id: $id, input: { defaultHostingCost: 1 }) { revision }
        second: updateIdentity(id: $id, input: { defaultHostingCost: -1 }) { revision }
        third: updateIdentity(id: $id, input: { defaultHostingCost: 3 }) { revision }
      }`,
      { id },
    );
    expect(refusals(answer)).toStrictEqual([
      { code: 'COULD_NOT_VALIDATE', status: 400, field: 'defaultHostingCost' },
    ]);
    const after = await controller.read<{ identity: object }>(READ, { id });
    expect(after.identity).toMatchObject({ defaultHostingCost: 3, revision: 3 });
    expect(answer.data).toStrictEqual({
      first: { revision: 2 },
      second: null,
      third: { revision: 3 },
    });
  });
});
