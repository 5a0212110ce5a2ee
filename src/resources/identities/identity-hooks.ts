import { cancelRequestsOfIdentitiesIn } from '../../access/requests/index.js';
import { grantableIn } from '../../kernel/declare/grantable.js';
import {
  checkPermissions,
  refuseHigherRights,
  revokeTokensOfIdentity,
  type Rights,
} from '../../trust/auth/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { failure, invalidField } from '../../base/errors.js';
import type { Hooks, Write } from '../../kernel/declare/resource.js';
import type { WrittenOf } from '../../kernel/declare/rows.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { mustExist } from '../../kernel/write/resolve-references.js';
import { deleteIn } from '../../kernel/write/write.js';
import { storeIdleHours } from './idle-hours.js';
import { addIdentityEnrollment } from './new-enrollment.js';
import { endSessionsOutsideTimes, storeTimes } from './timed-identity.js';
import { endedSessions } from '../../data/rows/api-session/index.js';

async function validate(write: Write<'Identity'>): Promise<void> {
  const { ctx, tx, values, current } = write;
  refuseEscalation(write);
  refuseRightsOfPending(write);
  // Consoles send blank for "none"; two blanks must not collide in the unique index.
  if (values.externalId === '') values.externalId = null;
  if (values.authPolicyId === '') values.authPolicyId = 'default';
  if (values.permissions !== undefined) {
    values.permissions = checkPermissions(grantableIn(ctx.catalog), values.permissions);
  }
  checkType(write);
  if (current.isDefaultAdmin === true && values.isAdmin === false) {
    throw invalidField('isAdmin', 'the default administrator stays an administrator', false);
  }
  if (current.typeId === 'Router' && values.name !== undefined && values.name !== current.name) {
    throw invalidField('name', 'the name of a router identity is that of its router', values.name);
  }
  await checkServices(ctx, tx, values);
  await storeTimes(write);
  await storeIdleHours(write);
}

/** Only routers have type Router, for their whole life; any other type in an input means Default. */
function checkType({ verb, values, current }: Write<'Identity'>): void {
  const kind = values.typeId;
  if (kind === undefined) return;
  const isRouter = current.typeId === 'Router';
  if (verb !== 'create' && isRouter !== (kind === 'Router')) {
    throw invalidField('typeId', 'the type of a router identity can not be changed', kind);
  }
  values.typeId = isRouter ? 'Router' : 'Default';
}

/**
 * Only administrators change rights. Other callers may write only identities with no more rights than
 * their own.
 */
function refuseEscalation({ verb, ctx, values, current }: Write<'Identity'>): void {
  if (ctx.caller?.isAdmin !== false) return;
  if (verb === 'replace' || changesRights(values, current)) throw failure('UNAUTHORIZED');
  refuseHigherRights(ctx, rightsOf(current));
}

/** An identity administers nothing before its approval. */
function refuseRightsOfPending({ values, current }: Write<'Identity'>): void {
  const after = { ...current, ...values };
  if (after.isPending !== true) return;
  const reason = 'an identity that waits for its approval has no rights';
  const { isAdmin, permissions } = rightsOf(after);
  if (isAdmin) throw invalidField('isAdmin', reason, isAdmin);
  if (permissions.length > 0) throw invalidField('permissions', reason, permissions);
}

type IdentityValues = WrittenOf<'Identity'>;

/** Gives the rights in values; a new identity has none. */
const rightsOf = ({ isAdmin = false, permissions = [] }: IdentityValues): Rights => ({
  isAdmin,
  permissions,
});

function changesRights(values: IdentityValues, current: IdentityValues): boolean {
  const before = rightsOf(current);
  const after = rightsOf({ ...current, ...values });
  return before.isAdmin !== after.isAdmin || before.permissions.join() !== after.permissions.join();
}

/** Requires that services with costs or precedences exist. */
async function checkServices(
  ctx: RequestContext,
  tx: Transaction,
  { serviceHostingCosts = {}, serviceHostingPrecedences = {} }: IdentityValues,
): Promise<void> {
  const byService = { ...serviceHostingCosts, ...serviceHostingPrecedences };
  await mustExist(ctx, tx, 'Service', Object.keys(byService));
}

async function before(write: Write<'Identity'>): Promise<void> {
  const { verb, ctx, tx, current, id } = write;
  if (verb !== 'delete') return;
  refuseEscalation(write);
  if (current.isDefaultAdmin) throw failure('ENTITY_CAN_NOT_BE_DELETED');
  if (current.typeId === 'Router') await refuseWithRouter(write);
  await revokeTokensOfIdentity(ctx, tx, id);
}

async function refuseWithRouter({ ctx, tx, id }: Write<'Identity'>): Promise<void> {
  const [router] = await tx.find(ctx.catalog.resources.EdgeRouter, { id });
  if (router) throw failure('ENTITY_CAN_NOT_BE_DELETED', 'its router still exists');
}

/** Ends the sessions whose signer or authority does not vouch for the rights of the identity. */
async function endUnvouchedSessions({ ctx, tx, id }: Write<'Identity'>): Promise<void> {
  const ids = await endedSessions.unvouched(tx, id);
  const sessions = ctx.catalog.resources.ApiSession;
  await deleteIn(ctx, tx, sessions, await tx.find(sessions, { id: ids }));
}

/** Adds the enrollment that the input of a new identity asks for. */
async function addRequestedEnrollment({ ctx, tx, id, values }: Write<'Identity'>): Promise<void> {
  if (!values.enrollmentRequest) return;
  const { ott, ottca, updb } = values.enrollmentRequest;
  const plan = { identityId: id };
  if (ott) await addIdentityEnrollment(ctx, tx, { ...plan, method: 'ott' });
  else if (ottca) {
    await addIdentityEnrollment(ctx, tx, { ...plan, method: 'ottca', caId: ottca });
  } else if (updb) {
    await addIdentityEnrollment(ctx, tx, { ...plan, method: 'updb', username: updb });
  }
}

async function after(write: Write<'Identity'>): Promise<void> {
  const { verb, values, current } = write;
  if (verb === 'create') await addRequestedEnrollment(write);
  if (verb === 'create' || verb === 'delete') return;
  await endSessionsOutsideTimes(write);
  if (changesRights(values, current)) await endUnvouchedSessions(write);
}

export const identityHooks: Hooks<'Identity'> = {
  validate,
  before,
  after,
  removed: cancelRequestsOfIdentitiesIn,
};
