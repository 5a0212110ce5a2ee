import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { InProcess, InProcessRest } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';

/** What is probably not meant, and what the proposed changes would do. */

let controller: InProcess;
let rest: InProcessRest;
const { idOf, make, person, policy } = new NamedEntities(() => controller);

beforeAll(async () => {
  controller = await InProcess.start();
  for (const name of ['ann', 'bob', 'cy']) await person(name, 'sales', 'all');
  await person('dan', 'salse');
  for (const name of ['shop', 'till']) {
    await make('Service', name, { encryptionRequired: true, roleAttributes: ['goods'] });
  }
  await policy('sellers', ['#sales'], ['#goods']);
  await policy('loud', ['#ALL'], ['#goods']);
  // The policy that comes with the tunneler is shadowed by one, and has a duplicate.
  await make('EdgeRouter', 'gate', { isTunnelerEnabled: true });
  const all = { semantic: 'AnyOf', identityRoles: ['#all'], edgeRouterRoles: ['#all'] };
  await make('EdgeRouterPolicy', 'all', all);
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
});

interface Effect {
  readonly gained: number;
  readonly lost: number;
}

interface Found extends Effect {
  readonly kind: string;
  readonly about: string | null;
  readonly changes: readonly (Row & Effect)[];
}

const found = async (kind: string): Promise<Found[]> =>
  (await rest.get(`/findings?kinds=${kind}`)).body.data;

const simulated = async (changes: readonly Row[]): Promise<Effect> => {
  const { simulate } = await controller.read<{
    simulate: Record<keyof Effect, { totalCount: number }>;
  }>(
    'query ($changes: [ModelChangeInput!]!) { simulate(changes: $changes) { gained { totalCount } lost { totalCount } } }',
    { changes: changes.map(({ operation, type, id, input }) => ({ operation, type, id, input })) },
  );
  return { gained: simulate.gained.totalCount, lost: simulate.lost.totalCount };
};

describe('a proposed change', () => {
  test('never makes everybody of an attribute that is spelled like the role #all', async () => {
    const kinds = 'NEAR_DUPLICATE_ATTRIBUTE,ROLE_MATCHES_NOTHING';
    const changes = JSON.stringify((await found(kinds)).flatMap((finding) => finding.changes));
    expect(changes).not.toContain('#all');
    expect(changes).not.toContain('"all"]');
  });

  test('says how many pairs it gives access to and takes it from, as a simulation does', async () => {
    const [finding] = await found('NEAR_DUPLICATE_ATTRIBUTE');
    expect(finding).toMatchObject({ about: 'salse', gained: 2, lost: 0 });
    expect(finding?.changes).toStrictEqual([
      {
        operation: 'update',
        type: 'identity',
        id: idOf('dan'),
        input: { roleAttributes: ['sales'] },
        gained: 2,
        lost: 0,
      },
    ]);
  });

  test('of every kind does what its finding says', async () => {
    const { body } = await rest.get('/findings?limit=500');
    const findings = body.data as Found[];
    const proposing = findings.filter(({ changes }) => changes.length > 0);
    expect(proposing.length).toBeGreaterThan(2);
    for (const { gained, lost, changes } of proposing) {
      expect({ gained, lost }).toStrictEqual(await simulated(changes));
      for (const change of changes) {
        expect({ gained: change.gained, lost: change.lost }).toStrictEqual(
          await simulated([change]),
        );
      }
    }
    for (const { gained, lost, changes } of findings) {
      if (changes.length === 0) expect([gained, lost]).toStrictEqual([0, 0]);
    }
  });
});
