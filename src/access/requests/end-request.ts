import { notFound } from '../../base/errors.js';
import { idOf } from '../../base/row.js';
import { together } from '../../base/together.js';
import { checkedComment } from '../../base/reason.js';
import { accessRequests } from '../../data/rows/access-request/index.js';
import { clock } from '../../data/rows/clock/index.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { patchIn } from '../../kernel/write/write.js';
import { unassignIn } from '../assignments/index.js';
import { decidingOn, mayDecide } from './decide-request.js';
import { refusedStep } from './refused-step.js';

/** Takes back an open request of the caller. */
export async function cancelRequestIn(
  ctx: RequestContext,
  tx: Transaction,
  id: string,
): Promise<void> {
  const { AccessRequest } = ctx.catalog.resources;
  const request = await tx.lockRow(AccessRequest, id);
  if (request?.identityId !== ctx.caller?.identityId || !request) {
    throw notFound(AccessRequest.label, id);
  }
  if (request.decision !== 'OPEN') throw refusedStep(`the request is ${request.decision}`);
  await patchIn(tx, AccessRequest, request, { decision: 'CANCELLED', ...(await endBy(ctx, tx)) });
}

interface Revocation {
  readonly id: string;
  readonly comment?: string | null | undefined;
}

/** Ends a grant before its time: for its approvers, for administrators, and for the requester itself. */
export async function revokeAccessIn(
  ctx: RequestContext,
  tx: Transaction,
  { id, comment }: Revocation,
): Promise<void> {
  const { AccessRequest, Identity } = ctx.catalog.resources;
  const request = await tx.lockRow(AccessRequest, id);
  if (!request || !(await mayRevoke(ctx, tx, request))) throw notFound(AccessRequest.label, id);
  const identities = await tx.lock(Identity, [request.identityId]);
  const source = accessRequests.sourceOf(id);
  const assignments = await tx.find(ctx.catalog.resources.RoleAssignment, {
    ...{ identityId: request.identityId, source, state: 'ACTIVE' },
  });
  if (request.decision !== 'GRANTED' || assignments.length === 0) {
    throw refusedStep('the request has no grant that lasts');
  }
  await unassignIn(ctx, tx, { source }, identities);
  await patchIn(tx, AccessRequest, request, {
    ...{ decision: 'REVOKED', ...(await endBy(ctx, tx)) },
    ...(comment === undefined ? {} : { comment: checkedComment('comment', comment) }),
  });
}

async function mayRevoke(
  ctx: RequestContext,
  tx: Transaction,
  request: RowOf<'AccessRequest'>,
): Promise<boolean> {
  if (ctx.caller?.isAdmin === true || ctx.caller?.identityId === request.identityId) return true;
  const { decider, offer } = await decidingOn(ctx, tx, request);
  return mayDecide(ctx, offer, decider);
}

/** Takes back the open requests of deleted offers: nobody could decide on them. */
export const cancelRequestsForOffersIn = (
  within: Deletion,
  offers: readonly RowOf<'AccessOffer'>[],
): Promise<void> => cancelOpenIn(within, { offerId: offers.map(idOf) });

/** Takes back the open requests of deleted identities: nothing could be granted. */
export const cancelRequestsOfIdentitiesIn = (
  within: Deletion,
  identities: readonly RowOf<'Identity'>[],
): Promise<void> => cancelOpenIn(within, { identityId: identities.map(idOf) });

interface Deletion {
  readonly ctx: RequestContext;
  readonly tx: Transaction;
}

async function cancelOpenIn(
  { ctx, tx }: Deletion,
  match: { readonly offerId: string[] } | { readonly identityId: string[] },
): Promise<void> {
  const { AccessRequest } = ctx.catalog.resources;
  const open = await tx.find(AccessRequest, { ...match, decision: 'OPEN' });
  if (open.length === 0) return;
  const end = await endBy(ctx, tx);
  const locked = await tx.lock(AccessRequest, open.map(idOf));
  await together(
    locked
      .filter(({ decision }) => decision === 'OPEN')
      .map((request) => patchIn(tx, AccessRequest, request, { decision: 'CANCELLED', ...end })),
  );
}

const endBy = async (
  { caller }: RequestContext,
  tx: Transaction,
): Promise<{ readonly endedById: string | null; readonly endedAt: Date }> => ({
  endedById: caller?.identityId ?? null,
  endedAt: await clock.now(tx),
});
