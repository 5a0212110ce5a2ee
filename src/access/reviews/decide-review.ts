import { pairKey, type AccessPair } from '../analysis/index.js';
import { endAssignmentsIn, renewAssignmentsIn } from './reviewed-assignments.js';
import { failure, invalidField } from '../../base/errors.js';
import { checkedComment } from '../../base/reason.js';
import { refuseUnstorable } from '../../base/storable.js';
import {
  reviewLines,
  type DecidedLine,
  type Decision,
  type StoredDecision,
} from '../../data/rows/access-review/index.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { currentRow, originOf, patchIn } from '../../kernel/write/write.js';

/** A decision as a client sends it. */
export interface LineDecision extends AccessPair {
  readonly decision: Decision;
  /** Undefined: the line keeps its comment. */
  readonly comment?: string | null | undefined;
  /** With `KEEP`: the new end of the role assignments on which the access rests. */
  readonly renewUntil?: Date | null | undefined;
  /** With `REVOKE`: whether these end now. */
  readonly endsAssignments?: boolean | null | undefined;
}

const MAX_DECISIONS = 1_000;
/** Decisions that write role assignments as well. */
const MAX_ENDS = 100;

/**
 * Stores decisions about lines of an open review: all of them or, if one is refused, none.
 * @throws ApiError fields begin with the place, as in `decisions[2].comment`
 */
export async function decideReview(
  ctx: RequestContext,
  id: string,
  decisions: readonly LineDecision[],
): Promise<void> {
  if (decisions.length > MAX_DECISIONS) {
    throw invalidField('decisions', `at most ${String(MAX_DECISIONS)} at a time`, decisions.length);
  }
  const givingEnds = decisions.filter(givesEnd).length;
  if (givingEnds > MAX_ENDS) {
    const reason = `at most ${String(MAX_ENDS)} at a time that renew or end role assignments`;
    throw invalidField('decisions', reason, givingEnds);
  }
  const checked = decisions.map(checkedDecision);
  refuseRepeated(checked);
  await ctx.store.write(originOf(ctx), async (tx) => {
    const review = await openReview(ctx, tx, id);
    if (checked.length === 0) return;
    const decider = { id: ctx.caller?.identityId ?? null, at: ctx.now() };
    const stored = checked.map((decision, i) => ({
      ...decision,
      assignmentsUntil: endOf(decisions[i], decider.at),
    }));
    const decided = await reviewLines.decide(tx, id, stored, decider);
    refuseUnknown(checked, decided);
    await giveEndsIn(ctx, tx, decisions, decided);
    await patchIn(
      tx,
      ctx.catalog.resources.AccessReview,
      review,
      await reviewLines.countDecisions(tx, id),
    );
  });
}

type GivenEnd = Pick<LineDecision, 'renewUntil' | 'endsAssignments'>;

const givesEnd = ({ renewUntil, endsAssignments }: GivenEnd): boolean =>
  (renewUntil ?? null) !== null || endsAssignments === true;

const endOf = (decision: GivenEnd | undefined, now: Date): Date | null =>
  decision?.renewUntil ?? (decision?.endsAssignments === true ? now : null);

/** Renews or ends the role assignments on which access rests, in the order of the decisions. */
async function giveEndsIn(
  ctx: RequestContext,
  tx: Transaction,
  decisions: readonly LineDecision[],
  decided: readonly DecidedLine[],
): Promise<void> {
  const lines = new Map(decided.map((line) => [pairKey(line), line]));
  for (const [i, decision] of decisions.entries()) {
    const { identityId, renewUntil, comment } = decision;
    const policyIds = lines.get(pairKey(decision))?.policies.map(({ policyId }) => policyId) ?? [];
    const access = { identityId, policyIds, place: placeOf(i) };
    if (renewUntil) await renewAssignmentsIn(ctx, tx, access, renewUntil);
    else if (givesEnd(decision)) await endAssignmentsIn(ctx, tx, access, comment);
  }
}

/**
 * Finishes a review all of whose lines are decided. The lock of the review orders it with decisions
 * at other controllers.
 */
export async function finishReview(ctx: RequestContext, id: string): Promise<void> {
  await ctx.store.write(originOf(ctx), async (tx) => {
    const review = await openReview(ctx, tx, id);
    const { lineCount, keepCount, revokeCount } = review;
    const undecidedCount = lineCount - keepCount - revokeCount;
    if (undecidedCount > 0) {
      throw failure(
        'ENTITY_CAN_NOT_BE_UPDATED',
        `${String(undecidedCount)} of ${String(lineCount)} lines are undecided`,
      );
    }
    await patchIn(tx, ctx.catalog.resources.AccessReview, review, {
      state: 'FINISHED',
      finishedAt: ctx.now(),
      finishedById: ctx.caller?.identityId ?? null,
    });
  });
}

/** The review, locked for writing. */
async function openReview(
  ctx: RequestContext,
  tx: Transaction,
  id: string,
): Promise<RowOf<'AccessReview'>> {
  const review = await currentRow(tx, ctx.catalog.resources.AccessReview, id);
  if (review.state === 'FINISHED') {
    throw failure('ENTITY_CAN_NOT_BE_UPDATED', 'the review is finished');
  }
  return review;
}

const placeOf = (index: number): string => `decisions[${String(index)}]`;

function checkedDecision(
  { identityId, serviceId, type, decision, comment, ...end }: LineDecision,
  index: number,
): Omit<StoredDecision, 'assignmentsUntil'> {
  refuseOtherEnd(decision, end, placeOf(index));
  refuseUnstorable({ identityId, serviceId }, placeOf(index));
  return {
    identityId,
    serviceId,
    type,
    decision,
    comment: checkedComment(`${placeOf(index)}.comment`, comment),
    keepsComment: comment === undefined,
  };
}

function refuseOtherEnd(
  decision: Decision,
  { renewUntil, endsAssignments }: GivenEnd,
  place: string,
): void {
  if (renewUntil && decision !== 'KEEP') {
    throw invalidField(`${place}.renewUntil`, 'goes with KEEP alone', renewUntil);
  }
  if (endsAssignments === true && decision !== 'REVOKE') {
    throw invalidField(`${place}.endsAssignments`, 'goes with REVOKE alone', true);
  }
}

function refuseRepeated(decisions: readonly AccessPair[]): void {
  const places = new Map<string, number>();
  for (const [i, decision] of decisions.entries()) {
    const first = places.get(pairKey(decision));
    if (first !== undefined) {
      throw invalidField(
        placeOf(i),
        `decides the line of ${placeOf(first)} again`,
        pairOf(decision),
      );
    }
    places.set(pairKey(decision), i);
  }
}

function refuseUnknown(decisions: readonly AccessPair[], decided: readonly AccessPair[]): void {
  if (decided.length === decisions.length) return;
  const keys = new Set(decided.map(pairKey));
  const unknown = decisions.findIndex((decision) => !keys.has(pairKey(decision)));
  const [decision] = decisions.slice(unknown, unknown + 1);
  throw invalidField(placeOf(unknown), 'the review has no such line', decision && pairOf(decision));
}

const pairOf = ({ identityId, serviceId, type }: AccessPair): AccessPair => ({
  identityId,
  serviceId,
  type,
});
