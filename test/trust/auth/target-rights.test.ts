import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { permissionOf } from '../../../src/kernel/graph/needs.js';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { callerOf, InProcess } from '../../support/in-process.js';
import { authPolicy } from './client.js';

/**
 * What acts upon an identity, or upon what it logs in with, by every holder of the permission against
 * targets that may do less, as much and more than the holder.
 */

let controller: InProcess;
let count = 0;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

/** An identity to act upon, with one of everything that can be acted upon. */
interface Target {
  readonly identity: string;
  readonly enrollment: string;
  readonly policy: string;
}

interface Act {
  readonly permission: string;
  readonly document: string;
  readonly variables: (target: Target) => Row | Promise<Row>;
}

const byIdentity = ({ identity }: Target): Row => ({ id: identity });
const byEnrollment = ({ enrollment }: Target): Row => ({ id: enrollment });
const byAssignment = async ({ identity }: Target): Promise<Row> => ({
  id: await controller.create('RoleAssignment', { identityId: identity, roleAttribute: 'staff' }),
});
const LATER = '2999-01-01T00:00:00Z';

const update = (input: string): string =>
  `mutation ($id: ID!) { updateIdentity(id: $id, input: ${input}) { id } }`;

/** Act -> what it takes, and how it is done. The name begins with that of its mutation. */
const ACTS: Readonly<Record<string, Act>> = {
  'updateIdentity of tags': {
    permission: 'identity.update',
    document: update('{ tags: { a: "b" } }'),
    variables: byIdentity,
  },
  'updateIdentity of the external id': {
    permission: 'identity.update',
    document:
      'mutation ($id: ID!, $e: String!) { updateIdentity(id: $id, input: { externalId: $e }) { id } }',
    variables: ({ identity }) => ({ id: identity, e: `external-${identity}` }),
  },
  'updateIdentity of the auth policy': {
    permission: 'identity.update',
    document: update('{ authPolicyId: "default" }'),
    variables: byIdentity,
  },
  addIdentityRoleAttributes: {
    permission: 'identity.update',
    document:
      'mutation ($id: ID!) { addIdentityRoleAttributes(id: $id, roleAttributes: ["staff"]) { id } }',
    variables: byIdentity,
  },
  // Of none that the target has: also what changes nothing is refused.
  removeIdentityRoleAttributes: {
    permission: 'identity.update',
    document:
      'mutation ($id: ID!) { removeIdentityRoleAttributes(id: $id, roleAttributes: ["none"]) { id } }',
    variables: byIdentity,
  },
  deleteIdentity: {
    permission: 'identity.delete',
    document: 'mutation ($id: ID!) { deleteIdentity(id: $id) }',
    variables: byIdentity,
  },
  createRoleAssignment: {
    permission: 'identity.update',
    document:
      'mutation ($id: ID!) { createRoleAssignment(input: { identityId: $id, roleAttribute: "staff" }) { id } }',
    variables: byIdentity,
  },
  updateRoleAssignment: {
    permission: 'identity.update',
    document: `mutation ($id: ID!) { updateRoleAssignment(id: $id, input: { activeUntil: "${LATER}" }) { id } }`,
    variables: byAssignment,
  },
  replaceRoleAssignment: {
    permission: 'identity.update',
    document: `mutation ($id: ID!) { replaceRoleAssignment(id: $id, input: { activeUntil: "${LATER}" }) { id } }`,
    variables: byAssignment,
  },
  deleteRoleAssignment: {
    permission: 'identity.update',
    document: 'mutation ($id: ID!) { deleteRoleAssignment(id: $id) }',
    variables: byAssignment,
  },
  disableIdentity: {
    permission: 'identity.update',
    document: 'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 5) { id } }',
    variables: byIdentity,
  },
  enableIdentity: {
    permission: 'identity.update',
    document: 'mutation ($id: ID!) { enableIdentity(id: $id) { id } }',
    variables: byIdentity,
  },
  removeIdentityMfa: {
    permission: 'identity.update',
    document: 'mutation ($id: ID!) { removeIdentityMfa(id: $id) }',
    variables: byIdentity,
  },
  associateServiceConfigs: {
    permission: 'identity.update',
    document: 'mutation ($id: ID!) { associateServiceConfigs(id: $id, configs: []) }',
    variables: byIdentity,
  },
  disassociateServiceConfigs: {
    permission: 'identity.update',
    document: 'mutation ($id: ID!) { disassociateServiceConfigs(id: $id) }',
    variables: byIdentity,
  },
  createEnrollment: {
    permission: 'enrollment.create',
    document: `mutation ($id: ID!) { createEnrollment(input: { identityId: $id, method: ott, expiresAt: "${LATER}" }) { id } }`,
    variables: byIdentity,
  },
  refreshEnrollment: {
    permission: 'enrollment.update',
    document: `mutation ($id: ID!) { refreshEnrollment(id: $id, expiresAt: "${LATER}") { id } }`,
    variables: byEnrollment,
  },
  deleteEnrollment: {
    permission: 'enrollment.delete',
    document: 'mutation ($id: ID!) { deleteEnrollment(id: $id) }',
    variables: byEnrollment,
  },
  updateAuthPolicy: {
    permission: 'auth-policy.update',
    document:
      'mutation ($id: ID!) { updateAuthPolicy(id: $id, input: { secondary: { requireTotp: false } }) { id } }',
    variables: ({ policy }) => ({ id: policy }),
  },
  replaceAuthPolicy: {
    permission: 'auth-policy.update',
    document:
      'mutation ($id: ID!, $input: ReplaceAuthPolicyInput!) { replaceAuthPolicy(id: $id, input: $input) { id } }',
    variables: ({ policy }) => ({
      id: policy,
      input: { ...authPolicy({}), name: `policy ${policy}` },
    }),
  },
};

/** Mutations of these permissions that act upon no identity that others know, with the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  createIdentity: 'makes identities without rights alone',
  approveIdentity: 'acts upon identities that are pending, which have no rights',
  replaceIdentity: 'is for administrators, since it sets the rights',
  createAuthPolicy: 'makes a policy that nobody has yet',
  deleteAuthPolicy: 'deletes only what nobody has',
  traceIdentity: 'changes what is logged, and shows nothing',
};

async function newTarget(rights: Row): Promise<Target> {
  count += 1;
  const name = `target ${String(count)}`;
  const policy = await controller.create('AuthPolicy', { ...authPolicy({}), name });
  const identity = await controller.create('Identity', {
    name,
    type: 'Default',
    isAdmin: false,
    authPolicyId: policy,
    enrollment: { updb: `target${String(count)}` },
    ...rights,
  });
  const [row] = await controller.parts.store.query(
    sql<{ id: string }>`select id from enrollment where identity_id = ${identity}::text`,
  );
  return { identity, policy, enrollment: String(row?.id) };
}

/** Beside the permission to act, every holder has this one. */
const BESIDE = 'config.read';

/** Kind of target -> its rights, against a holder of `permission` and `config.read`. */
const LET_IN: Readonly<Record<string, (permission: string) => Row>> = {
  'without rights': () => ({}),
  'with a part of the rights': () => ({ permissions: [BESIDE] }),
  'with the same rights': (permission) => ({ permissions: [permission, BESIDE] }),
};
const REFUSED: Readonly<Record<string, (permission: string) => Row>> = {
  'with one permission more': (permission) => ({ permissions: [permission, BESIDE, 'ca.read'] }),
  'with another permission alone': () => ({ permissions: ['ops.delete'] }),
  'with all actions of the entity': (permission) => ({ permissions: [permission.split('.')[0]] }),
  'that may read everything': () => ({ permissions: ['admin_readonly'] }),
  'that is an administrator': () => ({ isAdmin: true }),
};

async function outcome({ document, variables, permission }: Act, rights: Row): Promise<string> {
  const target = await newTarget(rights);
  const caller = callerOf('somebody', permission, BESIDE);
  const ctx = controller.ctx(caller);
  const { errors } = await controller.graph(document, await variables(target), ctx);
  return errors.map((error) => error?.code).join() || 'let in';
}

describe.each(Object.keys(ACTS))('%s', (name) => {
  const act = ACTS[name] as Act;

  test.each(Object.keys(LET_IN))('reaches an identity %s', async (kind) => {
    expect(await outcome(act, LET_IN[kind]?.(act.permission) ?? {})).toBe('let in');
  });

  test.each(Object.keys(REFUSED))('does not reach an identity %s', async (kind) => {
    expect(await outcome(act, REFUSED[kind]?.(act.permission) ?? {})).toBe('UNAUTHORIZED');
  });
});

test('these are all mutations that identities, enrollments and auth policies have', () => {
  const mutations = Object.values(controller.schema.getMutationType()?.getFields() ?? {});
  const acting = mutations.filter((field) => {
    const permission = permissionOf(field);
    return (
      permission?.need === 'entity' &&
      ['identity', 'enrollment', 'auth-policy'].includes(permission.entity)
    );
  });
  const known = [...Object.keys(ACTS).map((act) => act.split(' ')[0]), ...Object.keys(EXEMPT)];
  expect(acting.map(({ name }) => name).sort()).toStrictEqual([...new Set(known)].sort());
});
