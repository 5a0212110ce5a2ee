import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RequestContext } from '../../src/kernel/request/context.js';
import { callerOf, InProcess, type GraphAnswer } from '../support/in-process.js';

/** Kinds of callers against what they ask of three resources. */

let controller: InProcess;
let self: string;
let other: string;
let administrator: string;
let hidden: string;
let policy: string;
const granted: Record<string, string> = {};

beforeAll(async () => {
  controller = await InProcess.start();
  const person = { type: 'Default', isAdmin: false };
  self = await controller.create('Identity', { ...person, name: 'self', roleAttributes: ['me'] });
  other = await controller.create('Identity', { ...person, name: 'other' });
  administrator = await controller.create('Identity', { ...person, name: 'root', isAdmin: true });
  for (const name of ['dialled', 'bound']) {
    granted[name] = await controller.create('Service', { name, encryptionRequired: true });
  }
  hidden = await controller.create('Service', { name: 'hidden', encryptionRequired: true });
  policy = await controller.create('ServicePolicy', {
    name: 'dial',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#me'],
    serviceRoles: [`@${String(granted.dialled)}`],
  });
  await controller.create('ServicePolicy', {
    name: 'bind',
    type: 'Bind',
    semantic: 'AnyOf',
    identityRoles: [`@${self}`],
    serviceRoles: [`@${String(granted.bound)}`],
  });
});
afterAll(() => controller.stop());

const CALLERS: Readonly<Record<string, () => RequestContext>> = {
  anonymous: () => controller.anonymous(),
  plain: () => controller.ctx(callerOf(self)),
  admin_readonly: () => controller.ctx(callerOf(self, 'admin_readonly')),
  identity: () => controller.ctx(callerOf(self, 'identity')),
  'identity.read': () => controller.ctx(callerOf(self, 'identity.read')),
  'service.update': () => controller.ctx(callerOf(self, 'service.update')),
  admin: () => controller.ctx(),
};

const OPERATIONS: Readonly<Record<string, () => [document: string, variables?: object]>> = {
  'lists identities': () => [
    '{ identities(orderBy: { field: name }) { nodes { name } totalCount } }',
  ],
  'reads itself': () => ['query ($id: ID!) { identity(id: $id) { name } }', { id: self }],
  'reads another identity': () => [
    'query ($id: ID!) { identity(id: $id) { name } }',
    { id: other },
  ],
  'creates an identity': () => [
    'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { isAdmin } }',
    { input: { name: `new-${String(Math.random())}`, type: 'Default', isAdmin: false } },
  ],
  'updates an identity': () => [
    'mutation ($id: ID!) { updateIdentity(id: $id, input: { tags: {} }) { name } }',
    { id: other },
  ],
  'updates itself': () => [
    'mutation ($id: ID!) { updateIdentity(id: $id, input: { tags: {} }) { name } }',
    { id: self },
  ],
  'deletes an unknown identity': () => ['mutation { deleteIdentity(id: "nobody") }'],
  'lists services': () => ['{ services(orderBy: { field: name }) { nodes { name } totalCount } }'],
  'reads a service that it may dial': () => [
    'query ($id: ID!) { service(id: $id) { name } }',
    { id: granted.dialled },
  ],
  'reads a service that it may not dial': () => [
    'query ($id: ID!) { service(id: $id) { name } }',
    { id: hidden },
  ],
  'updates a service': () => [
    'mutation ($id: ID!) { updateService(id: $id, input: { tags: {} }) { name } }',
    { id: hidden },
  ],
  'lists service policies': () => [
    '{ servicePolicies(orderBy: { field: name }) { nodes { name } totalCount } }',
  ],
  'reads a service policy': () => [
    'query ($id: ID!) { servicePolicy(id: $id) { name } }',
    { id: policy },
  ],
  'deletes an unknown service policy': () => ['mutation { deleteServicePolicy(id: "nothing") }'],
};

/** An error code, or what is shown. */
const outcome = ({ data, errors }: GraphAnswer): unknown => {
  if (errors.length > 0) return errors.map((e) => e?.code).join();
  const [result] = Object.values(data ?? {}) as Record<string, unknown>[];
  if (result && 'nodes' in result) {
    const names = (result.nodes as { name: string }[]).map((n) => n.name);
    expect(result.totalCount).toBe(names.length);
    return names.filter((name) => !name.startsWith('new-')).join(' ');
  }
  return 'ok';
};

const NO = 'UNAUTHORIZED';
const ALL_IDENTITIES = 'admin other root self';

/** Operation -> outcome by caller, in the order of `CALLERS`. */
const MATRIX: Readonly<Record<string, readonly string[]>> = {
  'lists identities': [
    NO,
    'self',
    ALL_IDENTITIES,
    ALL_IDENTITIES,
    ALL_IDENTITIES,
    'self',
    ALL_IDENTITIES,
  ],
  'reads itself': [NO, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok'],
  'reads another identity': [NO, 'NOT_FOUND', 'ok', 'ok', 'ok', 'NOT_FOUND', 'ok'],
  'creates an identity': [NO, NO, NO, 'ok', NO, NO, 'ok'],
  'updates an identity': [NO, NO, NO, 'ok', NO, NO, 'ok'],
  'updates itself': [NO, NO, NO, 'ok', NO, NO, 'ok'],
  'deletes an unknown identity': [NO, NO, NO, 'NOT_FOUND', NO, NO, 'NOT_FOUND'],
  'lists services': [
    NO,
    'bound dialled',
    'bound dialled hidden',
    'bound dialled',
    'bound dialled',
    'bound dialled',
    'bound dialled hidden',
  ],
  'reads a service that it may dial': [NO, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok'],
  'reads a service that it may not dial': [
    NO,
    'NOT_FOUND',
    'ok',
    'NOT_FOUND',
    'NOT_FOUND',
    'NOT_FOUND',
    'ok',
  ],
  'updates a service': [NO, NO, NO, NO, NO, 'ok', 'ok'],
  'lists service policies': [NO, NO, 'bind dial', NO, NO, NO, 'bind dial'],
  'reads a service policy': [NO, NO, 'ok', NO, NO, NO, 'ok'],
  'deletes an unknown service policy': [NO, NO, NO, NO, NO, NO, 'NOT_FOUND'],
};

describe.each(Object.entries(MATRIX))('who %s', (operation, outcomes) => {
  test.each(Object.keys(CALLERS).map((kind, i) => [kind, outcomes[i]] as const))(
    '%s: %s',
    async (kind, expected) => {
      const [document, variables] = OPERATIONS[operation]?.() ?? [''];
      const ctx = CALLERS[kind]?.();
      expect(outcome(await controller.graph(document, { ...variables }, ctx))).toBe(expected);
    },
  );
});

describe('what hangs on an entity', () => {
  const read = (document: string, kind: string, id: string): Promise<GraphAnswer> =>
    controller.graph(document, { id }, CALLERS[kind]?.());

  test('a reference shows id and name to whoever sees the entity, and no more', async () => {
    const bare = await read(
      'query ($id: ID!) { identity(id: $id) { authPolicy { __typename id name } type { name } } }',
      'plain',
      self,
    );
    expect(bare.data).toStrictEqual({
      identity: {
        authPolicy: { __typename: 'AuthPolicy', id: 'default', name: 'Default' },
        type: { name: 'Default' },
      },
    });
    const more = await read(
      'query ($id: ID!) { identity(id: $id) { authPolicy { primary { cert { allowed } } } } }',
      'plain',
      self,
    );
    expect(outcome(more)).toBe(NO);
    expect(JSON.stringify(more.data)).not.toContain('allowed');
  });

  test.each([
    ['edgeRouters { totalCount }', NO],
    ['servicePolicies { totalCount }', NO],
    ['edgeRouterPolicies { totalCount }', NO],
    ['enrollments { totalCount }', NO],
    ['enrollments { nodes { token } }', NO],
    ['services { totalCount }', 'ok'],
    ['sessions { totalCount }', 'ok'],
  ])('a plain identity asks itself for %s: %s', async (field, expected) => {
    const answer = await read(
      `query ($id: ID!) { identity(id: $id) { name ${field} } }`,
      'plain',
      self,
    );
    expect(outcome(answer)).toBe(expected);
  });

  test.each([
    ['identity.read', 'identity', 'services { totalCount }', NO],
    ['identity.read', 'identity', 'name services { nodes { name } }', NO],
    ['identity.read', 'identity', 'services(type: Dial) { totalCount }', NO],
    ['identity.read', 'identity', 'sessions { totalCount }', NO],
    ['identity.read', 'identity', 'apiSessions { totalCount }', NO],
    ['identity.read', 'identity', 'edgeRouters { totalCount }', NO],
    ['service.read', 'service', 'identities { totalCount }', NO],
    ['service-policy.read', 'servicePolicy', 'services { totalCount }', NO],
    ['service-policy.read', 'servicePolicy', 'identities { nodes { name } }', NO],
    [
      'service.read',
      'service',
      'clientTerminators { totalCount } clientEdgeRouters { totalCount }',
      'ok',
    ],
    ['service.read', 'identity', 'services { totalCount }', 'ok'],
    ['admin_readonly', 'identity', 'services { totalCount } sessions { totalCount }', 'ok'],
  ])(
    'a holder of %s alone asks another %s for %s: %s',
    async (permission, single, field, expected) => {
      const ids: Record<string, string> = {
        identity: other,
        service: hidden,
        servicePolicy: policy,
      };
      const document = `query ($id: ID!) { ${single}(id: $id) { ${field} } }`;
      const ctx = controller.ctx(callerOf(self, permission));
      const answer = await controller.graph(document, { id: ids[single] }, ctx);
      expect(outcome(answer)).toBe(expected);
    },
  );

  test('a holder of identity.read sees of itself what it sees without it', async () => {
    const document = `{ currentIdentity { services { totalCount } sessions { totalCount }
      authenticatorsConnection { totalCount } apiSessions { totalCount } } }`;
    const plain = await read(document, 'plain', self);
    expect(plain.errors).toStrictEqual([]);
    const { data } = await read(document, 'identity.read', self);
    expect(data).toStrictEqual(plain.data);
  });

  test('a list below each of many entities is refused as well', async () => {
    const document = '{ identities { nodes { services { totalCount } } } }';
    expect(outcome(await read(document, 'identity.read', self))).toBe(NO);
  });

  test('a service that it may dial does not show who else may', async () => {
    const answer = await read(
      'query ($id: ID!) { service(id: $id) { identities { nodes { name } totalCount } } }',
      'plain',
      String(granted.dialled),
    );
    expect(answer.data).toStrictEqual({
      service: { identities: { nodes: [{ name: 'self' }], totalCount: 1 } },
    });
  });

  test('a list below an entity takes the permission of what it lists, not that of the entity', async () => {
    const members = 'query ($id: ID!) { servicePolicy(id: $id) { identities { nodes { name } } } }';
    expect((await read(members, 'identity.read', policy)).data).toStrictEqual({
      servicePolicy: { identities: { nodes: [{ name: 'self' }] } },
    });
    for (const kind of ['plain', 'service.update', 'anonymous']) {
      expect([kind, outcome(await read(members, kind, policy))]).toStrictEqual([kind, NO]);
      // No word on whether it exists.
      expect([kind, outcome(await read(members, kind, 'nothing'))]).toStrictEqual([kind, NO]);
    }
    const named = 'query ($id: ID!) { servicePolicy(id: $id) { name identities { totalCount } } }';
    expect(outcome(await read(named, 'identity.read', policy))).toBe(NO);
  });

  test.each([
    ['{ services(filter: "anyOf(identities.name) = \\"other\\"") { totalCount } }'],
    ['{ services(where: { identities: { some: { name: { eq: "other" } } } }) { totalCount } }'],
    ['{ services(filter: "isEmpty(servicePolicies)") { totalCount } }'],
    ['{ services(where: { servicePolicies: { count: { gt: 0 } } }) { totalCount } }'],
    [
      '{ services(filter: "not isEmpty(from identities where name = \\"other\\")") { totalCount } }',
    ],
  ])('a filter over what the caller may not read is refused: %s', async (document) => {
    expect(outcome(await controller.graph(document, {}, CALLERS.plain?.()))).toBe(NO);
    expect((await controller.graph(document)).errors).toStrictEqual([]);
  });
});

describe('holders of `identity`', () => {
  const CREATE = 'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { id } }';
  const UPDATE =
    'mutation ($id: ID!, $input: UpdateIdentityInput!) { updateIdentity(id: $id, input: $input) { id } }';

  test.each([
    [
      'create an administrator',
      CREATE,
      () => ({ input: { name: 'x1', type: 'Default', isAdmin: true } }),
    ],
    [
      'create an identity with permissions',
      CREATE,
      () => ({ input: { name: 'x2', type: 'Default', isAdmin: false, permissions: ['service'] } }),
    ],
    ['make itself an administrator', UPDATE, () => ({ id: self, input: { isAdmin: true } })],
    ['give itself permissions', UPDATE, () => ({ id: self, input: { permissions: ['ops'] } })],
    ['touch an administrator', UPDATE, () => ({ id: administrator, input: { tags: {} } })],
    [
      'delete an administrator',
      'mutation ($id: ID!) { deleteIdentity(id: $id) }',
      () => ({ id: administrator }),
    ],
    [
      'disable an administrator',
      'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 1) { id } }',
      () => ({ id: administrator }),
    ],
    [
      'replace an identity',
      'mutation ($id: ID!) { replaceIdentity(id: $id, input: { name: "y", type: Default, isAdmin: false }) { id } }',
      () => ({ id: other }),
    ],
    [
      'prepare an enrollment for an administrator',
      'mutation ($id: ID!) { createEnrollment(input: { identityId: $id, method: ott, expiresAt: "2999-01-01T00:00:00Z" }) { id } }',
      () => ({ id: administrator }),
    ],
  ])('may not %s', async (_, document, variables) => {
    const ctx = controller.ctx(callerOf(self, 'identity', 'enrollment'));
    expect(outcome(await controller.graph(document, variables(), ctx))).toBe(NO);
  });
});
