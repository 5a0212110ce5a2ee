import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import { callerOf, InProcess } from '../../support/in-process.js';
import { NamedEntities } from '../../support/named-entities.js';
import {
  apply,
  codeOf,
  detailOf,
  fillForApplying,
  idsOf,
  remove,
  traces,
  tryToApply,
  unnamedService,
  update,
} from './support.js';

/** The permissions to apply a list of changes, and its reason. */

let controller: InProcess;
const named = new NamedEntities(() => controller);
const { idOf } = named;

beforeAll(async () => {
  controller = await InProcess.start();
  await fillForApplying(named);
});
afterAll(() => controller.stop());

describe('the permission', () => {
  const as = (...permissions: string[]) => controller.ctx(callerOf(idOf('eve'), ...permissions));

  test('is that of each change, and no other', async () => {
    const list = [
      unnamedService('permitted', { id: 'permitted' }),
      update('service', 'permitted', { tags: { a: 1 } }),
      {
        operation: 'replace',
        type: 'service',
        id: 'permitted',
        input: { name: 'permitted', encryptionRequired: true },
      },
      remove('service', 'permitted'),
      update('identity', idOf('ada'), { tags: {} }),
    ];
    const all = ['service.create', 'service.update', 'service.delete', 'identity.update'];
    expect(codeOf(await tryToApply(controller, list, {}, as(...all)))).toBe('done');
    expect(codeOf(await tryToApply(controller, list, {}, as('service', 'identity')))).toBe('done');
    for (const [missing, place] of [
      ['service.create', 0],
      ['service.update', 1],
      ['service.delete', 3],
      ['identity.update', 4],
    ] as const) {
      const before = await traces(controller);
      const others = all.filter((one) => one !== missing);
      const refused = await tryToApply(controller, list, {}, as(...others, 'admin_readonly'));
      expect(codeOf(refused)).toBe('UNAUTHORIZED');
      expect(JSON.stringify(detailOf(refused))).toContain(`changes[${String(place)}]`);
      expect(await traces(controller)).toStrictEqual(before);
    }
  });

  test('lets a caller with a single one see what it wrote', async () => {
    const { data, messages } = await controller.graph(
      `mutation ($changes: [ModelChangeInput!]!) { applyChanges(changes: $changes) {
        fields { name after } entity { ... on Service { name } } } }`,
      { changes: [update('service', idOf('crm'), { tags: { seen: true } })] },
      as('service.update'),
    );
    expect(messages).toStrictEqual([]);
    expect(data).toStrictEqual({
      applyChanges: [
        { fields: [{ name: 'tags', after: { seen: true } }], entity: { name: 'crm' } },
      ],
    });
  });

  test('does not let a caller give rights that it lacks', async () => {
    const before = await traces(controller);
    const refused = await tryToApply(
      controller,
      [update('identity', idOf('ada'), { isAdmin: true })],
      {},
      as('identity'),
    );
    expect(refused).toMatchObject({
      error: { code: 'UNAUTHORIZED', detail: { kind: 'message', message: 'changes[0]' } },
    });
    expect(await traces(controller)).toStrictEqual(before);
  });

  test('is needed to learn revisions of entities that no change names', async () => {
    const ifRevisions = [{ type: 'identity', id: idOf('ada'), revision: 99 }];
    const list = [update('service', idOf('crm'), { tags: {} })];
    const ask = (...permissions: string[]) =>
      tryToApply(controller, list, { ifRevisions }, as('service.update', ...permissions));
    expect(codeOf(await ask())).toBe('UNAUTHORIZED');
    expect(codeOf(await ask('identity.read'))).toBe('REVISION_CONFLICT');
    const own = [{ type: 'service', id: idOf('crm'), revision: 99 }];
    const conflict = await tryToApply(controller, list, { ifRevisions: own }, as('service.update'));
    expect(codeOf(conflict)).toBe('REVISION_CONFLICT');
  });
});

describe('the reason', () => {
  const reasonsOf = async (ids: readonly string[]): Promise<unknown[]> => {
    const rows = await controller.parts.store.query(
      sql`select reason, actor_id from change where id = any(${[...ids]}::text[]) order by id`,
    );
    return rows;
  };

  test('is stored with every change, with the actor', async () => {
    const caller = callerOf(idOf('eve'), 'identity', 'service-policy');
    const answer = await apply(
      controller,
      [
        {
          operation: 'create',
          type: 'identity',
          id: 'tmp',
          input: { name: 'tmp', type: 'Default', isAdmin: false },
        },
        update('servicePolicy', idOf('staff reads'), { identityRoles: ['#staff', '@tmp'] }),
        remove('identity', 'tmp'),
      ],
      { reason: '  für Zoë — „später“ 🙂 ' },
      controller.ctx(caller),
    );
    const reason = 'für Zoë — „später“ 🙂';
    expect(await reasonsOf(idsOf(answer))).toStrictEqual(
      Array.from({ length: 4 }, () => ({ reason, actor_id: idOf('eve') })),
    );
  });

  test.each([
    ['too long', 'x'.repeat(501), 'is longer than 500 characters'],
    ['of two lines', 'a\nb', 'must be one line of text'],
    ['with NUL', 'a\0b', 'must be text without NUL and lone surrogates'],
    ['with a lone surrogate', 'a\ud800b', 'must be text without NUL and lone surrogates'],
  ])('is refused when it is %s', async (_, reason, why) => {
    const before = await traces(controller);
    const refused = await tryToApply(controller, [unnamedService('x')], { reason });
    expect(detailOf(refused)).toMatchObject({ field: 'reason', reason: why });
    expect(await traces(controller)).toStrictEqual(before);
  });

  test('that is blank is none', async () => {
    const answer = await apply(controller, [update('service', idOf('crm'), { tags: {} })], {
      reason: ' ',
    });
    expect(await reasonsOf(idsOf(answer))).toMatchObject([{ reason: null }]);
  });

  test('does not override an access rule; the reason of the header does', async () => {
    await controller.create('AccessRule', {
      name: 'guests stay out of the vault',
      kind: 'MUST_NEVER_REACH',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#guest'],
      serviceRoles: ['#at vault'],
    });
    const list = [
      {
        operation: 'create',
        type: 'servicePolicy',
        input: {
          ...{ name: 'guests count', type: 'Dial', semantic: 'AnyOf' },
          ...{ identityRoles: ['#guest'], serviceRoles: ['#at vault'] },
        },
      },
    ];
    const before = await traces(controller);
    expect(codeOf(await tryToApply(controller, list, { reason: 'the audit' }))).toBe(
      'ACCESS_RULE_VIOLATED',
    );
    expect(await traces(controller)).toStrictEqual(before);
    const overriding = { ...controller.ctx(), reason: 'the audit of May' };
    const other = await tryToApply(controller, list, { reason: 'another one' }, overriding);
    expect(detailOf(other)).toMatchObject({ field: 'reason' });
    const answer = await apply(controller, list, {}, overriding);
    expect(await reasonsOf(idsOf(answer))).toMatchObject([{ reason: 'the audit of May' }]);
  });
});
