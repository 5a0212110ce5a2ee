import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { callerOf, type GraphAnswer, type InProcess } from '../../support/in-process.js';
import { assign, assigned, codes, inHours, moveDue, passHours, shown } from './assigned.js';
import { Boards } from './boards.js';

/** Role attributes that identities have for a time, beside those written on them. */

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

const namesOf = (nodes: readonly { readonly name: string }[]): string[] =>
  nodes.map(({ name }) => name).sort();

const effective = async (id = ada): Promise<readonly string[]> =>
  (await shown(controller, id)).effectiveRoleAttributes;

describe('an active role assignment', () => {
  test('adds its attribute to those written on the identity, and leaves these alone', async () => {
    await onCall({ activeUntil: inHours(1) });
    const { services, ...attributes } = await shown(controller, ada);
    expect(attributes).toStrictEqual({
      roleAttributes: ['desk'],
      assignedRoleAttributes: ['on-call'],
      effectiveRoleAttributes: ['desk', 'on-call'],
    });
    expect(namesOf(services.nodes)).toStrictEqual(['desk board', 'on-call board']);
  });

  test('counts in policies, in lists by role, in filters and in lists of attributes', async () => {
    await onCall({ activeUntil: inHours(1) });
    const data = await controller.read<Record<string, never>>(
      `query ($id: ID!, $where: String!, $written: String!) {
        identity(id: $id) { servicePolicies { nodes { name } totalCount } }
        byRole: identities(roleFilter: ["#on-call", "#desk"], filter: $where) { nodes { id } }
        byFilter: identities(filter: $where) { nodes { id } }
        written: identities(filter: $written) { totalCount }
        roleAttributes(kind: identity) { nodes }
        servicePolicies(filter: "name = \\"on-call\\"") { nodes { identities { nodes { id } } } } }`,
      {
        id: ada,
        where: `id = "${ada}" and anyOf(effectiveRoleAttributes) = "on-call"`,
        written: `id = "${ada}" and anyOf(roleAttributes) = "on-call"`,
      },
    );
    expect(data).toMatchObject({
      identity: { servicePolicies: { totalCount: 2 } },
      byRole: { nodes: [{ id: ada }] },
      byFilter: { nodes: [{ id: ada }] },
      written: { totalCount: 0 },
      roleAttributes: { nodes: expect.arrayContaining(['on-call']) },
      servicePolicies: {
        nodes: [{ identities: { nodes: expect.arrayContaining([{ id: ada }]) } }],
      },
    });
  });

  test('stays when the identity is replaced, or gets and loses the same attribute by hand', async () => {
    await onCall({ activeUntil: inHours(1) });
    for (const roleAttributes of [['night'], ['night', 'on-call'], []]) {
      const { messages } = await controller.graph(
        `mutation ($id: ID!, $input: ReplaceIdentityInput!) { replaceIdentity(id: $id, input: $input) { id } }`,
        {
          id: ada,
          input: { name: `replaced ${ada}`, type: 'Default', isAdmin: false, roleAttributes },
        },
      );
      expect(messages).toStrictEqual([]);
      const written = await shown(controller, ada);
      expect(written.roleAttributes).toStrictEqual(roleAttributes);
      expect(written.effectiveRoleAttributes).toStrictEqual(
        [...new Set([...roleAttributes, 'on-call'])].sort(),
      );
    }
  });

  test('ends early by an earlier end, and by its deletion', async () => {
    const first = await onCall({ activeUntil: inHours(1), activeFrom: inHours(-2) });
    expect(await update(first, { activeUntil: inHours(-1) })).toMatchObject({
      data: { changed: { state: 'ENDED' } },
    });
    expect(await effective()).toStrictEqual(['desk']);
    const second = await onCall();
    expect(await effective()).toStrictEqual(['desk', 'on-call']);
    await controller.graph('mutation ($id: ID!) { deleteRoleAssignment(id: $id) }', { id: second });
    expect(await effective()).toStrictEqual(['desk']);
  });

  test('shows on its identity with its source, its end and who asked for it', async () => {
    const activeUntil = inHours(1);
    const { data } = await assign(
      controller,
      { identityId: ada, roleAttribute: 'on-call', activeUntil, reason: 'a fault at night' },
      controller.ctx(callerOf(ada, 'identity')),
    );
    expect(data?.assigned).toMatchObject({ state: 'ACTIVE', source: 'hand', requestedById: ada });
    const { identity } = await controller.read<Record<string, never>>(
      `query ($id: ID!) { identity(id: $id) { roleAssignments { nodes {
        roleAttribute source state activeUntil reason requestedBy { id } approvedById } } } }`,
      { id: ada },
    );
    expect(identity).toStrictEqual({
      roleAssignments: {
        nodes: [
          {
            roleAttribute: 'on-call',
            source: 'hand',
            state: 'ACTIVE',
            activeUntil,
            reason: 'a fault at night',
            requestedBy: { id: ada },
            approvedById: null,
          },
        ],
      },
    });
  });

  test('goes with its identity', async () => {
    const id = await onCall();
    await controller.graph('mutation ($id: ID!) { deleteIdentity(id: $id) }', { id: ada });
    const { errors } = await controller.graph(
      'query ($id: ID!) { roleAssignment(id: $id) { id } }',
      { id },
    );
    expect(errors).toMatchObject([{ code: 'NOT_FOUND' }]);
  });
});

describe('time', () => {
  test('begins and ends an assignment, with a reason in the change log', async () => {
    const id = await onCall({ activeFrom: inHours(1), activeUntil: inHours(3) });
    expect(await moveDue(controller)).toMatchObject({ count: 0 });
    expect(await effective()).toStrictEqual(['desk']);
    await passHours(controller, 2, id);
    expect(await moveDue(controller)).toMatchObject({ count: 1 });
    expect(await effective()).toStrictEqual(['desk', 'on-call']);
    await passHours(controller, 2, id);
    expect(await moveDue(controller)).toMatchObject({ count: 1 });
    expect(await effective()).toStrictEqual(['desk']);
    const logged = await controller.parts.store.query(
      sql<{
        reason: string;
        assigned: string[];
      }>`select reason, after -> 'assignedRoleAttributes' as assigned
        from change where entity_id = ${ada}::text and operation = 'update' order by revision`,
    );
    expect(logged).toStrictEqual([
      { reason: 'role assignments have begun', assigned: ['on-call'] },
      { reason: 'role assignments have ended', assigned: [] },
    ]);
  });

  test('that passes while no controller runs skips a whole assignment', async () => {
    const id = await onCall({ activeFrom: inHours(1), activeUntil: inHours(3) });
    await passHours(controller, 9, id);
    await moveDue(controller);
    expect(await effective()).toStrictEqual(['desk']);
    expect(
      await controller.read('query ($id: ID!) { roleAssignment(id: $id) { state } }', { id }),
    ).toStrictEqual({ roleAssignment: { state: 'ENDED' } });
  });

  test('hands an attribute over from one assignment to the next without a gap', async () => {
    const handOver = inHours(2);
    const first = await onCall({ activeUntil: handOver });
    await controller.parts.store.query(
      sql`update role_assignment set source = 'rota' where id = ${first}::text`,
    );
    const second = await onCall({ activeFrom: handOver });
    await passHours(controller, 3, first, second);
    expect(await moveDue(controller)).toMatchObject({ count: 2 });
    const states = await controller.parts.store.query(
      sql<{ assigned: string[] }>`select after -> 'assignedRoleAttributes' as assigned
        from change where entity_id = ${ada}::text and operation = 'update' order by revision`,
    );
    expect(states).toStrictEqual([{ assigned: ['on-call'] }]);
  });

  test('lets an ended assignment be followed by a new one, but an active one by no other', async () => {
    const id = await onCall({ activeUntil: inHours(1) });
    expect(
      codes(await assign(controller, { identityId: ada, roleAttribute: 'on-call' })),
    ).toStrictEqual(['COULD_NOT_VALIDATE']);
    await passHours(controller, 2, id);
    await moveDue(controller);
    await onCall();
    expect(await effective()).toStrictEqual(['desk', 'on-call']);
  });

  test('moves many assignments in steps, each identity once', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      ada = await newIdentity();
      ids.push(await onCall({ activeUntil: inHours(1) }));
      ids.push(
        await assigned(controller, {
          identityId: ada,
          roleAttribute: 'night',
          activeUntil: inHours(1),
        }),
      );
    }
    await passHours(controller, 2, ...ids);
    expect(await moveDue(controller)).toMatchObject({ count: 6 });
    const [{ changes } = { changes: 0 }] = await controller.parts.store.query(
      sql<{
        changes: number;
      }>`select count(*)::int as changes from change where entity_id = ${ada}::text
        and operation = 'update' and reason = 'role assignments have ended'`,
    );
    expect(changes).toBe(1);
  });
});

test('a read of the effective attributes costs no statement more than one of the written ones', async () => {
  await onCall();
  const statements = async (attribute: string): Promise<number> => {
    await controller.forgetRows();
    const answer = await controller.graph(
      `query ($id: ID!) { identity(id: $id) { ${attribute} } }`,
      { id: ada },
    );
    return answer.statements;
  };
  expect(await statements('effectiveRoleAttributes')).toBe(await statements('roleAttributes'));
});
