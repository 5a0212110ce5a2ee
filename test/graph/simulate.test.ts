import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { sql } from '../../src/base/sql.js';
import { ACCESS_READS } from '../support/access-reads.js';
import { callerOf, InProcess } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';

/** What changes would do, asked on the graph: answered by the rules of writes, and nothing written. */

let controller: InProcess;
const { idOf, nameOf, make, person, policy } = new NamedEntities(() => controller);

beforeAll(async () => {
  controller = await InProcess.start();
  await person('ada', 'staff');
  await person('bob', 'staff', 'ops');
  await person('eve', 'guest');
  for (const [name, ...roleAttributes] of [
    ['wiki', 'docs'],
    ['vault', 'secret'],
  ]) {
    await make('Service', String(name), { encryptionRequired: true, roleAttributes });
  }
  await make('PostureCheck', 'domain', { typeId: 'DOMAIN', domains: ['example.com'] });
  await policy('staff reads', ['#staff'], ['#docs']);
  await policy('ops dial', ['#ops'], [`@${idOf('vault')}`, '#docs']);
  await make('EdgeRouter', 'gate', { roleAttributes: ['public'] });
  await make('EdgeRouterPolicy', 'all', {
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    edgeRouterRoles: ['#public'],
  });
  await make('ServiceEdgeRouterPolicy', 'all', {
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#public'],
  });
});
afterAll(() => controller.stop());

const SIMULATE = `query ($changes: [ModelChangeInput!]!) { simulate(changes: $changes) {
  gained { totalCount nodes { identityId serviceId type paths { policyId } } }
  lost { totalCount nodes { identityId serviceId type paths { policyId } } }
  proveNoNewAccess { holds counterexample { identityId serviceId } }
  proveNoLostAccess { holds counterexample { identityId serviceId } }
  identityRouters { gained { totalCount } lost { totalCount nodes { identityId routerId } } }
  serviceRouters { gained { totalCount } lost { totalCount nodes { serviceId routerId } } }
  sharedRouters { gained { totalCount } lost { totalCount } }
  endedSessions { totalCount nodes { id } }
  findings { appearedCount appeared { kind entities { kind id: entityId } } vanishedCount vanished { kind } } } }`;

interface Pairs {
  totalCount: number;
  nodes: { identityId: string; serviceId: string; type: string; paths: { policyId: string }[] }[];
}

interface Simulated {
  gained: Pairs;
  lost: Pairs;
  proveNoNewAccess: { holds: boolean; counterexample: Row | null };
  proveNoLostAccess: { holds: boolean; counterexample: Row | null };
  identityRouters: { lost: { totalCount: number; nodes: Row[] } };
  serviceRouters: { lost: { totalCount: number } };
  sharedRouters: { gained: { totalCount: number }; lost: { totalCount: number } };
  endedSessions: { totalCount: number; nodes: { id: string }[] };
  findings: {
    appeared: { kind: string; entities: { kind: string; id: string }[] }[];
    vanished: { kind: string }[];
  };
}

async function simulate(...changes: Row[]): Promise<Simulated> {
  const { simulate: simulated } = await controller.read<{ simulate: Simulated }>(SIMULATE, {
    changes,
  });
  return simulated;
}

const pairsOf = ({ nodes, totalCount }: Pairs): string[] => {
  expect(nodes).toHaveLength(totalCount);
  return nodes
    .map(({ identityId, serviceId, type }) => `${nameOf(identityId)} ${type} ${nameOf(serviceId)}`)
    .sort();
};

/** Everything that a simulation could have left behind. */
const state = async (): Promise<unknown> => {
  const [row] = await controller.parts.store.query(
    sql`select (select count(*) from change) as changes, (select count(*) from identity) as identities,
      (select count(*) from service_policy) as policies, (select count(*) from enrollment) as enrollments,
      (select max(updated_at) from service_policy) as touched`,
  );
  return row;
};

describe('simulate', () => {
  test('tells what a policy would grant, and why', async () => {
    const answer = await simulate({
      operation: 'create',
      type: 'servicePolicy',
      id: 'guests',
      input: {
        name: 'guests read',
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: ['#guest', '#staff'],
        serviceRoles: ['#docs'],
      },
    });
    expect(pairsOf(answer.gained)).toStrictEqual(['eve Dial wiki']);
    expect(answer.gained.nodes[0]?.paths).toStrictEqual([{ policyId: 'guests' }]);
    expect(pairsOf(answer.lost)).toStrictEqual([]);
    expect(answer.proveNoNewAccess).toStrictEqual({
      holds: false,
      counterexample: { identityId: idOf('eve'), serviceId: idOf('wiki') },
    });
    expect(answer.proveNoLostAccess).toStrictEqual({ holds: true, counterexample: null });
  });

  test('tells what is lost with a policy, unless another grants it', async () => {
    const answer = await simulate({
      operation: 'delete',
      type: 'servicePolicy',
      id: idOf('ops dial'),
    });
    expect(pairsOf(answer.lost)).toStrictEqual(['bob Dial vault']);
    expect(answer.lost.nodes[0]?.paths).toStrictEqual([{ policyId: idOf('ops dial') }]);
    expect(answer.proveNoLostAccess.holds).toBe(false);
    expect(answer.findings.appeared).toContainEqual({
      kind: 'SERVICE_NOBODY_DIALS',
      entities: [{ kind: 'service', id: idOf('vault') }],
    });
  });

  test('takes changes in their order: what was created may be named by what follows', async () => {
    const answer = await simulate(
      {
        operation: 'create',
        type: 'identity',
        id: 'zoe',
        input: { name: 'zoe', type: 'Default', isAdmin: false, roleAttributes: ['ops'] },
      },
      {
        operation: 'update',
        type: 'servicePolicy',
        id: idOf('ops dial'),
        input: { identityRoles: ['@zoe'] },
      },
    );
    expect(pairsOf(answer.gained)).toStrictEqual(['zoe Dial vault', 'zoe Dial wiki']);
    expect(pairsOf(answer.lost)).toStrictEqual(['bob Dial vault']);
  });

  test('follows what deletions take with them', async () => {
    const answer = await simulate({ operation: 'delete', type: 'service', id: idOf('vault') });
    expect(pairsOf(answer.lost)).toStrictEqual(['bob Dial vault']);
    expect(answer.serviceRouters.lost.totalCount).toBe(1);
  });

  test('tells which routers go out of reach', async () => {
    const answer = await simulate({
      operation: 'update',
      type: 'edgeRouter',
      id: idOf('gate'),
      input: { roleAttributes: ['private'] },
    });
    // The default admin is one of all.
    expect(answer.identityRouters.lost.totalCount).toBe(4);
    expect(answer.identityRouters.lost.nodes).toContainEqual({
      identityId: idOf('eve'),
      routerId: idOf('gate'),
    });
    expect(answer.serviceRouters.lost.totalCount).toBe(2);
    expect(answer.sharedRouters.lost.totalCount).toBe(3);
    expect(pairsOf(answer.lost)).toStrictEqual([]);
  });

  test('tells which sessions would end, by policies and by posture', async () => {
    const { id: apiSessionId } = await controller.openSession(idOf('ada'));
    const session = async (identity: string, service: string): Promise<string> => {
      const id = `s-${service}`;
      await controller.parts.store.query(
        sql`insert into session (id, created_at, updated_at, token, api_session_id, identity_id, service_id, type)
          values (${id}::text, now(), now(), ${id}::text, ${apiSessionId}::text, ${idOf(identity)}::text, ${idOf(service)}::text, 'Dial') returning id`,
      );
      return id;
    };
    const reading = await session('ada', 'wiki');
    const endedBy = async (...changes: Row[]): Promise<string[]> =>
      (await simulate(...changes)).endedSessions.nodes.map(({ id }) => id);
    const id = idOf('staff reads');
    const edit = (input: Row): Row => ({ operation: 'update', type: 'servicePolicy', id, input });
    expect(await endedBy(edit({ name: 'other' }))).toStrictEqual([]);
    expect(await endedBy(edit({ identityRoles: ['#ops'] }))).toStrictEqual([reading]);
    expect(await endedBy(edit({ postureCheckRoles: [`@${idOf('domain')}`] }))).toStrictEqual([
      reading,
    ]);
    expect(await endedBy({ operation: 'delete', type: 'identity', id: idOf('ada') })).toStrictEqual(
      [reading],
    );
  });

  test('writes nothing', async () => {
    const before = await state();
    await simulate(
      { operation: 'create', type: 'edgeRouter', input: { name: 'new', isTunnelerEnabled: true } },
      { operation: 'delete', type: 'identity', id: idOf('eve') },
      { operation: 'delete', type: 'servicePolicy', id: idOf('staff reads') },
    );
    expect(await state()).toStrictEqual(before);
    const { accesses } = await controller.read<{ accesses: { totalCount: number } }>(
      '{ accesses { totalCount } }',
    );
    expect(accesses.totalCount).toBe(3);
  });

  test.each([
    [
      'an attribute that there is not',
      { operation: 'update', type: 'identity', id: 'x', input: { roles: [] } },
      'COULD_NOT_VALIDATE',
      'changes[1].input.roles',
    ],
    [
      'a value that a write would refuse',
      { operation: 'create', type: 'service', input: { name: '', encryptionRequired: true } },
      'COULD_NOT_VALIDATE',
      'changes[1].input.name',
    ],
    [
      'a name that another entity has',
      {
        operation: 'create',
        type: 'identity',
        input: { name: 'eve', type: 'Default', isAdmin: false },
      },
      'COULD_NOT_VALIDATE',
      'changes[1].input.name',
    ],
    ['no id', { operation: 'delete', type: 'service' }, 'COULD_NOT_VALIDATE', 'changes[1].id'],
    [
      'no input',
      { operation: 'create', type: 'service' },
      'COULD_NOT_VALIDATE',
      'changes[1].input',
    ],
  ])('refuses %s, with its place', async (_, change, code, field) => {
    const fine = { operation: 'update', type: 'identity', id: idOf('ada'), input: { tags: {} } };
    const { errors } = await controller.graph(SIMULATE, { changes: [fine, change] });
    expect(errors.map((error) => [error?.code, error?.place, error?.detail])).toStrictEqual([
      [code, 'changes[1]', expect.objectContaining({ field })],
    ]);
  });

  test('refuses what is not there, with its place', async () => {
    const change = { operation: 'delete', type: 'service', id: 'nothing' };
    const { errors } = await controller.graph(SIMULATE, { changes: [change] });
    expect(errors.map((error) => [error?.code, error?.place, error?.detail])).toStrictEqual([
      [
        'NOT_FOUND',
        'changes[0]',
        { kind: 'message', message: 'changes[0]: service with id nothing not found' },
      ],
    ]);
  });

  test('takes reading all that access is made of', async () => {
    const ask = async (permissions: readonly string[]): Promise<unknown> => {
      const ctx = controller.ctx(callerOf(idOf('eve'), ...permissions));
      const { errors } = await controller.graph(
        '{ simulate(changes: []) { gained { totalCount } } }',
        {},
        ctx,
      );
      return errors.map((error) => error?.code);
    };
    expect(await ask(ACCESS_READS)).toStrictEqual([]);
    for (const one of ACCESS_READS) {
      expect(await ask(ACCESS_READS.filter((other) => other !== one))).toStrictEqual([
        'UNAUTHORIZED',
      ]);
    }
  });
});

describe('findings', () => {
  const ask = async (args: string): Promise<{ nodes: Row[]; totalCount: number; pageInfo: Row }> =>
    (
      await controller.read<{ findings: { nodes: Row[]; totalCount: number; pageInfo: Row } }>(
        `{ findings${args} { totalCount pageInfo { hasNextPage endCursor }
          nodes { kind severity text entities { kind id: entityId } entityCount side about changes { operation type id: entityId input } } } }`,
      )
    ).findings;

  test('name what is probably not meant, with a change that resolves it', async () => {
    await policy('typo', ['#nobody', '#ops'], ['#docs']);
    const { nodes } = await ask('(kinds: [ROLE_MATCHES_NOTHING])');
    expect(nodes).toStrictEqual([
      expect.objectContaining({
        kind: 'ROLE_MATCHES_NOTHING',
        entities: [{ kind: 'servicePolicy', id: idOf('typo') }],
        side: 'identities',
        about: '#nobody',
        changes: [
          {
            operation: 'update',
            type: 'servicePolicy',
            id: idOf('typo'),
            input: { identityRoles: ['#ops'] },
          },
        ],
      }),
    ]);
    const { findings } = await simulate(...(nodes[0]?.changes as Row[]));
    expect(findings.vanished).toContainEqual({ kind: 'ROLE_MATCHES_NOTHING' });
    await controller.read('mutation ($id: ID!) { deleteServicePolicy(id: $id) }', {
      id: idOf('typo'),
    });
  });

  test('include administrators without a second factor', async () => {
    const { nodes } = await ask('(kinds: [ADMIN_WITHOUT_SECOND_FACTOR])');
    expect(nodes).toStrictEqual([
      expect.objectContaining({ severity: 'HIGH', entityCount: 1, changes: [] }),
    ]);
  });

  test('go on after a cursor', async () => {
    const all = await ask('');
    expect(all.totalCount).toBeGreaterThan(3);
    const first = await ask('(first: 2)');
    const rest = await ask(`(after: ${JSON.stringify(first.pageInfo.endCursor)})`);
    expect([...first.nodes, ...rest.nodes]).toStrictEqual(all.nodes);
    expect([first.totalCount, rest.totalCount]).toStrictEqual([all.totalCount, all.totalCount]);
  });
});
