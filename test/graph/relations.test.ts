import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Row } from '../../src/base/row.js';
import type {
  AnyPolicyValue,
  PolicyKind,
  ServicePolicyType,
  Side,
} from '../../src/kernel/policy/policy-model.js';
import { ALL_SIDES, Network, sideKind } from '../kernel/policy/network.js';
import { InProcess, InProcessRest } from '../support/in-process.js';

/** Relations of a random network on both doors and in both directions, against the definitions. */

const RESOURCES = {
  identity: 'Identity',
  service: 'Service',
  edgeRouter: 'EdgeRouter',
  postureCheck: 'PostureCheck',
  servicePolicy: 'ServicePolicy',
  edgeRouterPolicy: 'EdgeRouterPolicy',
  serviceEdgeRouterPolicy: 'ServiceEdgeRouterPolicy',
} as const;
type Kind = keyof typeof RESOURCES;

const ENTITIES: readonly (readonly [Kind, number])[] = [
  ['identity', 9],
  ['service', 7],
  ['edgeRouter', 4],
  ['postureCheck', 3],
];
const POLICIES: readonly (readonly [PolicyKind, number])[] = [
  ['servicePolicy', 8],
  ['edgeRouterPolicy', 4],
  ['serviceEdgeRouterPolicy', 4],
];
const EXTRA: Partial<Record<Kind, (random: Random) => Row>> = {
  identity: () => ({ type: 'Default', isAdmin: false }),
  service: () => ({ encryptionRequired: true }),
  postureCheck: () => ({ typeId: 'DOMAIN', domains: ['example.org'] }),
  servicePolicy: (random) => ({ type: random(fc.constantFrom('Dial', 'Bind')) }),
};

type Random = <T>(values: fc.Arbitrary<T>) => T;

let seed = 20261120;
const random: Random = <T>(values: fc.Arbitrary<T>): T => {
  seed += 1;
  return fc.sample(values, { numRuns: 1, seed })[0] as T;
};

let controller: InProcess;
let rest: InProcessRest;
const network = new Network();
const ids: Record<string, string[]> = {};

beforeAll(async () => {
  controller = await InProcess.start();
  const [admin] = (
    await controller.read<{ identities: { nodes: { id: string }[] } }>(
      '{ identities { nodes { id } } }',
    )
  ).identities.nodes;
  rest = await InProcessRest.listen(controller, admin?.id ?? '');
  learn('identity', admin?.id ?? '', { roleAttributes: [] });
  for (const [kind, count] of ENTITIES) {
    for (let i = 0; i < count; i += 1) await createEntity(kind, `${kind} ${String(i)}`);
  }
  for (const [kind, count] of POLICIES) {
    for (let i = 0; i < count; i += 1) await createPolicy(kind, `${kind} ${String(i)}`);
  }
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
});

const attributes = fc.subarray(['a', 'b', 'c', 'all but', 'ü "x"']);

async function createEntity(kind: Kind, name: string): Promise<void> {
  const input = { name, roleAttributes: random(attributes), ...EXTRA[kind]?.(random) };
  learn(kind, await controller.create(RESOURCES[kind], input), input);
}

/** A role list for one side of a policy. */
function roles(kind: PolicyKind, side: Side): string[] {
  const named = fc.subarray(['#a', '#b', '#c', '#ü "x"'], { maxLength: 2 });
  const single = fc.subarray(ids[sideKind(kind, side)] ?? [], { maxLength: 2 });
  return random(
    fc.oneof(
      { weight: 1, arbitrary: fc.constant<string[]>(['#all']) },
      {
        weight: 6,
        arbitrary: fc.tuple(named, single).map(([n, s]) => [...n, ...s.map((id) => `@${id}`)]),
      },
    ),
  );
}

const rolesName = (side: Side): string =>
  ({
    identities: 'identityRoles',
    services: 'serviceRoles',
    edgeRouters: 'edgeRouterRoles',
    postureChecks: 'postureCheckRoles',
  })[side];

const sidesOf = (kind: PolicyKind): Side[] =>
  ALL_SIDES.filter((s) => s.kind === kind).map((s) => s.side);

async function createPolicy(kind: PolicyKind, name: string): Promise<void> {
  const input: Row = {
    name,
    semantic: random(fc.constantFrom('AnyOf', 'AllOf')),
    ...EXTRA[kind]?.(random),
    ...Object.fromEntries(sidesOf(kind).map((side) => [rolesName(side), roles(kind, side)])),
  };
  learn(kind, await controller.create(RESOURCES[kind], input), input);
}

/** The reference follows what was written. */
function learn(kind: Kind, id: string, input: Row): void {
  ids[kind] = [...(ids[kind] ?? []).filter((known) => known !== id), id];
  const value =
    'semantic' in input
      ? {
          semantic: input.semantic,
          type: input.type,
          roles: Object.fromEntries(
            sidesOf(kind as PolicyKind).map((side) => [side, input[rolesName(side)]]),
          ),
        }
      : { attributes: input.roleAttributes };
  network.apply({ kind, id, revision: 0, value } as never);
}

interface Listed {
  readonly nodes: { readonly id: string }[];
  readonly totalCount: number;
}

/** One relation of every entity of a kind, as the graph shows it. */
async function onGraph(kind: Kind, relation: string): Promise<Map<string, Listed>> {
  const { list } = controller.catalog.get(RESOURCES[kind]);
  const { page } = await controller.read<{ page: { nodes: (Row & { id: string })[] } }>(
    `{ page: ${list}(first: 500) { nodes { id found: ${relation} { nodes { id } totalCount } } } }`,
  );
  return new Map(page.nodes.map((node) => [node.id, node.found as Listed]));
}

async function onRest(kind: Kind, id: string, segment: string): Promise<Listed> {
  const { path } = controller.catalog.get(RESOURCES[kind]).options;
  const joiner = segment.includes('?') ? '&' : '?';
  const { status, body } = await rest.get(`/${path}/${id}/${segment}${joiner}limit=500`);
  if (status !== 200) throw new Error(`${path} ${segment}: ${JSON.stringify(body)}`);
  const { totalCount } = body.meta.pagination as { totalCount: number };
  return { nodes: (body.data as { id: string }[]).map((row) => ({ id: row.id })), totalCount };
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);

/** Both doors, page and total, against the expected ids. */
async function agree(
  kind: Kind,
  relation: string,
  segment: string,
  expected: (id: string) => readonly string[],
): Promise<void> {
  const graph = await onGraph(kind, relation);
  for (const id of ids[kind] ?? []) {
    const wanted = [...expected(id)].sort();
    const about = `${kind} ${id} ${relation}`;
    const listed: Listed = { nodes: wanted.map((w) => ({ id: w })), totalCount: wanted.length };
    expect([about, graph.get(id)]).toStrictEqual([about, listed]);
    expect([about, await onRest(kind, id, segment)]).toStrictEqual([about, listed]);
  }
}

const policy = (kind: PolicyKind, id: string): AnyPolicyValue | undefined =>
  network.policies[kind].get(id);

const idsOf = (policies: readonly AnyPolicyValue[]): string[] => policies.map((p) => p.id);

const ACCESS: readonly (readonly [Kind, string, PolicyKind, Side, Side])[] = [
  ['identity', 'services', 'servicePolicy', 'identities', 'services'],
  ['identity', 'edgeRouters', 'edgeRouterPolicy', 'identities', 'edgeRouters'],
  ['service', 'identities', 'servicePolicy', 'services', 'identities'],
  ['service', 'edgeRouters', 'serviceEdgeRouterPolicy', 'services', 'edgeRouters'],
  ['edgeRouter', 'identities', 'edgeRouterPolicy', 'edgeRouters', 'identities'],
  ['edgeRouter', 'services', 'serviceEdgeRouterPolicy', 'edgeRouters', 'services'],
];

async function allAgree(): Promise<void> {
  for (const { kind, side } of ALL_SIDES) {
    await agree(kind, side, kebab(side), (id) => network.members(policy(kind, id), kind, side));
  }
  for (const [kind, relation, via, from, to] of ACCESS) {
    const reach = (type?: ServicePolicyType) => (id: string) =>
      network.reach(via, from, id, to, type);
    await agree(kind, relation, kebab(relation), reach());
    if (via !== 'servicePolicy') continue;
    for (const type of ['Dial', 'Bind'] as const) {
      const segment = `${kebab(relation)}?policyType=${type.toLowerCase()}`;
      await agree(kind, `${relation}(type: ${type})`, segment, reach(type));
    }
  }
}

describe('relations of a random network', () => {
  test('are those of the definitions, from policies and by access', async () => {
    await allAgree();
  });

  test('lead back: a member lists the policy', async () => {
    for (const { kind, side } of ALL_SIDES) {
      const member = sideKind(kind, side);
      const name = kind.replace(/y$/, 'ies');
      const graph = await onGraph(member, name);
      for (const id of ids[member] ?? []) {
        const wanted = idsOf(network.policiesOf(kind, side, id)).sort();
        expect([id, graph.get(id)]).toStrictEqual([
          id,
          { nodes: wanted.map((w) => ({ id: w })), totalCount: wanted.length },
        ]);
        if (member === 'postureCheck') continue;
        expect([id, await onRest(member, id, kebab(name))]).toStrictEqual([id, graph.get(id)]);
      }
    }
  });

  test('stay so when attributes, roles and semantics change and entities go', async () => {
    for (const kind of ['identity', 'service', 'edgeRouter', 'postureCheck'] as const) {
      const id = ids[kind]?.at(1) ?? '';
      const input = { roleAttributes: random(attributes) };
      await update(kind, id, input);
      learn(kind, id, input);
    }
    for (const [kind] of POLICIES) {
      const id = ids[kind]?.at(0) ?? '';
      const input: Row = {
        semantic: random(fc.constantFrom('AnyOf', 'AllOf')),
        ...Object.fromEntries(sidesOf(kind).map((side) => [rolesName(side), roles(kind, side)])),
      };
      const before = policy(kind, id) as { type?: string } | undefined;
      await update(kind, id, input);
      learn(kind, id, { ...input, type: before?.type });
    }
    for (const kind of ['identity', 'service', 'servicePolicy', 'edgeRouterPolicy'] as const) {
      const id = ids[kind]?.at(2) ?? '';
      const name = `delete${RESOURCES[kind]}`;
      await controller.read(`mutation ($id: ID!) { ${name}(id: $id) }`, { id });
      ids[kind] = (ids[kind] ?? []).filter((known) => known !== id);
      network.apply({ kind, id, revision: 0, value: null });
    }
    await allAgree();
  });
});

async function update(kind: Kind, id: string, input: Row): Promise<void> {
  const type = kind === 'postureCheck' ? { typeId: 'DOMAIN' } : {};
  const name = RESOURCES[kind];
  await controller.read(
    `mutation ($id: ID!, $input: Update${name}Input!) { update${name}(id: $id, input: $input) { id } }`,
    { id, input: { ...input, ...type } },
  );
}
