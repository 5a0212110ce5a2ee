import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { InProcess, InProcessRest } from '../support/in-process.js';

/** Filters as programs of 1.x send them, whose controller stored the type of a policy as a number. */

let controller: InProcess;
let rest: InProcessRest;

beforeAll(async () => {
  controller = await InProcess.start();
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
  for (const [name, type, tags] of [
    ['dial 1', 'Dial', { site: 'berlin', type: 1 }],
    ['dial 2', 'Dial', { site: 'rome', type: 2 }],
    ['bind 1', 'Bind', { site: 'berlin', type: 2 }],
  ] as const) {
    await controller.create('ServicePolicy', {
      name,
      type,
      tags,
      semantic: 'AnyOf',
      identityRoles: ['#all'],
      serviceRoles: ['#all'],
    });
  }
  await controller.create('Service', { name: 'wiki', encryptionRequired: true });
  await controller.parts.model.load();
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
});

async function names(filter: string, path = '/service-policies'): Promise<string> {
  const { status, body } = await rest.get(`${path}?sort=name&filter=${encodeURIComponent(filter)}`);
  expect([filter, status]).toEqual([filter, 200]);
  return (body.data as { name: string }[]).map(({ name }) => name).join(', ');
}

const DIAL = 'dial 1, dial 2';
const BIND = 'bind 1';
const ALL = `${BIND}, ${DIAL}`;

describe('the type of a policy', () => {
  test.each([
    ['type = 1', DIAL],
    ['type = 2', BIND],
    ['type = 1.0', DIAL],
    ['type = 3', ''],
    ['type != 1', BIND],
    ['type != 3', ALL],
    ['type in [1]', DIAL],
    ['type in [1, 2]', ALL],
    ['type in [0, 2.0]', BIND],
    ['type not in [1]', BIND],
    ['type not in [0, 3]', ALL],
    ['type < 2', DIAL],
    ['type <= 2', ALL],
    ['type > 1', BIND],
    ['type >= 3', ''],
    ['type between 1 and 2', DIAL],
    ['type not between 1 and 2', BIND],
    ['type contains 2', BIND],
    ['not type = 1', BIND],
    ['type = 1 and tags.site = "berlin"', 'dial 1'],
    ['tags.site = "berlin" and type = 2', BIND],
    ['tags.type = 2 and type = 1', 'dial 2'],
    ['type = 1 or tags.site = "berlin"', ALL],
    ['(type = 2) sort by name limit 1', BIND],
  ])('by its number: %s', async (filter, expected) => {
    expect(await names(filter)).toBe(expected);
  });

  test.each([
    ['type = "Dial"', DIAL],
    ['type != "Dial"', BIND],
    ['type in ["Dial", "Bind"]', ALL],
    ['type not in ["Dial"]', BIND],
    ['type contains "in"', BIND],
    ['type = "Dial" and not type = 2', DIAL],
  ])('by its name: %s', async (filter, expected) => {
    expect(await names(filter)).toBe(expected);
  });

  test.each([
    ['anyOf(servicePolicies.type) = 1', 'wiki'],
    ['allOf(servicePolicies.type) = 1', ''],
    ['count(from servicePolicies where type = 1) = 2', 'wiki'],
    ['not isEmpty(from servicePolicies where type > 1)', 'wiki'],
    ['isEmpty(from servicePolicies where type = 3)', 'wiki'],
  ])('of linked policies: %s', async (filter, expected) => {
    expect(await names(filter, '/services')).toBe(expected);
  });

  test('is the same for filters on the graph', async () => {
    const { servicePolicies } = await controller.read<{ servicePolicies: { totalCount: number } }>(
      '{ servicePolicies(filter: "type = 2") { totalCount } }',
    );
    expect(servicePolicies.totalCount).toBe(1);
  });

  test.each(['type = true', 'type > datetime(2026-01-01T00:00:00Z)', 'type icontains 1'])(
    'is compared with nothing else: %s',
    async (filter) => {
      const { status, body } = await rest.get(
        `/service-policies?filter=${encodeURIComponent(filter)}`,
      );
      expect([status, body.error.code]).toEqual([400, 'INVALID_FILTER']);
    },
  );
});
