import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { InProcess } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';
import { settledChange } from '../support/settled-change.js';

/** What differs between two points is told by the names of then. */

let controller: InProcess;
const { idOf, make } = new NamedEntities(() => controller);
const points = new Map<string, string>();
const at = (name: string): string => points.get(name) ?? '';

const point = async (name: string): Promise<void> => {
  points.set(name, await settledChange(controller));
};

beforeAll(async () => {
  controller = await InProcess.start();
  await make('Identity', 'ada', { type: 'Default', isAdmin: false });
});
afterAll(() => controller.stop());

test('differences name policies and routers that are gone since', async () => {
  await point('no gate');
  await make('EdgeRouter', 'gate', {});
  await make('Service', 'blog', { encryptionRequired: true });
  await make('ServicePolicy', 'writers', {
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: [`@${idOf('ada')}`],
    serviceRoles: [`@${idOf('blog')}`],
  });
  await make('EdgeRouterPolicy', 'gated', {
    semantic: 'AnyOf',
    identityRoles: [`@${idOf('ada')}`],
    edgeRouterRoles: [`@${idOf('gate')}`],
  });
  await point('gate');
  for (const [type, name] of [
    ['EdgeRouterPolicy', 'gated'],
    ['ServicePolicy', 'writers'],
    ['Service', 'blog'],
    ['EdgeRouter', 'gate'],
  ] as const) {
    await controller.read(`mutation ($id: ID!) { delete${type}(id: $id) }`, { id: idOf(name) });
  }
  await point('gate gone');
  const NAMES = `{ nodes { identityName serviceName paths { policyName } } }`;
  const ROUTERS = `{ nodes { identityName routerName } }`;
  const between = async (from: string, to: string): Promise<unknown> => {
    const { accessDiff } = await controller.read<{ accessDiff: Row }>(
      `query ($from: String!, $to: String!) { accessDiff(from: $from, to: $to) {
        gained ${NAMES} lost ${NAMES} identityRouters { gained ${ROUTERS} lost ${ROUTERS} } } }`,
      { from: at(from), to: at(to) },
    );
    return accessDiff;
  };
  const pairs = {
    nodes: [{ identityName: 'ada', serviceName: 'blog', paths: [{ policyName: 'writers' }] }],
  };
  const routers = { nodes: [{ identityName: 'ada', routerName: 'gate' }] };
  const none = { nodes: [] };
  expect(await between('no gate', 'gate')).toStrictEqual({
    gained: pairs,
    lost: none,
    identityRouters: { gained: routers, lost: none },
  });
  expect(await between('gate', 'gate gone')).toStrictEqual({
    gained: none,
    lost: pairs,
    identityRouters: { gained: none, lost: routers },
  });
});
