import type { GraphQLResolveInfo } from 'graphql';
import { invalidField, notFound } from '../../base/errors.js';
import { refuseUnstorable } from '../../base/storable.js';
import { may, permit } from '../../kernel/declare/permissions.js';
import { Page, type Window } from '../../kernel/read/connection.js';
import { existingIds } from '../../kernel/read/entity-table.js';
import { windowOf } from '../../kernel/read/listing.js';
import { requested } from '../../kernel/read/selection.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { reviewLines, type LineSelection } from '../../data/rows/access-review/index.js';
import { pairAfter, pairNode, type PairArguments } from './access-list.js';

/** The lines of reviews as connections of the graph. */

export interface LineArguments extends Omit<PairArguments, 'at'>, Omit<LineSelection, 'reviewId'> {}

/** The length of a slice of a list without limit. */
const SLICE = 500;
const KEYS = 3;

/** Lines show entities of all these, and uses, which are data of sessions. */
const SHOWN = ['identity', 'service', 'service-policy', 'ops'];

/** Requires the permissions for what lines show. */
export function permitLines(ctx: RequestContext): void {
  for (const entity of SHOWN) permit(ctx, may(entity, 'read'));
}

export async function mustBeReview(ctx: RequestContext, id: string): Promise<void> {
  refuseUnstorable(id, 'id');
  const ids = await existingIds(ctx.store, ctx.catalog.resources.AccessReview, [id]);
  if (ids.length === 0) throw notFound('accessReview', id);
}

/** Gives a page of the lines of a review, or the next slice of a list without limit. */
export async function linesPage(
  { store, slices }: Pick<RequestContext, 'store' | 'slices'>,
  reviewId: string,
  args: LineArguments,
  info: GraphQLResolveInfo,
): Promise<Page> {
  const { identityId, serviceId, decision } = args;
  const selection = { reviewId, identityId, serviceId, decision };
  refuseUnstorable({ identityId, serviceId });
  const sliceStart = slices?.after;
  const window = limitedWindow(args, slices);
  const cursor = sliceStart ?? args.after;
  const lines = await reviewLines.next(store, selection, {
    after: cursor ? pairAfter(cursor) : undefined,
    limit: window.limit + 1,
    offset: window.offset,
  });
  const { fields } = requested(info);
  const isCounted =
    sliceStart === undefined && (fields.has('totalCount') || fields.has('pagination'));
  const totalCount = isCounted ? await reviewLines.count(store, selection) : 0;
  const page = new Page(lines.map(pairNode), totalCount, window, KEYS, { after: args.after });
  if (slices && window.isSlice) slices.after = page.next;
  return page;
}

function limitedWindow(
  args: LineArguments,
  slices: RequestContext['slices'],
): Window & { readonly limit: number } {
  const window = windowOf({}, args);
  const { limit } = window;
  if (limit !== 'none') return { ...window, limit };
  if (!slices) {
    throw invalidField('limit', 'all at once is only to be had by REST, where it is streamed', -1);
  }
  // The offset counts from the start of the list, so it applies to the first slice alone.
  const offset = slices.after === undefined ? window.offset : 0;
  return { ...window, offset, limit: SLICE, isSlice: true };
}
