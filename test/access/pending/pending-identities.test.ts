import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { eventually } from '../../support/eventually.js';
import { follow } from '../../support/following.js';
import { callerOf, InProcess, InProcessRest, type GraphAnswer } from '../../support/in-process.js';
import { dialling, open, request, sessionsOf, type Dialling } from '../enforcement/dialling.js';
import { Timed } from '../times/timed.js';

/** Identities that wait for their approval, at two controllers. */

let controller: InProcess;
let other: InProcess;
let rest: InProcessRest;
let ada: Dialling;
let access: Timed;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  controller = await InProcess.start();
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
  access = new Timed(controller, () => ada);
  other = await InProcess.start(controller);
  for (const on of [controller, other]) {
    ends.push(
      await follow(on, (fault) => {
        throw fault;
      }),
    );
  }
});
afterAll(async () => {
  for (const end of ends) await end();
  await rest.stop();
  await other.stop();
  await controller.stop();
});
beforeEach(async () => {
  ada = await dialling(controller, { isPending: true });
});

interface Shown {
  readonly isPending: boolean;
  readonly effectiveRoleAttributes: readonly string[];
  readonly revision: number;
}

async function shown(id = ada.identity): Promise<Shown> {
  const { identity } = await controller.read<{ identity: Shown }>(
    'query ($id: ID!) { identity(id: $id) { isPending effectiveRoleAttributes revision } }',
    { id },
  );
  return identity;
}

const approve = (id = ada.identity) =>
  controller.graph('mutation ($id: ID!) { done: approveIdentity(id: $id) { isPending } }', { id });

const update = (type: string, id: string, input: Row) =>
  controller.graph(
    `mutation ($id: ID!, $input: Update${type}Input!) { done: update${type}(id: $id, input: $input) { id } }`,
    { id, input },
  );

const codesOf = ({ errors }: { errors: readonly ({ code?: string } | undefined)[] }) =>
  errors.map((error) => error?.code);

describe('a pending identity', () => {
  test('is listed with what it has, and is in no policy', async () => {
    expect(await shown()).toMatchObject({ isPending: true });
    expect((await shown()).effectiveRoleAttributes).toHaveLength(1);
    expect(await access.reached()).toBe(false);
    await eventually(async () => {
      expect(await access.reached(other)).toBe(false);
    });
    expect(codesOf(await request(controller, ada))).toStrictEqual(['NOT_FOUND']);
    const { identity, identities } = await controller.read<Record<string, unknown>>(
      `query ($id: ID!, $text: String!) {
        identity(id: $id) { servicePolicies { totalCount nodes { id } } edgeRouters { totalCount nodes { id } } }
        identities(where: { isPending: { eq: true }, id: { eq: $text } }) { nodes { id } } }`,
      { id: ada.identity, text: ada.identity },
    );
    const none = { totalCount: 0, nodes: [] };
    expect(identity).toStrictEqual({ servicePolicies: none, edgeRouters: none });
    expect(identities).toStrictEqual({ nodes: [{ id: ada.identity }] });
  });

  test.each([
    ['#all', false],
    ['its id', false],
    ['#pending', true],
  ])('is in a policy that names %s: %s', async (name, isMember) => {
    const role = name === 'its id' ? `@${ada.identity}` : name;
    await update('ServicePolicy', ada.policy, { identityRoles: [role] });
    expect(await access.reached()).toBe(isMember);
    await eventually(async () => {
      expect(await access.reached(other)).toBe(isMember);
    });
    const { servicePolicy } = await controller.read<{
      servicePolicy: { identities: { nodes: { id: string }[]; totalCount: number } };
    }>(
      'query ($id: ID!) { servicePolicy(id: $id) { identities(first: 500) { totalCount nodes { id } } } }',
      { id: ada.policy },
    );
    const { nodes, totalCount } = servicePolicy.identities;
    expect(nodes.some(({ id }) => id === ada.identity)).toBe(isMember);
    expect(nodes).toHaveLength(totalCount);
    await update('ServicePolicy', ada.policy, { identityRoles: [] });
  });

  test('loses at the approval what only #pending gave it', async () => {
    await update('ServicePolicy', ada.policy, { identityRoles: ['#pending'] });
    await update('EdgeRouterPolicy', ada.routerPolicy, { identityRoles: ['#pending'] });
    await open(controller, ada);
    expect(await sessionsOf(controller, ada)).toHaveLength(1);
    await approve();
    await eventually(async () => {
      expect(await sessionsOf(controller, ada)).toStrictEqual([]);
    });
    expect(await access.reached()).toBe(false);
    await update('ServicePolicy', ada.policy, { identityRoles: [] });
  });

  test('is found by the role #pending in lists, and by no other one', async () => {
    const [name = ''] = (await shown()).effectiveRoleAttributes;
    const idsBy = async (role: string): Promise<string[]> => {
      const { identities } = await controller.read<{ identities: { nodes: { id: string }[] } }>(
        'query ($role: [String!]) { identities(roleFilter: $role, first: 500) { nodes { id } } }',
        { role: [role] },
      );
      return identities.nodes.map(({ id }) => id);
    };
    expect(await idsBy('#pending')).toContain(ada.identity);
    for (const role of [`#${name}`, `@${ada.identity}`])
      expect(await idsBy(role)).toStrictEqual([]);
  });

  test('has no rights, and gets none before its approval', async () => {
    for (const input of [{ isAdmin: true }, { permissions: ['identity'] }]) {
      expect(codesOf(await update('Identity', ada.identity, input))).toStrictEqual([
        'COULD_NOT_VALIDATE',
      ]);
    }
    const input = { name: 'pending administrator', type: 'Default', isPending: true };
    const made = await controller.graph(
      'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { id } }',
      { input: { ...input, isAdmin: true } },
    );
    expect(codesOf(made)).toStrictEqual(['COULD_NOT_VALIDATE']);
    await approve();
    expect(codesOf(await update('Identity', ada.identity, { permissions: ['service'] }))).toEqual(
      [],
    );
  });

  test('asks for no access, whatever an offer says', async () => {
    const offerId = await controller.create('AccessOffer', {
      ...{ name: `offer ${ada.identity}`, roleAttribute: 'on-call' },
      ...{ requesterRoles: ['#pending', `@${ada.identity}`], maxMinutes: 60 },
    });
    const ask = () =>
      controller.graph(
        `mutation ($offerId: ID!) { requestAccess(offerId: $offerId, reason: "work", minutes: 5) { id } }`,
        { offerId },
        ada.own(),
      );
    expect(codesOf(await ask())).toStrictEqual(['NOT_FOUND']);
    await approve();
    expect(codesOf(await ask())).toStrictEqual([]);
  });

  test('is explained: it waits for its approval, which is all that is missing', async () => {
    const { access: why } = await controller.read<{
      access: { obstacles: string[]; nearestMisses: { nodes: Row[] } };
    }>(
      `query ($identity: ID!, $service: ID!) {
        access(identityId: $identity, serviceId: $service, type: Dial) {
          obstacles nearestMisses { nodes { policyId changes identitySide { remedies { kind } } } } } }`,
      { identity: ada.identity, service: ada.service },
    );
    expect(why.obstacles).toEqual(expect.arrayContaining(['NO_POLICY', 'IDENTITY_PENDING']));
    expect(why.nearestMisses.nodes[0]).toStrictEqual({
      policyId: ada.policy,
      changes: 0,
      identitySide: null,
    });
  });
});

describe('an approval', () => {
  test('lets policies select the identity by all that it has, at every controller', async () => {
    const assigned = await controller.create('RoleAssignment', {
      identityId: ada.identity,
      roleAttribute: 'by assignment',
      reason: 'work',
    });
    const before = new Date().toISOString();
    const { data } = await approve();
    expect(data?.done).toStrictEqual({ isPending: false });
    expect(await access.reached()).toBe(true);
    await eventually(async () => {
      expect(await access.reached(other)).toBe(true);
    });
    expect((await open(controller, ada)).serviceId).toBe(ada.service);
    expect((await shown()).effectiveRoleAttributes).toContain('by assignment');
    await eventually(async () => {
      expect(await access.reached(controller, before)).toBe(false);
    });
    await controller.read('mutation ($id: ID!) { deleteRoleAssignment(id: $id) }', {
      id: assigned,
    });
  });

  test('of one that is not pending changes nothing', async () => {
    await approve();
    const { revision } = await shown();
    expect(codesOf(await approve())).toStrictEqual([]);
    expect((await shown()).revision).toBe(revision);
  });

  test('has a REST path, and is by no write of the identity', async () => {
    const path = `/identities/${ada.identity}`;
    const body = { name: `renamed ${ada.identity}`, type: 'Default', isAdmin: false };
    const attempts: [string, Row][] = [
      ['PATCH', { isPending: false }],
      ['PUT', { ...body, isPending: false }],
      ['PUT', body],
    ];
    for (const [method, sent] of attempts) {
      expect([method, (await rest.send(method, path, sent)).status]).toStrictEqual([method, 200]);
      expect(await shown()).toMatchObject({ isPending: true });
    }
    expect((await rest.send('POST', `${path}/approve`, {})).status).toBe(200);
    expect(await shown()).toMatchObject({ isPending: false });
  });

  test('needs the permission to update identities', async () => {
    const by = controller.ctx({
      ...callerOf(ada.identity),
      permissions: ['identity.create', 'identity.read'],
    });
    const refused = await controller.graph(
      'mutation ($id: ID!) { approveIdentity(id: $id) { id } }',
      { id: ada.identity },
      by,
    );
    expect(codesOf(refused)).toStrictEqual(['UNAUTHORIZED']);
  });

  test('is refused by an access rule that it would violate', async () => {
    const rule = await controller.create('AccessRule', {
      ...{ name: `never ${ada.policy}`, kind: 'MUST_NEVER_REACH', type: 'Dial', semantic: 'AnyOf' },
      identityRoles: [`@${ada.identity}`],
      serviceRoles: [`@${ada.service}`],
    });
    expect(await effect()).toMatchObject({ gainedCount: 1, violations: [{ ruleId: rule }] });
    expect(codesOf(await approve())).toStrictEqual(['ACCESS_RULE_VIOLATED']);
    await controller.read('mutation ($id: ID!) { deleteAccessRule(id: $id) }', { id: rule });
    expect(codesOf(await approve())).toStrictEqual([]);
  });

  test('has the effect that its simulation shows', async () => {
    expect(await effect()).toStrictEqual({
      gainedCount: 1,
      gained: [{ serviceId: ada.service, type: 'Dial' }],
      violations: [],
    });
    await approve();
    expect(await effect()).toStrictEqual({ gainedCount: 0, gained: [], violations: [] });
  });

  async function effect(): Promise<unknown> {
    const { approvalEffect } = await controller.read<{ approvalEffect: unknown }>(
      'query ($id: ID!) { approvalEffect(id: $id) { gainedCount gained { serviceId type } violations { ruleId } } }',
      { id: ada.identity },
    );
    return approvalEffect;
  }
});

describe('an access rule', () => {
  test.each(['#all', 'the id'])('about %s counts pending identities', async (about) => {
    const rule = await controller.create('AccessRule', {
      ...{ name: `rule ${ada.policy}`, kind: 'MUST_NEVER_REACH', type: 'Dial', semantic: 'AnyOf' },
      identityRoles: [about === '#all' ? '#all' : `@${ada.identity}`],
      serviceRoles: [`@${ada.service}`],
    });
    const opened = await update('ServicePolicy', ada.policy, { identityRoles: ['#pending'] });
    expect(codesOf(opened)).toStrictEqual(['ACCESS_RULE_VIOLATED']);
    await controller.read('mutation ($id: ID!) { deleteAccessRule(id: $id) }', { id: rule });
  });

  describe('that demands access', () => {
    const demanded: string[] = [];

    const demand = async (role: string): Promise<GraphAnswer> => {
      const input = {
        ...{ name: `must ${ada.policy}`, kind: 'MUST_REACH', type: 'Dial', semantic: 'AnyOf' },
        ...{ identityRoles: [role], serviceRoles: [`@${ada.service}`] },
      };
      const answer = await controller.graph(
        'mutation ($input: CreateAccessRuleInput!) { done: createAccessRule(input: $input) { id holds } }',
        { input },
      );
      const { done } = answer.data as { done: { id: string } | null };
      if (done) demanded.push(done.id);
      return answer;
    };
    const giveTo = (role: string) => update('ServicePolicy', ada.policy, { identityRoles: [role] });
    afterEach(async () => {
      for (const id of demanded.splice(0)) {
        await controller.read('mutation ($id: ID!) { deleteAccessRule(id: $id) }', { id });
      }
      await update('ServicePolicy', ada.policy, { identityRoles: [] });
    });

    test('from #all demands none from an identity that #all does not select yet', async () => {
      await giveTo('#all');
      expect(await access.reached()).toBe(false);
      expect((await demand('#all')).data?.done).toMatchObject({ holds: true });
      expect(codesOf(await approve())).toStrictEqual([]);
      expect(await access.reached()).toBe(true);
    });

    test.each(['its id', 'its role attribute'])(
      'from %s concerns the identity from its approval on',
      async (about) => {
        const [attribute = ''] = (await shown()).effectiveRoleAttributes;
        await giveTo('#nobody');
        const role = about === 'its id' ? `@${ada.identity}` : `#${attribute}`;
        expect((await demand(role)).data?.done).toMatchObject({ holds: true });
        expect(codesOf(await approve())).toStrictEqual(['ACCESS_RULE_VIOLATED']);
        await giveTo(role);
        expect(codesOf(await approve())).toStrictEqual([]);
        expect(codesOf(await giveTo('#nobody'))).toStrictEqual(['ACCESS_RULE_VIOLATED']);
      },
    );

    test('from #pending concerns it before', async () => {
      expect(codesOf(await demand('#pending'))).toStrictEqual(['ACCESS_RULE_VIOLATED']);
      await giveTo('#pending');
      expect((await demand('#pending')).data?.done).toMatchObject({ holds: true });
      expect(codesOf(await giveTo('#nobody'))).toStrictEqual(['ACCESS_RULE_VIOLATED']);
    });
  });
});
