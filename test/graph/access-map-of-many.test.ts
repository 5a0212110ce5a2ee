import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { sql } from '../../src/base/sql.js';
import { InProcess } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';
import { settledChange } from '../support/settled-change.js';
import { readMap } from './shown-map.js';

/** A class of very many identities on the map of the policies. */

let controller: InProcess;
let large: InProcess;
const { make, policy } = new NamedEntities(() => controller);

beforeAll(async () => {
  controller = await InProcess.start();
  await make('Service', 'wiki', { encryptionRequired: true, roleAttributes: ['docs'] });
  await controller.parts.store.query(
    sql`insert into identity (id, created_at, updated_at, name, type_id, auth_policy_id, role_attributes)
      select 'many' || n, now(), now(), 'n' || lpad((20000 - n)::text, 5, '0'), 'Default', 'default', array['many']
      from generate_series(1, 12000) n`,
  );
  for (const [i, name] of ['n08000 few', 'x1', 'x2', 'x3'].entries()) {
    await controller.parts.store.query(
      sql`insert into identity (id, created_at, updated_at, name, type_id, auth_policy_id, role_attributes)
        values (${`few${i}`}::text, now(), now(), ${name}::text, 'Default', 'default', array['few'])`,
    );
  }
  await policy('many', ['#many'], ['#docs']);
  await policy('few', ['#few'], ['#docs']);
  large = await InProcess.start(controller);
});
afterAll(async () => {
  await large.stop();
  await controller.stop();
});

const namesOf = async (
  args: string,
  variables: Row = {},
  isWanted = (count: number): boolean => count > 11_000,
): Promise<string[] | undefined> =>
  (await readMap(large, args, variables)).nodes.find(
    ({ kind, count }) => kind === 'identity' && isWanted(count),
  )?.sampleNames;

test('shows its first names, also in a simulation and in the past', async () => {
  expect(await namesOf('')).toEqual(['n08000', 'n08001', 'n08002']);
  const rename = (id: string, name: string): Row => ({
    operation: 'update',
    type: 'identity',
    id,
    input: { name },
  });
  // The first one goes to the end, and another one comes to the beginning.
  const changes = [rename('many12000', 'zoe'), rename('many5', 'a "first"')];
  expect(await namesOf('(changes: $changes)', { changes })).toEqual([
    'a "first"',
    'n08001',
    'n08002',
  ]);
  const at = await settledChange(large);
  await large.read('mutation { updateIdentity(id: "many11999", input: { name: "zoe" }) { id } }');
  expect(await namesOf('')).toEqual(['n08000', 'n08002', 'n08003']);
  expect(await namesOf('(at: $at)', { at })).toEqual(['n08000', 'n08001', 'n08002']);
});

test('shows those of a small class beside it, which are late in the order of all names', async () => {
  const ofFew = (count: number): boolean => count === 4;
  expect(await namesOf('', {}, ofFew)).toEqual(['n08000 few', 'x1', 'x2']);
  const input = { name: 'a' };
  const changes = [{ operation: 'update', type: 'identity', id: 'few3', input }];
  expect(await namesOf('(changes: $changes)', { changes }, ofFew)).toEqual([
    'a',
    'n08000 few',
    'x1',
  ]);
});

test('is read in pages, with its exact size', async () => {
  const { accessMap } = await large.read<{ accessMap: { nodes: Row[] } }>(
    '{ accessMap { nodes { members(first: 2, offset: 3) { totalCount nodes { entityId } } } } }',
  );
  expect(accessMap.nodes[0]).toEqual({
    members: {
      totalCount: 12_000,
      nodes: [{ entityId: 'many1000' }, { entityId: 'many10000' }],
    },
  });
});
