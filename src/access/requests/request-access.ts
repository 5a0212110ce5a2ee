import { failure, invalidField, notFound } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { checkedReason } from '../../base/reason.js';
import { accessRequests } from '../../data/rows/access-request/index.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { insertIn, originOf } from '../../kernel/write/write.js';
import { isRuleViolation } from '../assignments/index.js';
import { grantIn, type Grant } from './grant.js';
import { mayRequest } from './offer-roles.js';
import { refusedStep } from './refused-step.js';
import { isProvedBy } from './is-proved-by.js';

/** A request as a client sends it. */
export interface NewAccessRequest {
  readonly offerId: string;
  readonly reason: string;
  readonly minutes: number;
}

/**
 * Asks for the role attribute of an offer, for the caller itself, and gives the id of the request. An offer without
 * approval grants it in the same transaction.
 */
export async function requestAccess(
  ctx: RequestContext,
  request: NewAccessRequest,
): Promise<string> {
  try {
    return await ctx.store.write(originOf(ctx), (tx) => requestAccessIn(ctx, tx, request));
  } catch (error) {
    // The full refusal names rules and services, which a requester need not know.
    if (isRuleViolation(error) && ctx.caller?.isAdmin !== true) {
      throw failure('ACCESS_RULE_VIOLATED');
    }
    throw error;
  }
}

async function requestAccessIn(
  ctx: RequestContext,
  tx: Transaction,
  { offerId, reason, minutes }: NewAccessRequest,
): Promise<string> {
  const { AccessRequest, Identity } = ctx.catalog.resources;
  // The lock orders requests of the identity, so that each counts those before.
  const identity = await tx.lockRow(Identity, ctx.caller?.identityId ?? '');
  if (!identity) throw failure('UNAUTHORIZED');
  const offer = await openOffer(ctx, tx, offerId, identity);
  await mustFit(ctx, tx, offer, { identityId: identity.id, minutes });
  const request: Grant['request'] & { readonly id: string } = {
    ...{ id: newId(), offerId, offerName: offer.name },
    ...{ identityId: identity.id, identityName: identity.name },
    roleAttribute: offer.roleAttribute,
    approval: offer.approval,
    secondFactor: offer.secondFactor,
    reason: requiredReason(reason),
    requestedMinutes: minutes,
  };
  const isAtOnce = offer.approval !== 'REQUIRED';
  const granted = isAtOnce
    ? await grantIn(ctx, tx, { request, identity, minutes, approvedById: null })
    : { decision: 'OPEN' as const };
  await insertIn(tx, AccessRequest, { ...request, ...granted });
  return request.id;
}

/** An offer is absent for those who may not ask for it. */
async function openOffer(
  ctx: RequestContext,
  tx: Transaction,
  id: string,
  identity: RowOf<'Identity'>,
): Promise<RowOf<'AccessOffer'>> {
  const { AccessOffer } = ctx.catalog.resources;
  await tx.hold(AccessOffer, [id]);
  const [offer] = await tx.find(AccessOffer, { id });
  if (!offer || !mayRequest(offer, identity)) throw notFound(AccessOffer.label, id);
  return offer;
}

interface Wish {
  readonly identityId: string;
  readonly minutes: number;
}

async function mustFit(
  ctx: RequestContext,
  tx: Transaction,
  offer: RowOf<'AccessOffer'>,
  { identityId, minutes }: Wish,
): Promise<void> {
  if (minutes < 1 || minutes > offer.maxMinutes) {
    throw invalidField('minutes', `must be from 1 to ${String(offer.maxMinutes)}`, minutes);
  }
  if (!(await isProvedBy(ctx, tx, offer.secondFactor))) {
    throw refusedStep(`the offer needs a session with the second factor ${offer.secondFactor}`);
  }
  const count = await accessRequests.countActive(tx, { offerId: offer.id, identityId });
  if (count >= offer.maxActive) {
    throw refusedStep(
      `the identity already has ${String(count)} open requests and grants of the offer`,
    );
  }
}

function requiredReason(text: string): string {
  const reason = checkedReason('reason', text);
  if (reason === undefined) throw invalidField('reason', 'reason is required', text);
  return reason;
}
