import { idOf } from '../../base/row.js';
import { together } from '../../base/together.js';
import { servicePolicies } from '../../data/rows/policy/index.js';
import { clock } from '../../data/rows/clock/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { originOf, patchIn } from '../../kernel/write/write.js';
import { isRuleViolation } from '../assignments/index.js';
import { forceAt } from './force-at.js';

/** Policies of one step: few enough that it does not hold their rows for long. */
const MAX_POLICIES = 50;

/** The outcome of one step. */
export interface MovedPolicies {
  /** How many policies have another next change than before. */
  readonly count: number;
  /** The policies that an access rule keeps from beginning. */
  readonly refusedIds: readonly string[];
}

/**
 * Brings some service policies whose time has come into force or out of it. Several controllers may do so at once. Those
 * that begin come first, so that access which goes on by another policy is not lost between the two.
 * @param except the ids of policies to leave out
 */
export async function moveDuePolicies(
  ctx: RequestContext,
  except: readonly string[],
): Promise<MovedPolicies> {
  const due = await servicePolicies.due(ctx.store, { except, maxPolicies: MAX_POLICIES });
  const begun = await beginTogether(ctx, due.filter(({ isInForce }) => !isInForce).map(idOf));
  const ended = await move(ctx, due.filter(({ isInForce }) => isInForce).map(idOf), ENDING);
  return { count: begun.count + ended, refusedIds: begun.refusedIds };
}

interface MoveOptions {
  readonly reason: string;
  readonly overridesRules: boolean;
  /** Whether the policies to move are in force until now. */
  readonly areInForce: boolean;
}

/** A beginning respects access rules. */
const BEGINNING: MoveOptions = {
  reason: 'service policies have begun',
  overridesRules: false,
  areInForce: false,
};

/** The end was decided with the times of the policy: no access rule delays it. */
const ENDING: MoveOptions = {
  reason: 'service policies have ended',
  overridesRules: true,
  areInForce: true,
};

/** Begins each alone if an access rule forbids the beginning of one of them. */
async function beginTogether(ctx: RequestContext, ids: readonly string[]): Promise<MovedPolicies> {
  const moved = await begin(ctx, ids);
  if (moved.refusedIds.length === 0 || ids.length === 1) return moved;
  let count = 0;
  const refusedIds: string[] = [];
  for (const id of ids) {
    const alone = await begin(ctx, [id]);
    count += alone.count;
    refusedIds.push(...alone.refusedIds);
  }
  return { count, refusedIds };
}

async function begin(ctx: RequestContext, ids: readonly string[]): Promise<MovedPolicies> {
  try {
    return { count: await move(ctx, ids, BEGINNING), refusedIds: [] };
  } catch (error) {
    if (!isRuleViolation(error)) throw error;
    return { count: 0, refusedIds: ids };
  }
}

async function move(
  ctx: RequestContext,
  ids: readonly string[],
  { areInForce, ...reasons }: MoveOptions,
): Promise<number> {
  if (ids.length === 0) return 0;
  const origin = { ...originOf(ctx), ...reasons };
  return ctx.store.write(origin, (tx) => moveIn(ctx, tx, ids, areInForce));
}

/** Decides anew under the locks: others may have moved, changed or deleted the policies meanwhile. */
async function moveIn(
  { catalog: { resources } }: RequestContext,
  tx: Transaction,
  ids: readonly string[],
  areInForce: boolean,
): Promise<number> {
  const policies = await tx.lock(resources.ServicePolicy, ids);
  const now = await clock.now(tx);
  const due = policies.filter(
    ({ isInForce, nextChangeAt }) =>
      isInForce === areInForce && nextChangeAt !== null && nextChangeAt <= now,
  );
  await together(
    due.map((policy) => patchIn(tx, resources.ServicePolicy, policy, forceAt(policy, now))),
  );
  return due.length;
}
