import { failure, notFound } from '../../base/errors.js';
import { checkedComment } from '../../base/reason.js';
import { clock } from '../../data/rows/clock/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { patchIn } from '../../kernel/write/write.js';
import { refusedStep } from './refused-step.js';

interface Review {
  readonly id: string;
  readonly comment?: string | null | undefined;
}

/**
 * Marks the use of an offer for emergencies as reviewed, for an administrator other than the requester. The grant goes on
 * until its end.
 */
export async function reviewRequestIn(
  { caller, catalog }: RequestContext,
  tx: Transaction,
  { id, comment }: Review,
): Promise<void> {
  const { AccessRequest } = catalog.resources;
  const request = await tx.lockRow(AccessRequest, id);
  if (!request) throw notFound(AccessRequest.label, id);
  if (request.identityId === caller?.identityId) throw failure('UNAUTHORIZED');
  if (request.approval !== 'BREAK_GLASS')
    throw refusedStep('it is no use of an offer for emergencies');
  if (request.reviewedAt !== null) throw refusedStep('it is reviewed already');
  await patchIn(tx, AccessRequest, request, {
    reviewedById: caller?.identityId ?? null,
    reviewedAt: await clock.now(tx),
    ...(comment === undefined ? {} : { comment: checkedComment('comment', comment) }),
  });
}
