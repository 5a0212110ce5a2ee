import type { RequestContext } from '../../kernel/request/context.js';
import { invalidField } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { insertIn } from '../../kernel/write/write.js';

interface IdentityEnrollmentPlan {
  readonly method: 'ott' | 'ottca' | 'updb';
  readonly identityId: string;
  readonly caId?: string;
  readonly username?: string;
  /** Default: the configured lifetime from now. */
  readonly expiresAt?: Date;
}

/** Adds an enrollment with its signed token, which consoles read right after creating it. */
export async function addIdentityEnrollment(
  ctx: RequestContext,
  tx: Transaction,
  plan: IdentityEnrollmentPlan,
): Promise<string> {
  const { tokens, identityLifetimeMs } = ctx.modules.enrollment;
  if (plan.caId !== undefined) {
    const [lockedId] = await tx.hold(ctx.catalog.resources.CertificateAuthority, [plan.caId]);
    if (lockedId === undefined)
      throw invalidField('caId', 'no ca found with the given id', plan.caId);
  }
  const { method, identityId, expiresAt } = plan;
  const newToken = tokens.newEnrollment({
    method,
    subject: identityId,
    ...(expiresAt ? { expiresAt } : { lifetimeMs: identityLifetimeMs }),
  });
  const id = newId();
  await insertIn(tx, ctx.catalog.resources.Enrollment, {
    id,
    method,
    identityId,
    caId: plan.caId ?? null,
    username: plan.username ?? null,
    ...newToken,
  });
  return id;
}

/** The enrollment of a new or re-enrolling router. */
export async function addRouterEnrollment(
  ctx: RequestContext,
  tx: Transaction,
  router: { readonly id: string; readonly isEdge: boolean },
): Promise<void> {
  const { tokens, routerLifetimeMs } = ctx.modules.enrollment;
  const method = router.isEdge ? 'erott' : 'trott';
  const newToken = tokens.newEnrollment({
    method,
    subject: router.id,
    lifetimeMs: routerLifetimeMs,
  });
  await insertIn(tx, ctx.catalog.resources.Enrollment, {
    id: newId(),
    method,
    [router.isEdge ? 'edgeRouterId' : 'transitRouterId']: router.id,
    ...newToken,
  });
}
