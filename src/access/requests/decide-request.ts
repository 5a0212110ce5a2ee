import { failure, invalidField, notFound } from '../../base/errors.js';
import { checkedComment } from '../../base/reason.js';
import { accessRequests } from '../../data/rows/access-request/index.js';
import { clock } from '../../data/rows/clock/index.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { patchIn } from '../../kernel/write/write.js';
import { isDisabled } from '../../trust/auth/index.js';
import { grantIn } from './grant.js';
import { mayApprove, mayRequest } from './offer-roles.js';
import { refusedStep } from './refused-step.js';

type Request = RowOf<'AccessRequest'>;
type Offer = RowOf<'AccessOffer'>;

/** An approval as a client sends it. */
export interface Approval {
  readonly id: string;
  /** Default: as long as the requester asked, and the offer allows. */
  readonly minutes?: number | null | undefined;
  readonly comment?: string | null | undefined;
}

/** Grants an open request. Everything about it is judged anew, since it may have waited for long. */
export async function approveRequestIn(
  ctx: RequestContext,
  tx: Transaction,
  { id, minutes, comment }: Approval,
): Promise<void> {
  const { request, offer, decider } = await openRequest(ctx, tx, id);
  if (!offer) throw refusedStep('its offer does not exist any more');
  const identity = await tx.lockRow(ctx.catalog.resources.Identity, request.identityId);
  if (!identity) throw refusedStep('its requester does not exist any more');
  await mustStillFit(tx, { request, offer, identity });
  const granted = await grantIn(ctx, tx, {
    ...{ request, identity, approvedById: decider.id },
    minutes: grantedMinutes(request, offer, minutes),
  });
  await patchIn(tx, ctx.catalog.resources.AccessRequest, request, {
    ...granted,
    ...decisionBy(decider, comment),
  });
}

/** Refuses an open request. */
export async function denyRequestIn(
  ctx: RequestContext,
  tx: Transaction,
  { id, comment }: Omit<Approval, 'minutes'>,
): Promise<void> {
  const { request, decider } = await openRequest(ctx, tx, id);
  await patchIn(tx, ctx.catalog.resources.AccessRequest, request, {
    ...{ decision: 'DENIED', decidedAt: await clock.now(tx) },
    ...decisionBy(decider, comment),
  });
}

const decisionBy = ({ id, name }: Named, comment: string | null | undefined) => ({
  decidedById: id,
  decidedByName: name,
  comment: checkedComment('comment', comment),
});

type Named = Pick<RowOf<'Identity'>, 'id' | 'name'>;

interface OpenRequest {
  readonly request: Request;
  readonly offer: Offer | undefined;
  readonly decider: Named;
}

/**
 * The request, locked so that one decision wins, for a caller who may decide on it. It is absent for others.
 * @throws ApiError UNAUTHORIZED for the own request
 */
async function openRequest(ctx: RequestContext, tx: Transaction, id: string): Promise<OpenRequest> {
  const { AccessRequest } = ctx.catalog.resources;
  const request = await tx.lockRow(AccessRequest, id);
  if (!request) throw notFound(AccessRequest.label, id);
  if (request.identityId === ctx.caller?.identityId) throw failure('UNAUTHORIZED');
  const { decider, offer } = await decidingOn(ctx, tx, request);
  if (!decider || !mayDecide(ctx, offer, decider)) throw notFound(AccessRequest.label, id);
  if (request.decision !== 'OPEN') throw refusedStep(`the request is ${request.decision}`);
  return { request, offer, decider };
}

/** The caller, and the offer of a request, which stays until the commit. */
export async function decidingOn(
  { caller, catalog: { resources } }: RequestContext,
  tx: Transaction,
  { offerId }: Request,
): Promise<{ readonly decider: RowOf<'Identity'> | undefined; readonly offer: Offer | undefined }> {
  const [decider] = await tx.find(resources.Identity, { id: caller?.identityId ?? '' });
  await tx.hold(resources.AccessOffer, [offerId]);
  const [offer] = await tx.find(resources.AccessOffer, { id: offerId });
  return { decider, offer };
}

export const mayDecide = (
  { caller }: RequestContext,
  offer: Offer | undefined,
  decider: RowOf<'Identity'> | undefined,
): boolean =>
  caller?.isAdmin === true ||
  (offer !== undefined && decider !== undefined && mayApprove(offer, decider));

interface Judged {
  readonly request: Request;
  readonly offer: Offer;
  readonly identity: RowOf<'Identity'>;
}

/** The offer may be another one than at the request, and the requester may have changed. */
export async function mustStillFit(
  tx: Transaction,
  { request, offer, identity }: Judged,
): Promise<void> {
  if (isDisabled(identity, await clock.now(tx))) throw refusedStep('its requester is disabled');
  if (!mayRequest(offer, identity))
    throw refusedStep('its requester may not ask for the offer any more');
  if (offer.roleAttribute !== request.roleAttribute) {
    throw refusedStep('the offer gives another role attribute now; ask again');
  }
  if (offer.secondFactor !== 'NONE' && offer.secondFactor !== request.secondFactor) {
    throw refusedStep('the offer needs another second factor now; ask again');
  }
  const { offerId, identityId } = request;
  const others = (await accessRequests.countActive(tx, { offerId, identityId })) - 1;
  if (others >= offer.maxActive)
    throw refusedStep('its requester already has enough grants of the offer');
}

/** An approver grants as long as was asked, or less. */
function grantedMinutes(
  { requestedMinutes }: Request,
  { maxMinutes }: Offer,
  minutes: number | null | undefined,
): number {
  const most = Math.min(requestedMinutes, maxMinutes);
  if (minutes === null || minutes === undefined) return most;
  if (minutes < 1 || minutes > most) {
    throw invalidField('minutes', `must be from 1 to ${String(most)}`, minutes);
  }
  return minutes;
}
