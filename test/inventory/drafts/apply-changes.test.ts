import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { StoredChangeLog } from '../../../src/data/store/change-log.js';
import { eventually } from '../../support/eventually.js';
import { InProcess, InProcessRest } from '../../support/in-process.js';
import { NamedEntities } from '../../support/named-entities.js';
import { settledChange } from '../../support/settled-change.js';
import { startTwo } from '../../support/two-in-process.js';
import {
  apply,
  codeOf,
  detailOf,
  fillForApplying,
  idsOf,
  lastSeq,
  loggedSince,
  newPerson,
  remove,
  succeeded,
  traces,
  tryToApply,
  tryToSimulate,
  unnamedService,
  update,
} from './support.js';

/** A list of changes becomes real as a whole, by the rules of the mutations, or leaves nothing. */

let controller: InProcess;
const named = new NamedEntities(() => controller);
const { idOf } = named;

beforeAll(async () => {
  controller = await InProcess.start();
  await fillForApplying(named);
});
afterAll(() => controller.stop());

const revisionOf = async (table: string, id: string): Promise<number> => {
  const rows: { id: string; revision: number }[] = await (table === 'service'
    ? controller.parts.store.query(sql`select id, revision from service`)
    : controller.parts.store.query(sql`select id, revision from service_policy`));
  return rows.find((row) => row.id === id)?.revision ?? 0;
};

describe('applyChanges', () => {
  test('makes changes in their order, and tells what each did and where the log has it', async () => {
    const since = await lastSeq(controller);
    const answer = await apply(controller, [
      {
        operation: 'create',
        type: 'identity',
        id: 'zoe',
        input: { name: 'zoe', type: 'Default', isAdmin: false, roleAttributes: ['ops'] },
      },
      update('servicePolicy', idOf('staff reads'), { identityRoles: ['#staff', '@zoe'] }),
      remove('identity', 'zoe'),
    ]);
    const log = await loggedSince(controller, since);
    expect(log.map(({ type, operation, entityId }) => [type, operation, entityId])).toStrictEqual([
      ['Identity', 'create', 'zoe'],
      ['ServicePolicy', 'update', idOf('staff reads')],
      // The deletion takes the identity out of the policy.
      ['ServicePolicy', 'update', idOf('staff reads')],
      ['Identity', 'delete', 'zoe'],
    ]);
    const [made, named, ...gone] = log;
    expect(answer).toMatchObject([
      {
        ...{ operation: 'create', type: 'identity', entityId: 'zoe', revision: 1 },
        changeIds: [made?.id],
      },
      {
        ...{ operation: 'update', type: 'servicePolicy', entityId: idOf('staff reads') },
        ...{ revision: named?.revision, changeIds: [named?.id] },
      },
      {
        ...{ operation: 'delete', type: 'identity', entityId: 'zoe', revision: null },
        changeIds: gone.map(({ id }) => id),
      },
    ]);
    expect(answer[1]?.fields).toStrictEqual([
      { name: 'identityRoles', before: ['#staff'], after: ['#staff', '@zoe'] },
    ]);
    expect(answer[0]?.fields).toContainEqual({
      name: 'roleAttributes',
      before: null,
      after: ['ops'],
    });
  });

  test('shows the entity as it is after all changes', async () => {
    const { applyChanges } = await controller.read<{ applyChanges: Row[] }>(
      `mutation ($changes: [ModelChangeInput!]!) { applyChanges(changes: $changes) {
        entityId entity { nodeId ... on Service { id name tags } } } }`,
      {
        changes: [
          unnamedService('shown', { id: 'shown' }),
          update('service', 'shown', { tags: { a: 1 } }),
          unnamedService('brief', { id: 'brief' }),
          remove('service', 'brief'),
        ],
      },
    );
    const nodeId = Buffer.from('Service:shown').toString('base64url');
    const entity = { nodeId, id: 'shown', name: 'shown', tags: { a: 1 } };
    expect(applyChanges).toStrictEqual([
      { entityId: 'shown', entity },
      { entityId: 'shown', entity },
      { entityId: 'brief', entity: null },
      { entityId: 'brief', entity: null },
    ]);
  });

  test('changes access as simulate has foretold, and as the log tells afterwards', async () => {
    const list = [
      newPerson('new-staff', { roleAttributes: ['staff'] }),
      update('service', idOf('crm'), { roleAttributes: ['at wiki'] }),
      update('identity', idOf('ada'), { roleAttributes: ['former'] }),
    ];
    const from = await settledChange(controller);
    const foretold = succeeded(await tryToSimulate(controller, list));
    await apply(controller, list);
    const pairs = '{ totalCount nodes { identityId serviceId type } }';
    const { accessDiff } = await controller.read<{ accessDiff: Row }>(
      `query ($from: String!) { accessDiff(from: $from) {
        gained(first: 500) ${pairs} lost(first: 500) ${pairs} } }`,
      { from },
    );
    expect(foretold).toMatchObject({ gained: { totalCount: 2 }, lost: { totalCount: 1 } });
    expect(accessDiff).toStrictEqual(foretold);
  });

  test('does nothing for an empty list', async () => {
    const before = await traces(controller);
    expect(await apply(controller, [])).toStrictEqual([]);
    expect(await traces(controller)).toStrictEqual(before);
  });

  test.each([
    ['a misspelt attribute', () => update('identity', idOf('ada'), { roles: [] })],
    ['a value that a write refuses', () => unnamedService('')],
    ['an entity that is not there', () => remove('service', 'nothing')],
    ['no id', () => ({ operation: 'delete', type: 'service' })],
    ['no input', () => ({ operation: 'create', type: 'service' })],
    ['a name that another entity has', () => unnamedService('wiki')],
    [
      'a role of nobody',
      () => update('servicePolicy', idOf('staff reads'), { identityRoles: ['@x'] }),
    ],
    [
      'a reference to nothing',
      () => unnamedService('x', { input: { name: 'x', encryptionRequired: true, configs: ['x'] } }),
    ],
    ['an id that an entity has', () => unnamedService('x', { id: idOf('wiki') })],
    ['an id that an earlier change uses', () => unnamedService('x', { id: 'first' })],
    ['an id with other characters', () => unnamedService('x', { id: 'a/b' })],
    ['an id of dots', () => unnamedService('x', { id: '..' })],
    ['an id that is too long', () => unnamedService('x', { id: 'x'.repeat(101) })],
    [
      'the id of a router for an identity',
      () => ({
        operation: 'create',
        type: 'identity',
        id: idOf('gate'),
        input: { name: 'x', type: 'Default', isAdmin: false },
      }),
    ],
    [
      'the id of an identity for a router',
      () => ({ operation: 'create', type: 'edgeRouter', id: idOf('ada'), input: { name: 'x' } }),
    ],
    ['the identity of a router', () => remove('identity', idOf('gate'))],
  ])(
    'refuses %s like simulate, with the same place, and leaves nothing behind',
    async (_, last) => {
      const changes = [unnamedService('first', { id: 'first' }), last()];
      const before = await traces(controller);
      const simulated = await tryToSimulate(controller, changes);
      const applied = await tryToApply(controller, changes);
      expect(codeOf(applied)).not.toBe('done');
      expect(applied).toStrictEqual(simulated);
      expect(JSON.stringify(detailOf(applied))).toContain('changes[1]');
      expect(await traces(controller)).toStrictEqual(before);
    },
  );

  test('has the same bound as simulate', async () => {
    const changes = Array.from({ length: 1_001 }, () => remove('service', 'x'));
    const refused = await tryToApply(controller, changes);
    expect(refused).toStrictEqual(await tryToSimulate(controller, changes));
    expect(refused).toMatchObject({ error: { detail: { field: 'changes', value: 1_001 } } });
  });

  test('takes the same list only once, where it creates something', async () => {
    const list = [unnamedService('once', { id: 'once' })];
    await apply(controller, list);
    expect(detailOf(await tryToApply(controller, list))).toStrictEqual({
      ...{ kind: 'field', field: 'changes[0].id', reason: 'there is a service with this id' },
      value: 'once',
    });
    const unnamed = [unnamedService('once')];
    expect(detailOf(await tryToApply(controller, unnamed))).toMatchObject({
      field: 'changes[0].input.name',
    });
  });

  test('uses an id again with growing revisions, in one list and later', async () => {
    const since = await lastSeq(controller);
    await apply(controller, [unnamedService('again', { id: 'again' })]);
    await apply(controller, [remove('service', 'again'), unnamedService('again', { id: 'again' })]);
    await apply(controller, [
      update('edgeRouter', idOf('gate'), { isTunnelerEnabled: false }),
      update('edgeRouter', idOf('gate'), { isTunnelerEnabled: true }),
    ]);
    const log = await loggedSince(controller, since);
    for (const id of ['again', idOf('gate')]) {
      for (const type of ['Service', 'Identity', 'EdgeRouterPolicy']) {
        const revisions = log
          .filter((change) => change.entityId === id && change.type === type)
          .map(({ revision }) => revision);
        expect(revisions).toStrictEqual([...new Set(revisions)].sort((a, b) => a - b));
      }
    }
    expect(
      log.filter(({ type }) => type === 'Service').map(({ revision }) => revision),
    ).toStrictEqual([1, 2, 3]);
  });

  test('shows no secret of what it makes', async () => {
    const answer = await apply(controller, [
      {
        operation: 'create',
        type: 'identity',
        id: 'invited',
        input: { name: 'invited', type: 'Default', isAdmin: false, enrollment: { ott: true } },
      },
      { operation: 'create', type: 'edgeRouter', id: 'door', input: { name: 'door' } },
    ]);
    const secrets = await controller.parts.store.query(
      sql<{ token: string; jwt: string }>`select token, jwt from enrollment
        where identity_id = 'invited' or edge_router_id = 'door'`,
    );
    expect(secrets).toHaveLength(2);
    const text = JSON.stringify(answer);
    for (const { token, jwt } of secrets) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(jwt);
    }
    // The enrollment is a change of its own.
    expect(answer.map(({ changeIds }) => changeIds.length)).toStrictEqual([2, 2]);
  });
});

describe('ifRevisions', () => {
  test('refuses the list when an entity has another revision or is gone, and names all of them', async () => {
    const revision = await revisionOf('service', idOf('wiki'));
    const before = await traces(controller);
    const refused = await tryToApply(controller, [update('service', idOf('wiki'), { tags: {} })], {
      ifRevisions: [
        { type: 'service', id: idOf('wiki'), revision },
        { type: 'service', id: idOf('vault'), revision: 77 },
        { type: 'servicePolicy', id: 'gone', revision: 1 },
      ],
    });
    const vault = await revisionOf('service', idOf('vault'));
    expect(refused).toStrictEqual({
      error: {
        code: 'REVISION_CONFLICT',
        detail: {
          kind: 'data',
          message: `ifRevisions[1]: service with id ${idOf('vault')} has the revision ${String(vault)}`,
          data: {
            conflicts: [
              { place: 'ifRevisions[1]', type: 'service', id: idOf('vault'), revision: vault },
              { place: 'ifRevisions[2]', type: 'servicePolicy', id: 'gone', revision: null },
            ],
          },
        },
      },
    });
    expect(await traces(controller)).toStrictEqual(before);
  });

  test('lets one of two lists through that were made from the same state', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = idOf('vault');
      const ifRevisions = [{ type: 'service', id, revision: await revisionOf('service', id) }];
      const outcomes = await Promise.all(
        ['one', 'other'].map((by) =>
          tryToApply(controller, [update('service', id, { tags: { by } })], { ifRevisions }),
        ),
      );
      expect(outcomes.map(codeOf).sort()).toStrictEqual(['REVISION_CONFLICT', 'done']);
    }
  });
});

describe('two lists at the same moment', () => {
  test('both succeed, whatever the order of their entities', async () => {
    const [a, b] = [idOf('wiki'), idOf('vault')];
    for (let round = 0; round < 2; round += 1) {
      const tags = { round };
      const outcomes = await Promise.all([
        tryToApply(controller, [update('service', a, { tags }), update('service', b, { tags })]),
        tryToApply(controller, [update('service', b, { tags }), update('service', a, { tags })]),
      ]);
      expect(outcomes.map(codeOf)).toStrictEqual(['done', 'done']);
    }
  });

  test('that create an entity with one id: one succeeds, the other names the id', async () => {
    for (const id of ['same-1', 'same-2', 'same-3']) {
      const outcomes = await Promise.all([
        tryToApply(controller, [unnamedService(`first ${id}`, { id })]),
        tryToApply(controller, [unnamedService(`second ${id}`, { id })]),
      ]);
      const refused = outcomes.filter((one) => 'error' in one);
      expect(refused).toMatchObject([
        { error: { code: 'COULD_NOT_VALIDATE', detail: { field: 'changes[0].id', value: id } } },
      ]);
    }
  });
});

describe('POST /apply-changes', () => {
  test('does the same, with the errors of REST', async () => {
    const rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
    try {
      const body = { changes: [unnamedService('by rest', { id: 'by-rest' })], reason: 'asked for' };
      const done = await rest.send('POST', '/apply-changes', body);
      expect([done.status, done.body.data]).toMatchObject([
        200,
        [{ operation: 'create', type: 'service', entityId: 'by-rest', revision: 1 }],
      ]);
      const again = await rest.send('POST', '/apply-changes', body);
      expect([again.status, again.body.error]).toMatchObject([
        400,
        { code: 'COULD_NOT_VALIDATE', cause: { field: 'changes[0].id' } },
      ]);
      const conflict = await rest.send('POST', '/apply-changes', {
        changes: [remove('service', 'by-rest')],
        ifRevisions: [{ type: 'service', id: 'by-rest', revision: 5 }],
      });
      expect([conflict.status, conflict.body.error.code]).toStrictEqual([412, 'REVISION_CONFLICT']);
    } finally {
      await rest.stop();
    }
  });
});

describe('other processes', () => {
  test('of the controller learn of all changes by the write, other controllers by the log', async () => {
    const two = await startTwo({});
    const { controller: writer, other: reader } = two;
    const sibling = await InProcess.start(writer);
    try {
      writer.parts.store.onWritten = (write) => {
        sibling.parts.store.applyWrite(structuredClone(write));
        return Promise.resolve();
      };
      const log = new StoredChangeLog(reader.parts.database);
      const begin = await log.horizon();
      const answer = await apply(writer, [
        unnamedService('far', {
          id: 'far',
          input: { name: 'far', encryptionRequired: true, roleAttributes: ['far'] },
        }),
        {
          operation: 'create',
          type: 'identity',
          id: 'mia',
          input: { name: 'mia', type: 'Default', isAdmin: false, roleAttributes: ['near'] },
        },
        {
          operation: 'create',
          type: 'servicePolicy',
          input: {
            ...{ name: 'near dials far', type: 'Dial', semantic: 'AnyOf' },
            ...{ identityRoles: ['#near'], serviceRoles: ['@far'] },
          },
        },
      ]);
      const pairs = {
        totalCount: 1,
        nodes: [{ identityId: 'mia', serviceId: 'far', type: 'Dial' }],
      };
      const accesses = async (on: InProcess): Promise<unknown> =>
        (await on.read<Row>('{ accesses { totalCount nodes { identityId serviceId type } } }'))
          .accesses;
      await eventually(async () => {
        expect(await accesses(sibling)).toStrictEqual(pairs);
      });
      expect(await accesses(reader)).toMatchObject({ totalCount: 0 });
      const { value: changes } = await eventually(async () => {
        const following = await log.following(begin, 1_000);
        const places = following.map(({ cursor }) => cursor);
        expect(places).toEqual(expect.arrayContaining(idsOf(answer)));
        return following;
      });
      await reader.parts.store.deliver(changes);
      expect(await accesses(reader)).toStrictEqual(pairs);
    } finally {
      await sibling.stop();
      await two.stop();
    }
  });
});
