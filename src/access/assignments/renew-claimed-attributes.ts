import { newId } from '../../base/ids.js';
import { together } from '../../base/together.js';
import { sourceOfSigner } from '../../data/rows/external-jwt-signer/index.js';
import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { deleteIn, insertIn, originOf, patchIn } from '../../kernel/write/write.js';
import type { ClaimedAttributes, RenewClaimedAttributes } from '../../trust/auth/index.js';
import { storeAssignedAttributes } from './assigned-attributes.js';
import { isRuleViolation } from './is-rule-violation.js';

type RefusedAttributes = Pick<ClaimedAttributes, 'signerId'> & { readonly identityId: string };

/** The ends of assignments stand on steps of a tenth of their length, so that few logins write anything. */
const STEPS = 10;
const MINUTE = 60_000;

/**
 * Makes the renewal of the role attributes that JWTs claim. Where an access rule forbids it, a login goes on without
 * new ones, and no rule keeps those that its JWT does not claim any more.
 */
export const renewClaimedAttributes =
  (onRefused: (refused: RefusedAttributes) => void): RenewClaimedAttributes =>
  async (ctx, identityId, claimed) => {
    try {
      await renew(ctx, identityId, claimed, 'all');
    } catch (error) {
      if (!isRuleViolation(error)) throw error;
      await renew(ctx, identityId, claimed, 'present');
      onRefused({ identityId, signerId: claimed.signerId });
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
  const source = sourceOfSigner(claimed.signerId);
  const present = await roleAssignments.activeOfSource(ctx.store, identityId, source);
  if (isUpToDate(present, claimed)) return;
  const reason = 'a login by an external JWT';
  const overridesRules = renewed === 'present';
  const origin = { ...originOf(ctx), actorId: identityId, reason, overridesRules };
  await ctx.store.write(origin, async (tx) => {
    const identity = await tx.lockRow(ctx.catalog.resources.Identity, identityId);
    if (identity) await renewIn(ctx, tx, identity, { ...claimed, source, renewed });
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

interface Renewal extends ClaimedAttributes {
  readonly source: string;
  readonly renewed: Renewed;
}

async function renewIn(
  ctx: RequestContext,
  tx: Transaction,
  identity: RowOf<'Identity'>,
  { source, roleAttributes, minutes, renewed }: Renewal,
): Promise<void> {
  const { RoleAssignment } = ctx.catalog.resources;
  const identityId = identity.id;
  const all = await tx.find(RoleAssignment, { identityId, source });
  const present = all.filter(({ state }) => state !== 'ENDED');
  const wanted = new Set(roleAttributes);
  const [kept, lost] = [
    present.filter(({ roleAttribute }) => wanted.has(roleAttribute)),
    present.filter(({ roleAttribute }) => !wanted.has(roleAttribute)),
  ];
  for (const { roleAttribute } of kept) wanted.delete(roleAttribute);
  if (renewed === 'present') wanted.clear();
  const now = await roleAssignments.now(tx);
  const activeUntil = endAfter(now, minutes);
  const period = { activeFrom: now, activeUntil };
  if (lost.length > 0) await deleteIn(ctx, tx, RoleAssignment, lost);
  await together([
    ...kept.map((row) => patchIn(tx, RoleAssignment, row, { activeUntil })),
    ...[...wanted].map((roleAttribute) =>
      insertIn(tx, RoleAssignment, {
        ...{ id: newId(), identityId, source, roleAttribute, ...period },
        ...{ state: 'ACTIVE', reason: null, requestedById: null, approvedById: null },
      }),
    ),
  ]);
  await storeAssignedAttributes(tx, ctx.catalog, [identity]);
}

/** At least the minutes after a time, and at most a tenth more. */
function endAfter(now: Date, minutes: number): Date {
  const step = Math.max(MINUTE, Math.floor((minutes * MINUTE) / STEPS));
  return new Date(Math.ceil((now.getTime() + minutes * MINUTE) / step) * step);
}
