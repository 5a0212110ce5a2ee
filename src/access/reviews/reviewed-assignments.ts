import { failure, invalidField } from '../../base/errors.js';
import { accessRequests } from '../../data/rows/access-request/index.js';
import { clock } from '../../data/rows/clock/index.js';
import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import { may, permit } from '../../kernel/declare/permissions.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import { parseRoles } from '../../kernel/policy/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { changeIn, removeIn } from '../../kernel/write/write.js';
import { renewGrantIn, revokeAccessIn } from '../requests/index.js';

/*
 * A decision of a review may give another end to the role assignments on which the access rests: to those by hand and
 * to grants of access requests. Other sources decide on theirs alone.
 */

/** The access that a decision is about. */
export interface AssignedAccess {
  readonly identityId: string;
  /** The policies that granted it when the review began. */
  readonly policyIds: readonly string[];
  /** The place of the decision in the input. */
  readonly place: string;
}

type Assignment = RowOf<'RoleAssignment'>;

/**
 * Lets the assignments that have an end last longer.
 * @throws ApiError UNAUTHORIZED for own access, COULD_NOT_VALIDATE
 */
export async function renewAssignmentsIn(
  ctx: RequestContext,
  tx: Transaction,
  access: AssignedAccess,
  until: Date,
): Promise<void> {
  const { identityId, place } = access;
  const field = `${place}.renewUntil`;
  if (identityId === ctx.caller?.identityId) throw failure('UNAUTHORIZED');
  if (until <= (await clock.now(tx))) throw invalidField(field, 'must be in the future', until);
  const identity = await tx.lockRow(ctx.catalog.resources.Identity, identityId);
  const all = await assignmentsIn(ctx, tx, access);
  const ending = all.filter(({ activeUntil }) => activeUntil !== null);
  if (!identity || ending.length === 0) throw restsOnNone(field, until);
  if (!ending.some((assignment) => endsUntil(assignment, until))) {
    throw invalidField(field, 'must not be before the present end', until);
  }
  for (const assignment of ending.filter((each) => endsBefore(each, until))) {
    const requestId = accessRequests.requestOf(assignment.source);
    if (requestId === undefined) await renewByHandIn(ctx, tx, assignment, until);
    else await renewGrantIn(ctx, tx, { requestId, assignment, identity, until, field });
  }
}

const endsUntil = ({ activeUntil }: Assignment, until: Date): boolean =>
  activeUntil !== null && activeUntil <= until;

const endsBefore = ({ activeUntil }: Assignment, until: Date): boolean =>
  activeUntil !== null && activeUntil < until;

async function renewByHandIn(
  ctx: RequestContext,
  tx: Transaction,
  { id }: Assignment,
  until: Date,
): Promise<void> {
  const { RoleAssignment } = ctx.catalog.resources;
  permit(ctx, may('identity', 'update'));
  await changeIn(ctx, tx, RoleAssignment, 'update', id, { activeUntil: until.toISOString() });
}

/** Ends the assignments now, also those without an end. */
export async function endAssignmentsIn(
  ctx: RequestContext,
  tx: Transaction,
  access: AssignedAccess,
  comment: string | null | undefined,
): Promise<void> {
  const assignments = await assignmentsIn(ctx, tx, access);
  if (assignments.length === 0) throw restsOnNone(`${access.place}.endsAssignments`, true);
  for (const { id, source } of assignments) {
    const requestId = accessRequests.requestOf(source);
    if (requestId === undefined) {
      permit(ctx, may('identity', 'update'));
      await removeIn(ctx, tx, ctx.catalog.resources.RoleAssignment, id);
    } else await revokeAccessIn(ctx, tx, { id: requestId, comment });
  }
}

const restsOnNone = (field: string, value: unknown): Error =>
  invalidField(field, 'the access rests on no role assignment that a review can end', value);

/** Those that give the identity attributes by which the policies select it now, and that a review may end. */
async function assignmentsIn(
  { catalog }: RequestContext,
  tx: Transaction,
  { identityId, policyIds }: AssignedAccess,
): Promise<readonly Assignment[]> {
  const { RoleAssignment, ServicePolicy } = catalog.resources;
  const policies = await tx.find(ServicePolicy, { id: [...policyIds] });
  const attributes = new Set(
    policies.flatMap(({ identityRoles }) => parseRoles(identityRoles).attributes),
  );
  const match = { identityId, roleAttribute: [...attributes], state: 'ACTIVE' } as const;
  const active = await tx.find(RoleAssignment, match);
  return active.filter(
    ({ source }) =>
      source === roleAssignments.HAND || accessRequests.requestOf(source) !== undefined,
  );
}
