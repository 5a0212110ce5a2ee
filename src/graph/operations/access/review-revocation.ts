import {
  accessEffect,
  isPairAfter,
  pairKey,
  RemainingAccess,
  revocation,
  simulateAccess,
  unmarkedPairs,
  type AccessChanges,
  type AccessModel,
  type AccessPair,
  type Analyst,
  type Revocation,
} from '../../../access/analysis/index.js';
import { failure } from '../../../base/errors.js';
import {
  attribute,
  described,
  id,
  int,
  object,
  objects,
} from '../../../kernel/declare/attribute.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { connectionType } from '../../../kernel/graph/list-types.js';
import { Page } from '../../../kernel/read/connection.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { perRequest } from '../../../kernel/request/per-request.js';
import { reviewLines } from '../../../data/rows/access-review/index.js';
import { grantOf, pairAfter, pairNode, type PairArguments } from '../../analysis/access-list.js';
import { effectOnce, shownChange } from '../../analysis/finding-page.js';
import { limitedWindow } from '../../analysis/unused-page.js';
import { ProposedChange } from './what-if-types.js';

/** The changes that take revoked access away. */

@described('A policy that keeps granting a pair after the changes.')
export class KeepingPolicy {
  @attribute(id(), { description: 'Id of the policy.' })
  readonly policyId!: string;
}

export const RemainingAccessConnection = connectionType(
  'RemainingAccess',
  outputType(object(() => RemainingAccess)),
);

@described(
  'The changes of the present network that take away the access that a review revokes, and what else they do.',
)
export class AccessReviewRevocation {
  @attribute(int(), { description: 'Number of revoked lines.' })
  readonly revokedCount!: number;

  @attribute(int(), { description: 'Number of revoked lines that policies grant at present.' })
  readonly grantedCount!: number;

  @attribute(objects(() => ProposedChange), {
    description: [
      'One change of each policy that grants a revoked pair: it deletes the policy, removes roles, or replaces roles by the ids of at most 50 members that stay.',
      'Of the edits that take the revoked pairs away it is one that takes the fewest others. `simulate` accepts up to 1,000 changes.',
    ].join('\n'),
    restWithout: ['gained', 'lost'],
  })
  readonly changes!: readonly ProposedChange[];

  @attribute(int(), { description: 'Number of pairs that would gain access: none.' })
  readonly gained!: number;

  @attribute(int(), { description: 'Number of pairs that would lose access.' })
  readonly lost!: number;

  readonly remaining!: readonly RemainingAccess[];

  /** The number of lost pairs that are not revoked. */
  readonly collateralCount!: number;

  readonly analysis!: RevocationAnalysis;
}

interface RevocationAnalysis {
  readonly analyst: Analyst;
  readonly model: AccessModel;
  readonly effect: AccessChanges;
  readonly isRevoked: (pair: AccessPair) => boolean;
}

/** Each may take seconds in a large network. */
const MAX_IN_A_DOCUMENT = 3;

const readingsOf = perRequest(() => new Map<string, Promise<AccessReviewRevocation>>());

/** Computes the changes for a review, once in a document. */
export function reviewRevocation(
  ctx: RequestContext,
  reviewId: string,
): Promise<AccessReviewRevocation> {
  const readings = readingsOf(ctx);
  const existing = readings.get(reviewId);
  if (existing) return existing;
  if (readings.size >= MAX_IN_A_DOCUMENT) {
    throw failure(
      'QUERY_TOO_COMPLEX',
      `at most ${String(MAX_IN_A_DOCUMENT)} revocations in a document`,
    );
  }
  const reading = readRevocation(ctx, reviewId);
  readings.set(reviewId, reading);
  return reading;
}

async function readRevocation(
  ctx: RequestContext,
  reviewId: string,
): Promise<AccessReviewRevocation> {
  const { analyst } = ctx.modules;
  const revoked = await reviewLines.revoked(ctx.store, reviewId);
  const model = analyst.model(ctx);
  const { changes, grantedCount, remaining } = await analyst.run(revocation(model, revoked));
  const effect = await analyst.run(simulateAccess(model, changes));
  const keys = new Set(revoked.map(pairKey));
  const lost = effect.lost.totalCount;
  const effectOf = (change: Revocation['changes'][number]) => () => {
    if (changes.length > MAX_EFFECTS) throw tooManyEffects();
    return analyst.run(accessEffect(model, [change]));
  };
  return {
    revokedCount: revoked.length,
    grantedCount,
    remaining,
    changes: changes.map((change) => shownChange(change, effectOnce(effectOf(change)))),
    gained: effect.gained.totalCount,
    lost,
    collateralCount: lost - (grantedCount - remaining.length),
    analysis: { analyst, model, effect, isRevoked: (pair) => keys.has(pairKey(pair)) },
  };
}

/** The effect of each change by itself is an analysis. */
const MAX_EFFECTS = 100;

const tooManyEffects = (): Error =>
  failure(
    'QUERY_TOO_COMPLEX',
    `the effect of each change is only to be had of at most ${String(MAX_EFFECTS)}`,
  );

/** Makes a page of the lost pairs that are not revoked. */
export async function collateralPage(
  { analysis, collateralCount }: AccessReviewRevocation,
  args: PairArguments,
): Promise<Page> {
  const { analyst, model, effect, isRevoked } = analysis;
  const window = limitedWindow(args);
  const count = window.offset + window.limit + 1;
  const after = args.after ? pairAfter(args.after) : undefined;
  const pairs = await analyst.run(unmarkedPairs(effect.lost, isRevoked, { count, after }));
  const nodes = pairs
    .slice(window.offset)
    .map((pair) => ({ ...grantOf(model, pair), isPresent: true }));
  return new Page(nodes, collateralCount, window, 3, { after: args.after });
}

/** Makes a page of the revoked pairs that keep their access. */
export function remainingPage({ remaining }: AccessReviewRevocation, args: PairArguments): Page {
  const window = limitedWindow(args);
  const after = args.after ? pairAfter(args.after) : undefined;
  const following = after ? remaining.filter((pair) => isPairAfter(pair, after)) : remaining;
  const nodes = following.slice(window.offset, window.offset + window.limit + 1).map(pairNode);
  return new Page(nodes, remaining.length, window, 3, { after: args.after });
}

/** Says why the changes are not exact; null if they are. */
export function warningOf({
  remaining,
  grantedCount,
  collateralCount,
}: AccessReviewRevocation): string | null {
  const sentences = [
    ...(remaining.length > 0
      ? [
          `${String(remaining.length)} of ${String(grantedCount)} revoked pairs keep their access, because a policy that grants them has the role #all or would need more than 50 ids in place of its roles.`,
        ]
      : []),
    ...(collateralCount > 0
      ? [
          `${countOf(collateralCount, 'pair')} would lose access without being revoked, because a policy grants whole lists to whole lists.`,
        ]
      : []),
  ];
  return sentences.length > 0 ? sentences.join(' ') : null;
}

const countOf = (count: number, noun: string): string =>
  `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
