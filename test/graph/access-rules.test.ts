import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { sql } from '../../src/base/sql.js';
import { InProcess } from '../support/in-process.js';

/** Rules that access has to keep, whoever changes it and wherever. */

let controller: InProcess;
let other: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
  other = await InProcess.start(controller);
});
afterAll(async () => {
  await other.stop();
  await controller.stop();
});

interface Refusal {
  readonly code: string | undefined;
  readonly detail: unknown;
}

let count = 0;

/** Attributes of its own, so that tests do not meddle with each other. */
class World {
  readonly suffix = String((count += 1));

  attr(name: string): string {
    return `${name}${this.suffix}`;
  }

  identity(name: string, ...attributes: string[]): Promise<string> {
    return controller.create('Identity', {
      name: this.attr(name),
      type: 'Default',
      isAdmin: false,
      roleAttributes: attributes.map((a) => this.attr(a)),
    });
  }

  service(name: string, ...attributes: string[]): Promise<string> {
    return controller.create('Service', {
      name: this.attr(name),
      encryptionRequired: true,
      roleAttributes: attributes.map((a) => this.attr(a)),
    });
  }

  policy(identities: string, services: string): Row {
    return {
      name: this.attr(`${identities} ${services}`),
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`#${this.attr(identities)}`],
      serviceRoles: [`#${this.attr(services)}`],
    };
  }

  rule(kind: string, identities: string, services: string): Row {
    return { ...this.policy(identities, services), name: this.attr(`rule ${kind}`), kind };
  }
}

async function attempt(
  on: InProcess,
  mutation: string,
  variables: Row,
  reason?: string,
): Promise<Refusal | string> {
  const ctx = reason === undefined ? on.ctx() : { ...on.ctx(), reason };
  const { errors, data } = await on.graph(mutation, variables, ctx);
  const [error] = errors;
  if (errors.length > 0) return { code: error?.code, detail: error?.detail };
  const [result] = Object.values(data ?? {}) as ({ id: string } | string)[];
  return typeof result === 'object' ? result.id : String(result);
}

const creating = (resource: string): string =>
  `mutation ($input: Create${resource}Input!) { create${resource}(input: $input) { id } }`;
const updating = (resource: string): string =>
  `mutation ($id: ID!, $input: Update${resource}Input!) { update${resource}(id: $id, input: $input) { id } }`;

const create = (resource: string, input: Row, on = controller, reason?: string) =>
  attempt(on, creating(resource), { input }, reason);

const codeOf = (outcome: Refusal | string): string | undefined =>
  typeof outcome === 'string' ? 'done' : outcome.code;

describe('an access rule', () => {
  test('that somebody must never reach refuses what would let him, and names both', async () => {
    const world = new World();
    const guest = await world.identity('eve', 'guest');
    const vault = await world.service('vault', 'secret');
    const rule = await create('AccessRule', world.rule('MUST_NEVER_REACH', 'guest', 'secret'));
    expect(await create('ServicePolicy', world.policy('guest', 'secret'))).toStrictEqual({
      code: 'ACCESS_RULE_VIOLATED',
      detail: {
        kind: 'data',
        message: `access rule "${world.attr('rule MUST_NEVER_REACH')}": identity "${world.attr('eve')}" would dial service "${world.attr('vault')}"`,
        data: {
          violations: [
            {
              rule: {
                id: rule,
                name: world.attr('rule MUST_NEVER_REACH'),
                kind: 'MUST_NEVER_REACH',
              },
              identity: { id: guest, name: world.attr('eve') },
              service: { id: vault, name: world.attr('vault') },
              type: 'Dial',
            },
          ],
        },
      },
    });
    const { servicePolicies } = await controller.read<{ servicePolicies: { totalCount: number } }>(
      'query ($f: String!) { servicePolicies(filter: $f) { totalCount } }',
      { f: `name = "${world.attr('guest secret')}"` },
    );
    expect(servicePolicies.totalCount).toBe(0);
  });

  test.each([
    [
      'an identity that gets an attribute',
      async (world: World) => {
        const id = await world.identity('ada', 'staff');
        return attempt(controller, updating('Identity'), {
          id,
          input: { roleAttributes: [world.attr('staff'), world.attr('guest')] },
        });
      },
    ],
    [
      'an identity to which an attribute is added',
      async (world: World) => {
        const id = await world.identity('ada', 'staff');
        return attempt(
          controller,
          'mutation ($id: ID!, $added: [String!]!) { addIdentityRoleAttributes(id: $id, roleAttributes: $added) { id } }',
          { id, added: [world.attr('guest')] },
        );
      },
    ],
    [
      'a new identity',
      (world: World) =>
        create('Identity', {
          name: world.attr('new'),
          type: 'Default',
          isAdmin: false,
          roleAttributes: [world.attr('staff'), world.attr('guest')],
        }),
    ],
    [
      'a service that gets an attribute',
      async (world: World) => {
        await world.identity('both', 'guest', 'sales');
        const id = await world.service('crm', 'sold');
        await create('ServicePolicy', world.policy('sales', 'sold'));
        return attempt(controller, updating('Service'), {
          id,
          input: { roleAttributes: [world.attr('sold'), world.attr('secret')] },
        });
      },
    ],
    [
      'a policy that is widened',
      async (world: World) => {
        await world.identity('eve', 'guest');
        const id = await create('ServicePolicy', world.policy('ops', 'secret'));
        return attempt(controller, updating('ServicePolicy'), {
          id,
          input: { identityRoles: [`#${world.attr('ops')}`, `#${world.attr('guest')}`] },
        });
      },
    ],
  ])('refuses %s', async (_, violate) => {
    const world = new World();
    await world.service('vault', 'secret');
    await create('ServicePolicy', world.policy('staff', 'secret'));
    await create('AccessRule', world.rule('MUST_NEVER_REACH', 'guest', 'secret'));
    expect(codeOf(await violate(world))).toBe('ACCESS_RULE_VIOLATED');
  });

  test('that somebody must reach refuses what would take it away', async () => {
    const world = new World();
    await world.identity('ada', 'staff');
    await world.service('wiki', 'docs');
    const id = await create('ServicePolicy', world.policy('staff', 'docs'));
    await create('AccessRule', world.rule('MUST_REACH', 'staff', 'docs'));
    const remove = 'mutation ($id: ID!) { deleteServicePolicy(id: $id) }';
    expect(codeOf(await attempt(controller, remove, { id }))).toBe('ACCESS_RULE_VIOLATED');
    expect(
      codeOf(await attempt(controller, updating('ServicePolicy'), { id, input: { type: 'Bind' } })),
    ).toBe('ACCESS_RULE_VIOLATED');
    // What does not matter to access goes through.
    expect(
      codeOf(
        await attempt(controller, updating('ServicePolicy'), { id, input: { tags: { a: 1 } } }),
      ),
    ).toBe('done');
    // As long as another policy grants the same.
    await create('ServicePolicy', { ...world.policy('staff', 'docs'), name: world.attr('spare') });
    expect(codeOf(await attempt(controller, remove, { id }))).toBe('done');
  });

  test('that does not hold is refused itself, when it is made or changed', async () => {
    const world = new World();
    await world.identity('ada', 'staff');
    await world.service('wiki', 'docs');
    await create('ServicePolicy', world.policy('staff', 'docs'));
    await world.identity('eve', 'guest');
    expect(await create('AccessRule', world.rule('MUST_REACH', 'guest', 'docs'))).toMatchObject({
      code: 'ACCESS_RULE_VIOLATED',
      detail: {
        message: `access rule "${world.attr('rule MUST_REACH')}": identity "${world.attr('eve')}" would not dial service "${world.attr('wiki')}"`,
      },
    });
    const never = world.rule('MUST_NEVER_REACH', 'staff', 'docs');
    expect(codeOf(await create('AccessRule', never))).toBe('ACCESS_RULE_VIOLATED');
    const id = await create('AccessRule', { ...never, kind: 'MUST_REACH' });
    expect(
      codeOf(
        await attempt(controller, updating('AccessRule'), {
          id,
          input: { kind: 'MUST_NEVER_REACH' },
        }),
      ),
    ).toBe('ACCESS_RULE_VIOLATED');
  });

  test('gives way to a reason, which the change log keeps', async () => {
    const world = new World();
    await world.identity('eve', 'guest');
    await world.service('vault', 'secret');
    await create('AccessRule', world.rule('MUST_NEVER_REACH', 'guest', 'secret'));
    const id = await create(
      'ServicePolicy',
      world.policy('guest', 'secret'),
      controller,
      'audit of May',
    );
    const rows = await controller.parts.store.query(
      sql`select reason from change where entity_id = ${id}::text`,
    );
    expect(rows).toStrictEqual([{ reason: 'audit of May' }]);
    // What was wrong before stands in nobody's way.
    expect(
      codeOf(
        await create('Identity', { name: world.attr('zoe'), type: 'Default', isAdmin: false }),
      ),
    ).toBe('done');
    // But nobody else may come to reach it.
    expect(
      codeOf(
        await create('Identity', {
          name: world.attr('yan'),
          type: 'Default',
          isAdmin: false,
          roleAttributes: [world.attr('guest')],
        }),
      ),
    ).toBe('ACCESS_RULE_VIOLATED');
  });

  test('is known to other controllers at once, and judges by what they wrote', async () => {
    const world = new World();
    await world.service('vault', 'secret');
    await world.identity('eve', 'guest');
    await create('AccessRule', world.rule('MUST_NEVER_REACH', 'guest', 'secret'));
    // No feed runs here: the other controller knows of none of it by itself.
    expect(codeOf(await create('ServicePolicy', world.policy('guest', 'secret'), other))).toBe(
      'ACCESS_RULE_VIOLATED',
    );
    expect(codeOf(await create('ServicePolicy', world.policy('ops', 'secret'), other))).toBe(
      'done',
    );
    expect(
      codeOf(
        await create('Identity', {
          name: world.attr('both'),
          type: 'Default',
          isAdmin: false,
          roleAttributes: [world.attr('ops'), world.attr('guest')],
        }),
      ),
    ).toBe('ACCESS_RULE_VIOLATED');
  });

  test('is not violated by two writes together that keep it one by one', async () => {
    for (let round = 0; round < 10; round += 1) {
      const world = new World();
      await world.service('vault', 'secret');
      const id = await world.identity('eve', 'guest');
      await create('AccessRule', world.rule('MUST_NEVER_REACH', 'guest', 'secret'));
      const outcomes = await Promise.all([
        create('ServicePolicy', world.policy('temp', 'secret'), other),
        attempt(controller, updating('Identity'), {
          id,
          input: { roleAttributes: [world.attr('guest'), world.attr('temp')] },
        }),
      ]);
      expect(outcomes.map(codeOf).sort()).toStrictEqual(['ACCESS_RULE_VIOLATED', 'done']);
    }
  });

  test('is not broken by a write that begins before it is made', async () => {
    for (let round = 0; round < 10; round += 1) {
      const world = new World();
      await world.service('vault', 'secret');
      await world.identity('eve', 'guest');
      const outcomes = await Promise.all([
        create('AccessRule', world.rule('MUST_NEVER_REACH', 'guest', 'secret'), other),
        create('ServicePolicy', world.policy('guest', 'secret')),
      ]);
      expect(outcomes.map(codeOf).sort()).toStrictEqual(['ACCESS_RULE_VIOLATED', 'done']);
    }
  });

  test('is asked of simulations too', async () => {
    const world = new World();
    const identityId = await world.identity('eve', 'guest');
    const serviceId = await world.service('vault', 'secret');
    const ruleId = await create('AccessRule', world.rule('MUST_NEVER_REACH', 'guest', 'secret'));
    const { simulate } = await controller.read<{ simulate: { violations: Row[] } }>(
      `query ($changes: [ModelChangeInput!]!) { simulate(changes: $changes) { violations { ruleId ruleKind identityId serviceId type } } }`,
      {
        changes: [
          { operation: 'create', type: 'servicePolicy', input: world.policy('guest', 'secret') },
        ],
      },
    );
    expect(simulate.violations).toStrictEqual([
      { ruleId, ruleKind: 'MUST_NEVER_REACH', identityId, serviceId, type: 'Dial' },
    ]);
  });
});
