import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { circuitsIn } from '../../src/network/fabric/stored-circuits.js';
import { at, STAFF, UnusedNetwork, USES, type Node } from './unused-network.js';
import { testCircuit } from '../support/test-circuit.js';

/** Access that nobody used since a time, by policy, and what would take it away. */

let network: UnusedNetwork;
const idOf = (name: string): string => network.names.idOf(name);
const nameOf = (id: string): string => network.names.nameOf(id);

beforeAll(async () => {
  network = await UnusedNetwork.start();
});
afterAll(() => network.controller.stop());
beforeEach(() => network.begin());

const named = (nodes: readonly Node[]): Record<string, Node> =>
  Object.fromEntries(nodes.map((node) => [node.policyName, node]));

const summary = ({ unusedIdentities, unusedServices, grantedCount, unusedCount }: Node): Row => ({
  grantedCount,
  unusedCount,
  identities: unusedIdentities.nodes.map(({ identityName }) => identityName).sort(),
  services: unusedServices.nodes.map(({ serviceName }) => serviceName).sort(),
});

describe('the list', () => {
  test('has each policy with unused pairs, the most first, with its idle members', async () => {
    await network.used(...USES);
    const nodes = await network.unused(at(10));
    const counts = nodes.map(({ policyName, unusedCount }) => [policyName, unusedCount]);
    expect(counts).toHaveLength(3);
    expect(counts[0]).toEqual(['staff reads', 6]);
    const by = named(nodes);
    expect(summary(by['staff reads'] as Node)).toEqual({
      grantedCount: 8,
      unusedCount: 6,
      identities: ['Zoë "the" \\ O\'Neill', 'eve'].sort(),
      services: ['mail'],
    });
    expect(summary(by['guests read'] as Node)).toEqual({
      grantedCount: 2,
      unusedCount: 2,
      identities: ['guest'],
      services: ['mail', 'wiki'],
    });
    expect(summary(by['eve opens'] as Node)).toEqual({
      grantedCount: 4,
      unusedCount: 4,
      identities: ['eve', 'guest'],
      services: ['vault', 'wiki'],
    });
  });

  test('counts a use for each policy that grants the pair', async () => {
    await network.used(...USES);
    const by = named(await network.unused(at(1)));
    expect(by['staff reads']?.unusedCount).toBe(8 - 4);
    expect(by['eve opens']?.unusedCount).toBe(4 - 1);
  });

  test('leaves out policies all of whose pairs were used, and those that grant nothing', async () => {
    await network.used(...USES);
    const names = (await network.unused(at(10))).map(({ policyName }) => policyName);
    expect(names).not.toContain('ada hosts');
    expect(names).not.toContain('nothing');
    expect((await network.unused(at(31))).map(({ policyName }) => policyName)).toContain(
      'ada hosts',
    );
  });

  test('is restricted to a type and to the ends that match', async () => {
    await network.used(...USES);
    expect(
      (await network.unused(at(31), ', type: Bind')).map(({ policyName }) => policyName),
    ).toEqual(['ada hosts']);
    const nodes = await network.unused(
      at(10),
      `, identityFilter: "name in [\\"ada\\", \\"eve\\"]", serviceFilter: "anyOf(roleAttributes) = \\"docs\\""`,
    );
    const by = named(nodes);
    expect(summary(by['staff reads'] as Node)).toEqual({
      grantedCount: 4,
      unusedCount: 3,
      identities: ['eve'],
      services: ['mail'],
    });
    expect(summary(by['eve opens'] as Node)).toEqual({
      grantedCount: 1,
      unusedCount: 1,
      identities: ['eve'],
      services: ['wiki'],
    });
    expect(Object.keys(by)).toHaveLength(2);
  });

  test('has its changes for the whole policy, whatever is listed', async () => {
    await network.used(...USES);
    const whole = named(await network.unused(at(10)));
    const part = named(await network.unused(at(10), `, identityFilter: "name = \\"eve\\""`));
    expect(part['staff reads']?.changes).toEqual(whole['staff reads']?.changes);
    expect(part['staff reads']?.unusedCount).toBe(2);
  });

  test('counts what is in use at this moment', async () => {
    await circuitsIn(network.controller.parts.store).put([
      testCircuit({
        serviceId: idOf('vault'),
        identityId: idOf('eve'),
        hostId: idOf('ada'),
        createdAt: at(0),
      }),
    ]);
    const by = named(await network.unused(at(99)));
    expect(summary(by['eve opens'] as Node)).toMatchObject({
      identities: ['guest'],
      services: ['wiki'],
    });
  });

  interface Paged<T> {
    readonly nodes: readonly T[];
    readonly totalCount: number;
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  }
  const PAGE = 'totalCount pageInfo { hasNextPage endCursor }';

  /** All nodes of a list that is read by pages. */
  async function readAll<T>(
    read: (place: string) => Promise<Paged<T>>,
    totalCount: number,
  ): Promise<T[]> {
    const nodes: T[] = [];
    for (let place = ''; ;) {
      const page = await read(place);
      nodes.push(...page.nodes);
      expect(page.totalCount).toBe(totalCount);
      if (!page.pageInfo.hasNextPage) return nodes;
      place = `, after: "${page.pageInfo.endCursor}"`;
    }
  }

  test('comes by pages', async () => {
    await network.used(...USES);
    const fields = `nodes { policyName } ${PAGE}`;
    const nodes = await readAll(
      (place) => network.page<Paged<Node>>(at(10), `, first: 2${place}`, fields),
      3,
    );
    const names = (all: readonly Node[]) => all.map(({ policyName }) => policyName);
    expect(names(nodes)).toEqual(names(await network.unused(at(10))));
  });

  test('has its members by pages, in the order of their ids', async () => {
    interface Member {
      readonly identityId: string;
      readonly identity: { readonly name: string };
    }
    const nodes = await readAll(async (place) => {
      const fields = `nodes { unusedIdentities(first: 3${place}) { nodes { identityId identity { name } } ${PAGE} } }`;
      const page = await network.page<{ nodes: { unusedIdentities: Paged<Member> }[] }>(
        at(10),
        ', first: 1',
        fields,
      );
      const [node] = page.nodes;
      if (!node) throw new Error('no node');
      return node.unusedIdentities;
    }, STAFF.length);
    expect(nodes.map(({ identityId }) => identityId)).toEqual(
      STAFF.map((name) => idOf(name)).sort(),
    );
    expect(nodes.map(({ identityId }) => nameOf(identityId))).toEqual(
      nodes.map(({ identity }) => identity.name),
    );
  });

  test('knows nothing of entities that are gone, and of their uses', async () => {
    await network.names.person('short-lived', 'staff');
    await network.used(['short-lived', 'mail', 'Dial', 50]);
    expect(named(await network.unused(at(10)))['staff reads']).toMatchObject({
      grantedCount: 10,
      unusedCount: 9,
    });
    await network.controller.read('mutation ($id: ID!) { deleteIdentity(id: $id) }', {
      id: idOf('short-lived'),
    });
    expect(named(await network.unused(at(10)))['staff reads']).toMatchObject({
      grantedCount: 8,
      unusedCount: 8,
    });
  });
});

describe('the changes', () => {
  test('delete a policy that nobody used, and replace roles by the ids of users', async () => {
    await network.used(...USES);
    const by = named(await network.unused(at(10)));
    expect(by['guests read']?.changes).toEqual([
      {
        operation: 'delete',
        type: 'servicePolicy',
        id: idOf('guests read'),
        input: null,
        gained: 0,
        // The guest reads the wiki by another policy, too.
        lost: 1,
      },
    ]);
    const ids = ['ada', 'bob'].map((name) => `@${idOf(name)}`).sort();
    expect(by['staff reads']).toMatchObject({
      gained: 0,
      lost: 5,
      broadRoles: [],
      changes: [
        {
          operation: 'update',
          id: idOf('staff reads'),
          input: { identityRoles: ids, serviceRoles: [`@${idOf('wiki')}`] },
        },
      ],
    });
  });

  test('are what `simulate` takes: together they lose the unused pairs alone', async () => {
    await network.used(...USES);
    const nodes = await network.unused(at(1));
    const changes = nodes.flatMap((node) =>
      node.changes.map(({ operation, type, id, input }) => ({ operation, type, id, input })),
    );
    const { simulate } = await network.controller.read<{
      simulate: Record<
        'gained' | 'lost',
        { totalCount: number; nodes: { identityId: string; serviceId: string; type: string }[] }
      >;
    }>(
      `query ($changes: [ModelChangeInput!]!) { simulate(changes: $changes) {
        gained { totalCount } lost(first: 500) { totalCount nodes { identityId serviceId type } } } }`,
      { changes },
    );
    expect(simulate.gained.totalCount).toBe(0);
    expect(simulate.lost.totalCount).toBeGreaterThan(0);
    const lost = simulate.lost.nodes.map(
      ({ identityId, serviceId, type }) => `${nameOf(identityId)} ${nameOf(serviceId)} ${type}`,
    );
    for (const [identity, service, type] of USES) {
      expect(lost).not.toContain(`${identity} ${service} ${type}`);
    }
  });

  test('can be made: then nothing is left to narrow', async () => {
    await network.used(...USES);
    const before = named(await network.unused(at(1)))['staff reads'];
    const [change] = before?.changes ?? [];
    const update = (input: unknown) =>
      network.controller.read(
        `mutation ($id: ID!, $input: UpdateServicePolicyInput!) {
          updateServicePolicy(id: $id, input: $input) { id } }`,
        { id: idOf('staff reads'), input },
      );
    await update(change?.input);
    const after = named(await network.unused(at(1)))['staff reads'];
    expect(after?.changes).toEqual([]);
    await update({ identityRoles: ['#staff'], serviceRoles: ['#docs'] });
  });
});
