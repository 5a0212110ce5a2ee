import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { loadAccess } from '../../../../src/access/enforcement/access-watch.js';
import type { Cursor } from '../../../../src/kernel/request/store-port.js';
import { changesBetween, StoredChangeLog } from '../../../../src/data/store/change-log.js';
import { InProcess } from '../../../support/in-process.js';
import { settledChange } from '../../../support/settled-change.js';
import { createNetwork, NAMINGS, type Naming, type Network, type Roles } from './network.js';

/** What moves the time that clients compare, and what does not. */

const START = Date.parse('2026-03-01T08:00:00.000Z');

let now = START;
let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start(undefined, { now: () => new Date(now) });
});
afterAll(() => controller.stop());

const PERSON = { type: 'Default', isAdmin: false };

async function network(naming: Naming): Promise<Network> {
  const made = await createNetwork(controller, naming);
  now += 1_000;
  return made;
}

async function lastChange({ own }: Network): Promise<string> {
  const { currentServiceUpdates } = await controller.read<{
    currentServiceUpdates: { lastChangeAt: string };
  }>('{ currentServiceUpdates { lastChangeAt } }', {}, own());
  return currentServiceUpdates.lastChangeAt;
}

const update = (resource: string, id: string, input: object): Promise<unknown> =>
  controller.read(
    `mutation ($id: ID!, $input: Update${resource}Input!) { update${resource}(id: $id, input: $input) { id } }`,
    { id, input },
  );

const remove = (resource: string, id: string, on = controller): Promise<unknown> =>
  on.read(`mutation ($id: ID!) { delete${resource}(id: $id) }`, { id });

const override = ({ identity, service }: Network, configId: string): Promise<unknown> =>
  controller.read(
    'mutation ($id: ID!, $configs: [ServiceConfigInput!]!) { associateServiceConfigs(id: $id, configs: $configs) }',
    { id: identity, configs: [{ serviceId: service, configId }] },
  );

const withdraw = ({ identity }: Network): Promise<unknown> =>
  controller.read('mutation ($id: ID!) { disassociateServiceConfigs(id: $id) }', { id: identity });

const submit = ({ own }: Network, domain: string): Promise<unknown> =>
  controller.read(
    `mutation ($domain: String!) { submitPosture(responses: [{ id: "x", typeId: "DOMAIN", domain: $domain }]) {
      services { serviceId } } }`,
    { domain },
    own(),
  );

type Step = (network: Network, on?: InProcess) => Promise<unknown>;

/** What comes before the step that counts. */
interface Case {
  readonly name: string;
  /** The namings under which it is the case; all of them by default. */
  readonly under?: readonly Naming[];
  readonly before?: Step;
  readonly step: Step;
}

const anotherPolicy =
  (other: Partial<Roles>): Step =>
  ({ tag, roles: { identityRoles, serviceRoles } }) =>
    controller.create('ServicePolicy', {
      name: `${tag}-another`,
      type: 'Bind',
      semantic: 'AnyOf',
      identityRoles,
      serviceRoles,
      ...other,
    });

const anotherService =
  (attribute: string): Step =>
  ({ tag }) =>
    controller.create('Service', {
      name: `${tag}-another`,
      encryptionRequired: true,
      roleAttributes: [`${tag}-${attribute}`],
    });

/** A service that a policy of somebody else names by its id. */
async function ofOthers(network: Network): Promise<void> {
  await anotherService('aside')(network);
  const id = await serviceNamed(`${network.tag}-another`);
  await anotherPolicy({ identityRoles: ['#nobody'], serviceRoles: [`@${id}`] })(network);
}

async function serviceNamed(name: string): Promise<string> {
  const { services } = await controller.read<{ services: { nodes: { id: string }[] } }>(
    'query ($where: ServiceWhere) { services(where: $where) { nodes { id } } }',
    { where: { name: { eq: name } } },
  );
  return services.nodes[0]?.id ?? '';
}

const TRIGGERS: readonly Case[] = [
  { name: 'a policy is created', step: anotherPolicy({}) },
  { name: 'a policy is deleted', step: ({ policy }) => remove('ServicePolicy', policy) },
  {
    name: 'a policy loses the identity',
    step: ({ policy }) => update('ServicePolicy', policy, { identityRoles: ['#nobody'] }),
  },
  {
    name: 'a policy gains the identity',
    before: ({ policy }) => update('ServicePolicy', policy, { identityRoles: ['#nobody'] }),
    step: ({ policy, roles: { identityRoles } }) =>
      update('ServicePolicy', policy, { identityRoles }),
  },
  {
    name: 'a policy loses the service',
    step: ({ policy }) => update('ServicePolicy', policy, { serviceRoles: ['#none'] }),
  },
  {
    name: 'a policy gains a service',
    under: ['by id', 'by attribute'],
    before: anotherService('aside'),
    step: ({ policy, tag, roles: { serviceRoles } }) =>
      update('ServicePolicy', policy, { serviceRoles: [...serviceRoles, `#${tag}-aside`] }),
  },
  {
    name: 'a policy loses a posture check',
    step: ({ policy }) => update('ServicePolicy', policy, { postureCheckRoles: [] }),
  },
  {
    name: 'a policy gains a posture check',
    before: ({ policy }) => update('ServicePolicy', policy, { postureCheckRoles: [] }),
    step: ({ policy, roles: { postureCheckRoles } }) =>
      update('ServicePolicy', policy, { postureCheckRoles }),
  },
  {
    name: 'the identity loses its attribute',
    under: ['by attribute'],
    step: ({ identity }) => update('Identity', identity, { roleAttributes: [] }),
  },
  {
    name: 'the identity gains the attribute',
    under: ['by attribute'],
    before: ({ identity }) => update('Identity', identity, { roleAttributes: [] }),
    step: ({ identity, tag }) =>
      update('Identity', identity, { roleAttributes: [`${tag}-identity`] }),
  },
  {
    name: 'a service is created',
    under: ['by attribute', 'by #all'],
    step: anotherService('service'),
  },
  { name: 'the service is deleted', step: ({ service }) => remove('Service', service) },
  {
    name: 'the service is renamed',
    step: ({ service, tag }) => update('Service', service, { name: `${tag}-renamed` }),
  },
  {
    name: 'the service loses its attribute',
    under: ['by attribute'],
    step: ({ service }) => update('Service', service, { roleAttributes: [] }),
  },
  {
    name: 'the service gains the attribute',
    under: ['by attribute'],
    before: ({ service }) => update('Service', service, { roleAttributes: [] }),
    step: ({ service, tag }) => update('Service', service, { roleAttributes: [`${tag}-service`] }),
  },
  {
    name: 'the config of the service changes',
    step: ({ config }) => update('Config', config, { data: { port: 8080 } }),
  },
  { name: 'the config of the service is deleted', step: ({ config }) => remove('Config', config) },
  { name: 'an override is added', step: (n) => override(n, n.otherConfig) },
  {
    name: 'the config of an override changes',
    before: (n) => override(n, n.otherConfig),
    step: ({ otherConfig }) => update('Config', otherConfig, { data: { port: 8081 } }),
  },
  {
    name: 'an override is replaced',
    before: (n) => override(n, n.otherConfig),
    step: (n) => override(n, n.config),
  },
  {
    name: 'an override is withdrawn',
    before: (n) => override(n, n.otherConfig),
    step: (n) => withdraw(n),
  },
  {
    name: 'a posture check comes to the policy',
    under: ['by attribute', 'by #all'],
    step: ({ tag }) =>
      controller.create('PostureCheck', {
        name: `${tag}-another`,
        typeId: 'MAC',
        macAddresses: ['00:11:22:33:44:55'],
        roleAttributes: [`${tag}-check`],
      }),
  },
  { name: 'the posture check is deleted', step: ({ check }) => remove('PostureCheck', check) },
  {
    name: 'the posture check changes',
    step: ({ check }) =>
      update('PostureCheck', check, { typeId: 'DOMAIN', domains: ['example.org'] }),
  },
  {
    name: 'the posture check loses its attribute',
    under: ['by attribute'],
    step: ({ check }) => update('PostureCheck', check, { typeId: 'DOMAIN', roleAttributes: [] }),
  },
  { name: 'the device tells something new', step: (n) => submit(n, 'example.com') },
  {
    name: 'posture refuses a session',
    step: async ({ own, service }) => {
      const { errors } = await controller.graph(
        'mutation ($service: ID!) { openSession(input: { serviceId: $service }) { id } }',
        { service },
        own(),
      );
      expect(errors.map((error) => error?.code)).toStrictEqual(['INVALID_POSTURE']);
    },
  },
];

const NON_TRIGGERS: readonly Case[] = [
  { name: 'nothing happens', step: () => Promise.resolve() },
  {
    name: 'the identity is renamed',
    step: ({ identity, tag }) => update('Identity', identity, { name: `${tag}-renamed` }),
  },
  {
    name: 'the identity gains an attribute that no policy names',
    step: ({ identity, tag }) =>
      update('Identity', identity, { roleAttributes: [`${tag}-identity`, 'other'] }),
  },
  {
    name: 'the policy is renamed',
    step: ({ policy, tag }) => update('ServicePolicy', policy, { name: `${tag}-renamed` }),
  },
  {
    name: 'a policy names more that matches nothing',
    under: ['by id', 'by attribute'],
    step: ({ policy, roles: { serviceRoles } }) =>
      update('ServicePolicy', policy, { serviceRoles: [...serviceRoles, '#none'] }),
  },
  {
    name: 'a policy is created for somebody else',
    step: anotherPolicy({ identityRoles: ['#nobody'] }),
  },
  {
    name: 'a policy without services is created',
    step: anotherPolicy({ serviceRoles: ['#none'] }),
  },
  {
    name: 'a service is created that it may not use',
    under: ['by id', 'by attribute'],
    step: anotherService('aside'),
  },
  {
    name: 'a service is deleted that only others may use',
    under: ['by id', 'by attribute'],
    before: ofOthers,
    step: async ({ tag }) => remove('Service', await serviceNamed(`${tag}-another`)),
  },
  {
    name: 'somebody else gains access',
    step: ({ tag }) =>
      controller.create('Identity', {
        ...PERSON,
        name: `${tag}-somebody`,
        roleAttributes: [`${tag}-identity`],
      }),
  },
  {
    name: 'a config is renamed',
    step: ({ config, tag }) => update('Config', config, { name: `${tag}-renamed` }),
  },
  {
    name: 'a config changes that it does not see',
    step: ({ otherConfig }) => update('Config', otherConfig, { data: { port: 1 } }),
  },
  {
    name: 'a posture check changes that no policy of it names',
    before: ({ policy }) => update('ServicePolicy', policy, { postureCheckRoles: [] }),
    step: ({ check }) =>
      update('PostureCheck', check, { typeId: 'DOMAIN', domains: ['example.org'] }),
  },
  {
    name: 'the device says the same again',
    before: (n) => submit(n, 'example.com'),
    step: (n) => submit(n, 'example.com'),
  },
  {
    name: 'an edge router comes',
    step: ({ tag }) => controller.create('EdgeRouter', { name: `${tag}-router` }),
  },
  {
    name: 'an override is added to a service that it may not use',
    before: ({ policy }) => update('ServicePolicy', policy, { serviceRoles: ['#none'] }),
    step: (n) => override(n, n.otherConfig),
  },
  {
    name: 'it logs in once more',
    step: ({ identity }) => controller.openSession(identity),
  },
];

async function run({ before, step }: Case, naming: Naming): Promise<readonly [string, string]> {
  const made = await network(naming);
  await before?.(made);
  const earlier = await lastChange(made);
  now += 1_000;
  await step(made);
  now += 1_000;
  return [earlier, await lastChange(made)];
}

/** So that policies that name everybody and everything concern one case alone. */
afterEach(async () => {
  for (const [resource, list] of [
    ['ServicePolicy', 'servicePolicies'],
    ['Service', 'services'],
    ['PostureCheck', 'postureChecks'],
  ] as const) {
    const found = await controller.read<Record<string, { nodes: { id: string }[] }>>(
      `{ ${list}(first: 500) { nodes { id } } }`,
    );
    for (const { id } of found[list]?.nodes ?? []) await remove(resource, id);
  }
});

const casesUnder = (cases: readonly Case[], naming: Naming): readonly Case[] =>
  cases.filter(({ under = NAMINGS }) => under.includes(naming));

describe.each(NAMINGS)('the services of a client that a policy names %s changed', (naming) => {
  test.each(casesUnder(TRIGGERS, naming))('when $name', async (trigger) => {
    const [before, after] = await run(trigger, naming);
    expect(after > before).toBe(true);
  });

  const deletions: readonly (readonly [string, readonly Step[]])[] = [
    ['its service, then its policy', [theService, thePolicy]],
    ['its policy, then its service', [thePolicy, theService]],
    ['the posture check, then the policy', [theCheck, thePolicy]],
  ];
  test.each(deletions)('when another controller deleted %s', async (_, steps) => {
    const made = await network(naming);
    const log = new StoredChangeLog(controller.parts.database);
    // Not the horizon: transactions of other test files may hold it far back.
    const before = await settledChange(controller);
    const other = await InProcess.start(controller, { now: () => new Date(now) });
    try {
      const times = [];
      for (const step of steps) {
        now += 1_000;
        times.push(new Date(now).toISOString());
        await step(made, other);
      }
      await settledChange(controller);
      // Once either is gone nothing is granted that the other could take away.
      const expected = steps.includes(theCheck) ? times[1] : times[0];
      expect(new Date(await lastChangeAtStart(made)).toISOString()).toBe(expected);
      // Both in one piece, as the feed brings what was written since it looked last.
      const changes = await log.following(before, 100);
      controller.parts.model.learn(changes);
      await controller.parts.store.deliver(changes);
      expect(await lastChange(made)).toBe(expected);
    } finally {
      await other.stop();
    }
  });
});

function theService({ service }: Network, on = controller): Promise<unknown> {
  return remove('Service', service, on);
}

function thePolicy({ policy }: Network, on = controller): Promise<unknown> {
  return remove('ServicePolicy', policy, on);
}

function theCheck({ check }: Network, on = controller): Promise<unknown> {
  return remove('PostureCheck', check, on);
}

/** As a controller derives it that starts now. */
async function lastChangeAtStart({ identity }: Network): Promise<number> {
  const starting = await InProcess.start(controller, { now: () => new Date(now) });
  try {
    const { store, model, database } = starting.parts;
    const log = new StoredChangeLog(database);
    const here = await log.horizon();
    const since = (position: Cursor) => changesBetween(log, position, here);
    const state = await loadAccess(store, model.policies, { here, since }, new Date(now));
    return state.freshness.lastChange(identity);
  } finally {
    await starting.stop();
  }
}

test('the services of a client changed when the clock stands still or goes back, too', async () => {
  const made = await network('by attribute');
  const seen = [await lastChange(made)];
  for (const step of [0, -5_000, 0]) {
    now += step;
    await update('Service', made.service, { maxIdleTimeMillis: seen.length });
    seen.push(await lastChange(made));
  }
  expect(new Set(seen).size).toBe(4);
});

describe.each(NAMINGS)('the services of a client that a policy names %s are the same', (naming) => {
  test.each(casesUnder(NON_TRIGGERS, naming))('when $name', async (trigger) => {
    const [before, after] = await run(trigger, naming);
    expect(after).toBe(before);
  });
});
