import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { callerOf, InProcess } from '../../support/in-process.js';
import {
  apply,
  codeOf,
  create,
  detailOf,
  idsOf,
  obstaclesOf,
  remove,
  revert,
  traces,
  tryToApply,
  tryToSimulate,
  undo,
  update,
} from './support.js';

/** Configs and their types in lists of changes, beside the services that have them. */

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

const rows = async (): Promise<Row[]> =>
  (
    await controller.parts.database.pool.query<{ row: Row }>(
      `select to_jsonb(t) - '{revision,updated_at,created_at}'::text[] as row from config_type t where id = 'place'
       union all select to_jsonb(t) - '{revision,updated_at,created_at}'::text[] from config t
       union all select to_jsonb(t) - '{revision,updated_at,created_at}'::text[] from service t`,
    )
  ).rows.map(({ row }) => row);

const SCHEMA = { type: 'object', properties: { port: { type: 'integer' } } };

const draft = [
  create('configType', 'place', { name: 'place', schema: SCHEMA }),
  create('config', 'wiki-place', { name: 'wiki place', configTypeId: 'place', data: { port: 80 } }),
  create('service', 'wiki', { name: 'wiki', encryptionRequired: true, configs: ['wiki-place'] }),
];

test('they are simulated, applied and undone with the services that have them', async () => {
  const empty = await rows();
  expect(codeOf(await tryToSimulate(controller, draft))).toBe('done');
  const { simulate } = await controller.read<Row>(
    `query ($changes: [ModelChangeInput!]!) { simulate(changes: $changes) { violations { ruleId }
      endedSessions { totalCount } findings { appearedCount vanishedCount } } }`,
    { changes: draft },
  );
  // The new service has no host and no client.
  expect(simulate).toStrictEqual({
    violations: [],
    endedSessions: { totalCount: 0 },
    findings: { appearedCount: 2, vanishedCount: 0 },
  });
  const made = await apply(controller, draft);
  const before = await rows();
  expect(before).toHaveLength(empty.length + 3);
  const changed = await apply(controller, [
    update('configType', 'place', { schema: null, name: 'any place' }),
    update('config', 'wiki-place', { data: { host: 'wiki.example.com' } }),
  ]);
  await undo(controller, await revert(controller, idsOf(changed)));
  expect(await rows()).toStrictEqual(before);
  // The service drops the config with its deletion.
  const gone = await apply(controller, [
    remove('config', 'wiki-place'),
    remove('configType', 'place'),
  ]);
  const reversal = await revert(controller, idsOf(gone));
  expect(obstaclesOf(reversal)).toStrictEqual([]);
  expect(reversal.changes.map(({ operation, type }) => `${operation} ${type}`)).toStrictEqual([
    'create configType',
    'create config',
    'update service',
  ]);
  await undo(controller, reversal);
  expect(await rows()).toStrictEqual(before);
  // Deletions come in the order in which nothing is in use any more.
  await undo(controller, await revert(controller, idsOf(made)));
  expect(await rows()).toStrictEqual(empty);
});

test('data that its schema does not allow is refused with its place, by both', async () => {
  const list = [
    draft[0] ?? {},
    create('config', 'bad', { name: 'bad', configTypeId: 'place', data: { port: 'x' } }),
  ];
  const before = await traces(controller);
  const refused = await tryToApply(controller, list);
  expect(refused).toStrictEqual(await tryToSimulate(controller, list));
  expect(JSON.stringify(detailOf(refused))).toContain('changes[1]');
  expect(await traces(controller)).toStrictEqual(before);
});

test('a config type is not called `all`, by which clients ask for every type', async () => {
  const refused = await tryToApply(controller, [create('configType', 'all', { name: 'some' })]);
  expect(detailOf(refused)).toMatchObject({ field: 'changes[0].id' });
});

test('they take their own permissions', async () => {
  const as = (...permissions: string[]) => controller.ctx(callerOf('somebody', ...permissions));
  const list = [create('configType', 'mine', { name: 'mine' }), remove('configType', 'mine')];
  expect(codeOf(await tryToApply(controller, list, {}, as('config')))).toBe('UNAUTHORIZED');
  expect(codeOf(await tryToApply(controller, list, {}, as('config-type')))).toBe('done');
});
