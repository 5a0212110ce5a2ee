import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { callerOf, type GraphAnswer, type InProcess } from '../../support/in-process.js';
import { assign, assigned, codes, inHours, moveDue, passHours, shown } from './assigned.js';
import { Boards } from './boards.js';

/** Role assignments that access rules, permissions or their own rules refuse. */

const SOON = inHours(2);

let boards: Boards;
let controller: InProcess;
let ada: string;

beforeAll(async () => {
  boards = await Boards.start();
  ({ controller } = boards);
});
afterAll(() => controller.stop());
beforeEach(async () => {
  ada = await newIdentity();
});

const newIdentity = (input: Row = {}): Promise<string> => boards.newIdentity(input);
const onCall = (input: Row = {}): Promise<string> => boards.onCall(ada, input);

const update = (id: string, input: Row): Promise<GraphAnswer> => boards.update(id, input);

const effective = async (id = ada): Promise<readonly string[]> =>
  (await shown(controller, id)).effectiveRoleAttributes;

describe('access rules', () => {
  const rule = async (kind: string, identityRoles: readonly string[]): Promise<string> =>
    controller.create('AccessRule', {
      name: `${kind} ${ada}`,
      kind,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [...identityRoles],
      serviceRoles: ['#all'],
    });
  const removeRule = (id: string): Promise<unknown> =>
    controller.graph('mutation ($id: ID!) { deleteAccessRule(id: $id) }', { id });

  test('keep an assignment from beginning, and no other one', async () => {
    const forbidden = await newIdentity({ roleAttributes: [] });
    const ids = [
      await onCall({ activeFrom: inHours(1) }),
      await assigned(controller, {
        identityId: forbidden,
        roleAttribute: 'on-call',
        activeFrom: inHours(1),
      }),
    ];
    const ruleId = await rule('MUST_NEVER_REACH', [`@${forbidden}`]);
    await passHours(controller, 2, ...ids);
    expect(await moveDue(controller)).toStrictEqual({ count: 1, refusedIds: [ids[1]] });
    expect(await effective()).toStrictEqual(['desk', 'on-call']);
    expect(await effective(forbidden)).toStrictEqual([]);
    expect(
      codes(await assign(controller, { identityId: forbidden, roleAttribute: 'desk' })),
    ).toStrictEqual(['ACCESS_RULE_VIOLATED']);
    await removeRule(ruleId);
    expect(await moveDue(controller)).toStrictEqual({ count: 1, refusedIds: [] });
    expect(await effective(forbidden)).toStrictEqual(['on-call']);
  });

  test('delay no end', async () => {
    const id = await onCall({ activeUntil: inHours(1) });
    const service = await controller.read<{ services: { nodes: { id: string }[] } }>(
      '{ services(filter: "name = \\"on-call board\\"") { nodes { id } } }',
    );
    const ruleId = await controller.create('AccessRule', {
      name: `must ${ada}`,
      kind: 'MUST_REACH',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${ada}`],
      serviceRoles: [`@${String(service.services.nodes[0]?.id)}`],
    });
    await passHours(controller, 2, id);
    expect(await moveDue(controller)).toStrictEqual({ count: 1, refusedIds: [] });
    expect(await effective()).toStrictEqual(['desk']);
    await removeRule(ruleId);
  });
});

describe('a role assignment is refused', () => {
  test.each([
    ['with an attribute that begins with #', { roleAttribute: '#x' }, 'roleAttribute'],
    ['with an attribute that begins with @', { roleAttribute: '@x' }, 'roleAttribute'],
    [
      'that ends before it begins',
      { activeFrom: inHours(2), activeUntil: inHours(1) },
      'activeUntil',
    ],
    ['that ends when it begins', { activeFrom: SOON, activeUntil: SOON }, 'activeUntil'],
    ['without an identity that exists', { identityId: 'nobody' }, 'identityId'],
  ])('%s', async (_, input, field) => {
    const { errors } = await assign(controller, {
      identityId: ada,
      roleAttribute: 'on-call',
      ...input,
    });
    expect(errors).toMatchObject([{ code: 'COULD_NOT_VALIDATE', detail: { field } }]);
  });

  test('to a caller without the permission to update identities, or with fewer rights', async () => {
    const admin = await newIdentity({ isAdmin: true });
    const input = { identityId: ada, roleAttribute: 'on-call' };
    for (const [permissions, identityId] of [
      [['identity.create', 'identity.read', 'service'], ada],
      [['identity.delete'], ada],
      [['identity'], admin],
    ] as const) {
      const ctx = controller.ctx(callerOf('somebody', ...permissions));
      expect(codes(await assign(controller, { ...input, identityId }, ctx))).toStrictEqual([
        'UNAUTHORIZED',
      ]);
    }
    expect(await effective()).toStrictEqual(['desk']);
  });

  test('when another source owns it', async () => {
    const id = await onCall();
    await controller.parts.store.query(
      sql`update role_assignment set source = 'rota' where id = ${id}::text`,
    );
    expect(codes(await update(id, { activeUntil: inHours(1) }))).toStrictEqual([
      'ENTITY_CAN_NOT_BE_UPDATED',
    ]);
    expect(
      codes(
        await controller.graph('mutation ($id: ID!) { deleteRoleAssignment(id: $id) }', { id }),
      ),
    ).toStrictEqual(['ENTITY_CAN_NOT_BE_DELETED']);
    expect(await effective()).toStrictEqual(['desk', 'on-call']);
  });
});

test('an identity sees its own role assignments, and no others', async () => {
  await onCall();
  const own = ada;
  ada = await newIdentity();
  await onCall();
  const { roleAssignments } = await controller.read<{ roleAssignments: { nodes: Row[] } }>(
    '{ roleAssignments { nodes { identityId } } }',
    {},
    controller.ctx(callerOf(own)),
  );
  expect(roleAssignments.nodes).toStrictEqual([{ identityId: own }]);
});
