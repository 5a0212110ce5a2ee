import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isEnumType, isInputObjectType } from 'graphql';
import { InProcess } from '../support/in-process.js';

/* What lists are filtered and ordered by on the graph: the names of its fields. */

let controller: InProcess;
let identityId: string;
let disabledId: string;

beforeAll(async () => {
  controller = await InProcess.start();
  identityId = await controller.create('Identity', {
    name: 'enrolling',
    type: 'Default',
    isAdmin: false,
    enrollment: { ott: true },
  });
  disabledId = await controller.create('Identity', {
    name: 'disabled',
    type: 'Default',
    isAdmin: false,
  });
  await controller.read(
    'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 0) { id } }',
    {
      id: disabledId,
    },
  );
  await controller.openSession(identityId);
});
afterAll(() => controller.stop());

async function ids(list: string, where: object): Promise<string[]> {
  const type =
    list === 'identities' ? 'Identity' : list === 'enrollments' ? 'Enrollment' : 'ApiSession';
  const field = type === 'Identity' ? 'id' : 'identityId';
  const answer = await controller.read<Record<string, { nodes: Record<string, string>[] }>>(
    `query ($where: ${type}Where) { ${list}(where: $where) { nodes { ${field} } } }`,
    { where },
  );
  return (answer[list]?.nodes ?? []).map((node) => node[field] ?? '');
}

describe('a list', () => {
  test.each([
    ['enrollments', { identityId: 'own' }, 1],
    ['enrollments', { identity: 'own' }, 1],
    ['enrollments', { method: { eq: 'ott' } }, 1],
    ['enrollments', { method: { in: ['updb', 'erott'] } }, 0],
    ['enrollments', { expiresAt: { gt: '2020-01-01T00:00:00Z' } }, 1],
    ['enrollments', { expiresAt: { gt: '2120-01-01T00:00:00Z' } }, 0],
    ['apiSessions', { identityId: 'own', isMfaComplete: { eq: false } }, 1],
    ['apiSessions', { identityId: 'own', mfaRequired: { eq: true } }, 0],
    ['identities', { isMfaEnabled: { eq: true } }, 0],
    ['identities', { envInfo__os: { eq: 'linux' } }, 0],
    ['identities', { hasApiSession: { eq: true }, name: { eq: 'enrolling' } }, 1],
    ['identities', { hasApiSession: { eq: false }, name: { eq: 'enrolling' } }, 0],
    ['identities', { hasApiSession: { ne: true }, name: { eq: 'disabled' } }, 1],
    ['identities', { hasEdgeRouterConnection: { eq: true } }, 0],
    ['identities', { sdkInfo__version: { isNull: true }, name: { eq: 'enrolling' } }, 1],
  ])('of %s where %j', async (list, where, count) => {
    const own = Object.entries(where).map(([name, value]): [string, unknown] => [
      name,
      (value as unknown) === 'own' ? { eq: identityId } : value,
    ]);
    expect(await ids(list, Object.fromEntries(own) as object)).toHaveLength(count);
  });

  test('of identities that are disabled', async () => {
    expect(await ids('identities', { disabled: { eq: true } })).toEqual([disabledId]);
    expect(await ids('identities', { disabled: { eq: false } })).not.toContain(disabledId);
  });

  test('is ordered by the same names', async () => {
    const { identities } = await controller.read<{ identities: { nodes: { id: string }[] } }>(
      '{ identities(orderBy: [{ field: disabled, direction: desc }], first: 1) { nodes { id } } }',
    );
    expect(identities.nodes).toEqual([{ id: disabledId }]);
  });

  test('refuses a value that an enum does not have', async () => {
    const asked = controller.graph(
      '{ enrollments(where: { method: { eq: none } }) { totalCount } }',
    );
    await expect(asked).rejects.toThrow('"none" does not exist in "EnrollmentMethod"');
  });
});

test('what a field can be filtered by has its name; other names of it are deprecated', () => {
  for (const resource of controller.catalog.all()) {
    const where = controller.schema.getType(`${resource.name}Where`);
    const order = controller.schema.getType(`${resource.name}OrderField`);
    if (!isInputObjectType(where) || !isEnumType(order)) continue;
    for (const { name, filter, type } of resource.attributes.values()) {
      if (typeof filter !== 'string' || type.kind === 'object' || filter === name) continue;
      const documented = filter.replaceAll('.', '__');
      const members = where.getFields();
      expect([name, members[name]?.deprecationReason]).toEqual([name, undefined]);
      expect([name, members[documented]?.deprecationReason]).toEqual([name, `use \`${name}\``]);
      expect(order.getValue(documented)?.deprecationReason).toBe(`use \`${name}\``);
    }
  }
});
