import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Caller, RequestContext } from '../../src/kernel/context.js';
import { callerOf, InProcess } from '../support/in-process.js';

/** What moves the time that clients compare, and what does not. */

const START = Date.parse('2026-03-01T08:00:00.000Z');

let now = START;
let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start(undefined, { now: () => new Date(now) });
});
afterAll(() => controller.stop());

const PERSON = { type: 'Default', isAdmin: false };

/** Somebody who may dial one service, by attributes throughout, with a check that its policy names. */
interface Network {
  readonly own: () => RequestContext;
  readonly tag: string;
  readonly identity: string;
  readonly service: string;
  readonly policy: string;
  readonly check: string;
  readonly config: string;
  readonly otherConfig: string;
  readonly configType: string;
}

let count = 0;

async function network(): Promise<Network> {
  count += 1;
  const tag = `n${String(count)}`;
  const configType = await controller.create('ConfigType', { name: `${tag}-type` });
  const config = await controller.create('Config', {
    name: `${tag}-config`,
    configTypeId: configType,
    data: { port: 80 },
  });
  const otherConfig = await controller.create('Config', {
    name: `${tag}-other-config`,
    configTypeId: configType,
    data: { port: 81 },
  });
  const check = await controller.create('PostureCheck', {
    name: `${tag}-check`,
    typeId: 'DOMAIN',
    domains: ['example.com'],
    roleAttributes: [`${tag}-check`],
  });
  const service = await controller.create('Service', {
    name: `${tag}-service`,
    encryptionRequired: true,
    roleAttributes: [`${tag}-service`],
    configs: [config],
  });
  const identity = await controller.create('Identity', {
    ...PERSON,
    name: `${tag}-identity`,
    roleAttributes: [`${tag}-identity`],
  });
  const policy = await controller.create('ServicePolicy', {
    name: `${tag}-policy`,
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: [`#${tag}-identity`],
    serviceRoles: [`#${tag}-service`],
    postureCheckRoles: [`#${tag}-check`],
  });
  const { id } = await controller.openSession(identity);
  const caller: Caller = { ...callerOf(identity), apiSessionId: id };
  now += 1_000;
  return {
    own: () => controller.ctx(caller),
    tag,
    identity,
    service,
    policy,
    check,
    config,
    otherConfig,
    configType,
  };
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

const remove = (resource: string, id: string): Promise<unknown> =>
  controller.read(`mutation ($id: ID!) { delete${resource}(id: $id) }`, { id });

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
      services { id } } }`,
    { domain },
    own(),
  );

type Step = (network: Network) => Promise<unknown>;

/** What comes before the step that counts. */
interface Case {
  readonly name: string;
  readonly before?: Step;
  readonly step: Step;
}

const anotherPolicy =
  (roles: object): Step =>
  ({ tag }) =>
    controller.create('ServicePolicy', {
      name: `${tag}-another`,
      type: 'Bind',
      semantic: 'AnyOf',
      identityRoles: [`#${tag}-identity`],
      serviceRoles: [`#${tag}-service`],
      ...roles,
    });

const anotherService =
  (attribute: string): Step =>
  ({ tag }) =>
    controller.create('Service', {
      name: `${tag}-another`,
      encryptionRequired: true,
      roleAttributes: [`${tag}-${attribute}`],
    });

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
    step: ({ policy, identity }) =>
      update('ServicePolicy', policy, { identityRoles: [`@${identity}`] }),
  },
  {
    name: 'a policy loses the service',
    step: ({ policy }) => update('ServicePolicy', policy, { serviceRoles: ['#none'] }),
  },
  {
    name: 'a policy gains a service',
    before: anotherService('aside'),
    step: ({ policy, tag }) =>
      update('ServicePolicy', policy, { serviceRoles: [`#${tag}-service`, `#${tag}-aside`] }),
  },
  {
    name: 'a policy loses a posture check',
    step: ({ policy }) => update('ServicePolicy', policy, { postureCheckRoles: [] }),
  },
  {
    name: 'a policy gains a posture check',
    before: ({ policy }) => update('ServicePolicy', policy, { postureCheckRoles: [] }),
    step: ({ policy, check }) =>
      update('ServicePolicy', policy, { postureCheckRoles: [`@${check}`] }),
  },
  {
    name: 'the identity loses its attribute',
    step: ({ identity }) => update('Identity', identity, { roleAttributes: [] }),
  },
  {
    name: 'the identity gains the attribute',
    before: ({ identity }) => update('Identity', identity, { roleAttributes: [] }),
    step: ({ identity, tag }) =>
      update('Identity', identity, { roleAttributes: [`${tag}-identity`] }),
  },
  { name: 'a service is created', step: anotherService('service') },
  { name: 'the service is deleted', step: ({ service }) => remove('Service', service) },
  {
    name: 'the service is renamed',
    step: ({ service, tag }) => update('Service', service, { name: `${tag}-renamed` }),
  },
  {
    name: 'the service loses its attribute',
    step: ({ service }) => update('Service', service, { roleAttributes: [] }),
  },
  {
    name: 'the service gains the attribute',
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
    step: ({ policy, tag }) =>
      update('ServicePolicy', policy, { serviceRoles: [`#${tag}-service`, '#none'] }),
  },
  {
    name: 'a policy is created for somebody else',
    step: anotherPolicy({ identityRoles: ['#nobody'] }),
  },
  {
    name: 'a policy without services is created',
    step: anotherPolicy({ serviceRoles: ['#none'] }),
  },
  { name: 'a service is created that it may not use', step: anotherService('aside') },
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
    before: ({ service }) => update('Service', service, { roleAttributes: [] }),
    step: (n) => override(n, n.otherConfig),
  },
  {
    name: 'it logs in once more',
    step: ({ identity }) => controller.openSession(identity),
  },
];

async function run({ before, step }: Case): Promise<readonly [string, string]> {
  const made = await network();
  await before?.(made);
  const earlier = await lastChange(made);
  now += 1_000;
  await step(made);
  now += 1_000;
  return [earlier, await lastChange(made)];
}

describe('the services of a client changed', () => {
  test.each(TRIGGERS)('when $name', async (trigger) => {
    const [before, after] = await run(trigger);
    expect(after > before).toBe(true);
  });

  test('when the clock stands still or goes back, too', async () => {
    const made = await network();
    const seen = [await lastChange(made)];
    for (const step of [0, -5_000, 0]) {
      now += step;
      await update('Service', made.service, { maxIdleTimeMillis: seen.length });
      seen.push(await lastChange(made));
    }
    expect(new Set(seen).size).toBe(4);
  });
});

describe('the services of a client are what they were', () => {
  test.each(NON_TRIGGERS)('when $name', async (trigger) => {
    const [before, after] = await run(trigger);
    expect(after).toBe(before);
  });
});
