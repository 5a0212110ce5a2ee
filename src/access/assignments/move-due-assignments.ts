import { idOf } from '../../base/row.js';
import { together } from '../../base/together.js';
import { clock } from '../../data/rows/clock/index.js';
import { roleAssignments, type DueAssignment } from '../../data/rows/role-assignment/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { originOf, patchIn } from '../../kernel/write/write.js';
import { stateAt, storeAssignedAttributes } from './assigned-attributes.js';
import { isRuleViolation } from './is-rule-violation.js';

/** Identities of one step: few enough that reads wait for it no longer than for a page. */
const MAX_IDENTITIES = 20;

/** The outcome of one step. */
export interface MovedAssignments {
  /** How many assignments have begun or ended. */
  readonly count: number;
  /** The assignments that an access rule keeps from beginning. */
  readonly refusedIds: readonly string[];
}

/**
 * Begins and ends assignments of some identities whose time has come. Several controllers may do so at once. What ends
 * and begins for an identity at the same time changes in one transaction, so that access which goes on is not lost.
 * @param except the ids of assignments to leave out
 */
export async function moveDueAssignments(
  ctx: RequestContext,
  except: readonly string[],
): Promise<MovedAssignments> {
  const due = await roleAssignments.due(ctx.store, { except, maxIdentities: MAX_IDENTITIES });
  const beginners = new Set(due.filter(({ begins }) => begins).map(({ identityId }) => identityId));
  const ending = due.filter(({ identityId }) => !beginners.has(identityId));
  const beginning = due.filter(({ identityId }) => beginners.has(identityId));
  const ended = await end(ctx, ending);
  const { count, refusedIds } = await beginTogether(ctx, beginning, beginners);
  return { count: ended + count, refusedIds };
}

/** The end was decided with the assignment: no access rule delays it. */
const end = (ctx: RequestContext, due: readonly DueAssignment[]): Promise<number> =>
  move(ctx, due, { reason: 'role assignments have ended', overridesRules: true });

/** A beginning respects access rules. */
const begin = (ctx: RequestContext, due: readonly DueAssignment[]): Promise<number> =>
  move(ctx, due, { reason: 'role assignments have begun', overridesRules: false });

async function beginTogether(
  ctx: RequestContext,
  due: readonly DueAssignment[],
  identityIds: ReadonlySet<string>,
): Promise<MovedAssignments> {
  try {
    return { count: await begin(ctx, due), refusedIds: [] };
  } catch (error) {
    if (!isRuleViolation(error)) throw error;
  }
  const moved: MovedAssignments[] = [];
  for (const identityId of identityIds) {
    moved.push(
      await beginAlone(
        ctx,
        due.filter((one) => one.identityId === identityId),
      ),
    );
  }
  return {
    count: moved.reduce((sum, { count }) => sum + count, 0),
    refusedIds: moved.flatMap(({ refusedIds }) => refusedIds),
  };
}

/** Begins and ends the assignments of one identity or, if an access rule forbids it, only ends them. */
async function beginAlone(
  ctx: RequestContext,
  due: readonly DueAssignment[],
): Promise<MovedAssignments> {
  try {
    return { count: await begin(ctx, due), refusedIds: [] };
  } catch (error) {
    if (!isRuleViolation(error)) throw error;
    const count = await end(
      ctx,
      due.filter(({ begins }) => !begins),
    );
    return { count, refusedIds: due.filter(({ begins }) => begins).map(idOf) };
  }
}

interface MoveOptions {
  readonly reason: string;
  readonly overridesRules: boolean;
}

async function move(
  ctx: RequestContext,
  due: readonly DueAssignment[],
  options: MoveOptions,
): Promise<number> {
  if (due.length === 0) return 0;
  const origin = { ...originOf(ctx), ...options };
  return ctx.store.write(origin, (tx) => moveIn(ctx, tx, due.map(idOf)));
}

/** Decides anew under the locks: others may have changed the assignments meanwhile. */
async function moveIn(
  { catalog }: RequestContext,
  tx: Transaction,
  ids: readonly string[],
): Promise<number> {
  const { RoleAssignment, Identity } = catalog.resources;
  const assignments = await tx.lock(RoleAssignment, ids);
  const identityIds = new Set(assignments.map(({ identityId }) => identityId));
  const identities = await tx.lock(Identity, [...identityIds]);
  const now = await clock.now(tx);
  const moved = assignments.filter((assignment) => {
    const state = stateAt(now, assignment);
    const isAllowed = state === 'ENDED' || tx.origin.overridesRules !== true;
    return isAllowed && state !== assignment.state;
  });
  await together(
    moved.map((assignment) =>
      patchIn(tx, RoleAssignment, assignment, { state: stateAt(now, assignment) }),
    ),
  );
  await storeAssignedAttributes(tx, catalog, identities);
  return moved.length;
}
