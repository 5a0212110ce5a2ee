import { failure, invalidField } from '../../base/errors.js';
import { clock } from '../../data/rows/clock/index.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { patchIn } from '../../kernel/write/write.js';
import { decidingOn, mayDecide, mustStillFit } from './decide-request.js';
import { refusedStep } from './refused-step.js';

const MINUTE = 60_000;

/** A new end of a grant that lasts. */
export interface Renewal {
  readonly requestId: string;
  readonly assignment: RowOf<'RoleAssignment'>;
  /** The requester, whose row is locked. */
  readonly identity: RowOf<'Identity'>;
  readonly until: Date;
  /** The member of the input that has the end. */
  readonly field: string;
}

/**
 * Lets a grant last longer, for those who may approve its request. The request is judged anew, as at its approval.
 * @throws ApiError UNAUTHORIZED, COULD_NOT_VALIDATE, ENTITY_CAN_NOT_BE_UPDATED
 */
export async function renewGrantIn(
  ctx: RequestContext,
  tx: Transaction,
  { requestId, assignment, identity, until, field }: Renewal,
): Promise<void> {
  const { AccessRequest, RoleAssignment } = ctx.catalog.resources;
  const request = await tx.lockRow(AccessRequest, requestId);
  if (request?.decision !== 'GRANTED') throw refusedStep('the request has no grant that lasts');
  const { decider, offer } = await decidingOn(ctx, tx, request);
  if (!mayDecide(ctx, offer, decider)) throw failure('UNAUTHORIZED');
  if (!offer) throw refusedStep('its offer does not exist any more');
  await mustStillFit(tx, { request, offer, identity });
  const longest = new Date((await clock.now(tx)).getTime() + offer.maxMinutes * MINUTE);
  if (until > longest) throw invalidField(field, `is at most ${longest.toISOString()}`, until);
  const approval = { activeUntil: until, approvedById: decider?.id ?? null };
  await patchIn(tx, RoleAssignment, assignment, approval);
  await patchIn(tx, AccessRequest, request, { grantedUntil: until });
}
