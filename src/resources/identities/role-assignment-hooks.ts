import { stateAt, storeAssignedAttributes } from '../../access/assignments/index.js';
import { failure, invalidField } from '../../base/errors.js';
import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import { clock } from '../../data/rows/clock/index.js';
import type { Hooks, Write } from '../../kernel/declare/resource.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import { normaliseAttributes } from '../../kernel/policy/index.js';
import { refuseHigherRights } from '../../trust/auth/index.js';

const { HAND } = roleAssignments;

/** An assignment changes the identity: its writer has no fewer rights than the identity. */
async function lockIdentity(
  write: Write<'RoleAssignment'>,
): Promise<RowOf<'Identity'> | undefined> {
  const { ctx, tx, values, current } = write;
  const id = current.identityId ?? values.identityId ?? '';
  const identity = await tx.lockRow(ctx.catalog.resources.Identity, id);
  if (identity) refuseHigherRights(ctx, identity);
  return identity;
}

function refuseOtherSource({ current, verb }: Write<'RoleAssignment'>): void {
  if (current.source === undefined || current.source === HAND) return;
  const code = verb === 'delete' ? 'ENTITY_CAN_NOT_BE_DELETED' : 'ENTITY_CAN_NOT_BE_UPDATED';
  throw failure(code, `only its source ${current.source} writes it`);
}

async function validate(write: Write<'RoleAssignment'>): Promise<void> {
  const { tx, values, current } = write;
  refuseOtherSource(write);
  if (values.roleAttribute !== undefined) {
    normaliseAttributes('roleAttribute', [values.roleAttribute]);
  }
  await lockIdentity(write);
  const now = await clock.now(tx);
  values.activeFrom ??= current.activeFrom ?? now;
  const { activeFrom, activeUntil = current.activeUntil ?? null } = values;
  if (activeUntil !== null && activeUntil <= activeFrom) {
    throw invalidField('activeUntil', 'must be after activeFrom', activeUntil);
  }
  values.state = stateAt(now, { activeFrom, activeUntil });
}

/** Runs after references are resolved, because the requester comes from the session. */
async function before(write: Write<'RoleAssignment'>): Promise<void> {
  const { verb, ctx, values } = write;
  if (verb === 'create') {
    values.source = HAND;
    values.requestedById = ctx.caller?.identityId ?? null;
  }
  if (verb !== 'delete') return;
  refuseOtherSource(write);
  await lockIdentity(write);
}

async function after({ ctx, tx, values, current }: Write<'RoleAssignment'>): Promise<void> {
  const id = current.identityId ?? values.identityId ?? '';
  const identity = await tx.lockRow(ctx.catalog.resources.Identity, id);
  if (identity) await storeAssignedAttributes(tx, ctx.catalog, [identity]);
}

export const roleAssignmentHooks: Hooks<'RoleAssignment'> = { validate, before, after };
