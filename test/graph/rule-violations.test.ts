import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { InProcess, InProcessRest } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';

/** What of access rules does not hold, once a write was let through with a reason. */

let controller: InProcess;
let rest: InProcessRest;
const { idOf, nameOf, make, person, policy } = new NamedEntities(() => controller);

const rule = (name: string, kind: string, identities: string, services: string) =>
  make('AccessRule', name, {
    kind,
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: [`#${identities}`],
    serviceRoles: [`#${services}`],
  });

beforeAll(async () => {
  controller = await InProcess.start();
  for (const [name, attribute] of [
    ['ada', 'staff'],
    ['bob', 'staff'],
    ['eve', 'guest'],
  ]) {
    await person(String(name), String(attribute));
  }
  for (const name of ['vault', 'wiki']) {
    await make('Service', name, { encryptionRequired: true, roleAttributes: [`in-${name}`] });
  }
  await policy('staff reads', ['#staff'], ['#in-wiki']);
  await rule('kept', 'MUST_REACH', 'staff', 'in-wiki');
  await rule('no guests', 'MUST_NEVER_REACH', 'guest', 'in-vault');
  await rule('staff everywhere', 'MUST_REACH', 'staff', 'in-none');
  const overridden = { ...controller.ctx(), reason: 'moving the vault' };
  await controller.read(
    `mutation ($input: CreateServicePolicyInput!) { createServicePolicy(input: $input) { id } }`,
    {
      input: {
        name: 'open vault',
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: ['#guest', `@${idOf('ada')}`],
        serviceRoles: ['#in-vault'],
      },
    },
    overridden,
  );
  await controller.read(
    `mutation ($id: ID!) { updateService(id: $id, input: { roleAttributes: ["in-vault", "in-none"] }) { id } }`,
    { id: idOf('vault') },
    { ...controller.ctx(), reason: 'moving the vault' },
  );
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
});

interface Rule {
  readonly name: string;
  readonly holds: boolean;
  readonly violations: { readonly totalCount: number; readonly nodes: readonly Row[] };
}

const rules = async (args = ''): Promise<readonly Rule[]> => {
  const { accessRules } = await controller.read<{ accessRules: { nodes: Rule[] } }>(
    `{ accessRules(sort: "name") { nodes { name holds violations${args} {
      totalCount nodes { identityId serviceId type identityName paths { policyName } } } } } }`,
  );
  return accessRules.nodes;
};

describe('an access rule', () => {
  test('says whether it holds, and of which pairs it does not', async () => {
    expect(await rules()).toStrictEqual([
      { name: 'kept', holds: true, violations: { totalCount: 0, nodes: [] } },
      {
        name: 'no guests',
        holds: false,
        violations: {
          totalCount: 1,
          nodes: [
            {
              identityId: idOf('eve'),
              serviceId: idOf('vault'),
              type: 'Dial',
              identityName: 'eve',
              paths: [{ policyName: 'open vault' }],
            },
          ],
        },
      },
      {
        name: 'staff everywhere',
        holds: false,
        violations: {
          totalCount: 1,
          nodes: [
            {
              identityId: idOf('bob'),
              serviceId: idOf('vault'),
              type: 'Dial',
              identityName: 'bob',
              paths: [],
            },
          ],
        },
      },
    ]);
  });

  test('pages through its violations', async () => {
    const [, guests] = await rules('(first: 0)');
    expect(guests?.violations).toStrictEqual({ totalCount: 1, nodes: [] });
  });

  test('that does not hold is a finding', async () => {
    const { body } = await rest.get('/findings?kinds=ACCESS_RULE_VIOLATED');
    const findings = body.data as {
      severity: string;
      entities: { kind: string; name: string }[];
    }[];
    expect(
      findings
        .map(({ severity, entities }) => [severity, entities.map(({ kind, name }) => [kind, name])])
        .sort(),
    ).toStrictEqual(
      [
        [
          'HIGH',
          [
            ['accessRule', 'no guests'],
            ['identity', 'eve'],
            ['service', 'vault'],
          ],
        ],
        [
          'HIGH',
          [
            ['accessRule', 'staff everywhere'],
            ['identity', 'bob'],
            ['service', 'vault'],
          ],
        ],
      ].sort(),
    );
  });

  test('that does not hold is told by a simulation, also by one of nothing', async () => {
    const violated = async (...changes: Row[]): Promise<unknown> => {
      const { body } = await rest.send('POST', '/simulate', { changes });
      const { violations, violatedRules } = body.data as Record<string, Row[]>;
      return [violations, violatedRules].map((all) =>
        all?.map(({ ruleId, identityId }) => `${nameOf(ruleId)}: ${nameOf(identityId)}`).sort(),
      );
    };
    expect(await violated()).toStrictEqual([[], ['no guests: eve', 'staff everywhere: bob']]);
    const leaves = { operation: 'delete', type: 'identity', id: idOf('eve') };
    expect(await violated(leaves)).toStrictEqual([[], ['staff everywhere: bob']]);
    const joins = {
      operation: 'update',
      type: 'identity',
      id: idOf('bob'),
      input: { roleAttributes: ['guest', 'staff'] },
    };
    expect(await violated(joins)).toStrictEqual([['no guests: bob'], expect.any(Array)]);
  });
});
