import {
  accessQuery,
  grantedPairs,
  type EndConditions,
  type GrantedPair,
} from '../analysis/index.js';
import { failure } from '../../base/errors.js';
import type { JsonObject } from '../../base/row.js';
import { reviewLines } from '../../data/rows/access-review/index.js';
import { useRecording } from '../../data/rows/access-use/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { createIn, originOf } from '../../kernel/write/write.js';

/** A review to begin: its name and other attributes, and the part of the network that it covers. */
export interface NewReview extends Pick<
  EndConditions,
  'type' | 'identityFilter' | 'serviceFilter'
> {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly tags?: JsonObject | null | undefined;
}

/** Bounds of a review, so that a transaction can store it. */
export const MAX_LINES = 100_000;
const MAX_REASONS = 500_000;
const LINES_IN_A_STATEMENT = 5_000;

/**
 * Begins a review with the access of this moment, and gives its id. The analysis runs before the
 * transaction, which is short.
 */
export async function startReview(ctx: RequestContext, review: NewReview): Promise<string> {
  const pairs = await presentPairs(ctx, review);
  return ctx.store.write(originOf(ctx), async (tx) => {
    const { type, identityFilter, serviceFilter, name, description, tags } = review;
    const usesRecordedSince = (await useRecording.since(tx)).toISOString();
    const input = { name, description, tags, type, identityFilter, serviceFilter };
    const id = await createIn(ctx, tx, ctx.catalog.resources.AccessReview, {
      ...input,
      usesRecordedSince,
      lineCount: pairs.length,
    });
    for (let from = 0; from < pairs.length; from += LINES_IN_A_STATEMENT) {
      await reviewLines.insert(tx, id, pairs.slice(from, from + LINES_IN_A_STATEMENT));
    }
    return id;
  });
}

async function presentPairs(
  ctx: RequestContext,
  conditions: EndConditions,
): Promise<readonly GrantedPair[]> {
  const { analyst } = ctx.modules;
  const model = analyst.model(ctx);
  const query = await accessQuery(ctx, model, {}, conditions);
  const total = await analyst.total(model, query);
  if (total > MAX_LINES) throw tooMany(total, 'lines', MAX_LINES);
  const pairs = await analyst.run(grantedPairs(model, query));
  const reasonCount = pairs.reduce((sum, { policyIds }) => sum + policyIds.length, 0);
  if (reasonCount > MAX_REASONS) throw tooMany(reasonCount, 'reasons', MAX_REASONS);
  return pairs;
}

const tooMany = (count: number, what: string, most: number): Error =>
  failure(
    'QUERY_TOO_COMPLEX',
    `the review would have ${String(count)} ${what}, and may have ${String(most)}: choose fewer identities or services (identityFilter, serviceFilter), or one type`,
  );
