import { clock } from '../../data/rows/clock/index.js';
import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { originOf } from '../../kernel/write/write.js';
import type { ClaimedAttributes, RenewClaimedAttributes } from '../../trust/auth/index.js';
import { isRuleViolation } from './is-rule-violation.js';
import { replaceIn } from './source-assignments.js';

type RefusedAttributes = Pick<ClaimedAttributes, 'source'> & { readonly identityId: string };

/** The ends of assignments stand on steps of a tenth of their length, so that few logins write anything. */
const STEPS = 10;
const MINUTE = 60_000;

/**
 * Makes the renewal of the role attributes that logins claim. Where an access rule forbids it, a login goes on without
 * new ones, and no rule keeps those that it does not claim any more.
 */
export const renewClaimedAttributes =
  (onRefused: (refused: RefusedAttributes) => void): RenewClaimedAttributes =>
  async (ctx, identityId, claimed) => {
    try {
      await renew(ctx, identityId, claimed, 'all');
    } catch (error) {
      if (!isRuleViolation(error)) throw error;
      await renew(ctx, identityId, claimed, 'present');
      onRefused({ identityId, source: claimed.source });
    }
  };

/** Whether claimed attributes are given, or only those renewed that the identity has. */
type Renewed = 'all' | 'present';

async function renew(
  ctx: RequestContext,
  identityId: string,
  claimed: ClaimedAttributes,
  renewed: Renewed,
): Promise<void> {
  const { source, loginTitle: reason } = claimed;
  const present = await roleAssignments.activeOfSource(ctx.store, identityId, source);
  if (isUpToDate(present, claimed)) return;
  const overridesRules = renewed === 'present';
  const origin = { ...originOf(ctx), actorId: identityId, reason, overridesRules };
  await ctx.store.write(origin, async (tx) => {
    const identity = await tx.lockRow(ctx.catalog.resources.Identity, identityId);
    if (!identity) return;
    const { roleAttributes, minutes } = claimed;
    const activeUntil = endAfter(await clock.now(tx), minutes);
    const attributes = { source, roleAttributes, activeUntil, reason: null };
    await replaceIn(ctx, tx, identity, attributes, renewed);
  });
}

type Present = Awaited<ReturnType<typeof roleAssignments.activeOfSource>>;

/** Whether the assignments are those that are claimed, and last long enough. */
function isUpToDate({ now, assignments }: Present, claimed: ClaimedAttributes): boolean {
  const { roleAttributes, minutes } = claimed;
  const least = new Date(now.getTime() + minutes * MINUTE);
  const lasting = assignments.filter(({ activeUntil }) => activeUntil >= least);
  const wanted = new Set(roleAttributes);
  return (
    assignments.length === roleAttributes.length &&
    lasting.length === assignments.length &&
    assignments.every(({ roleAttribute }) => wanted.has(roleAttribute))
  );
}

/** At least the minutes after a time, and at most a tenth more. */
function endAfter(now: Date, minutes: number): Date {
  const step = Math.max(MINUTE, Math.floor((minutes * MINUTE) / STEPS));
  return new Date(Math.ceil((now.getTime() + minutes * MINUTE) / step) * step);
}
