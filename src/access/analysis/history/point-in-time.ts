import type { RequestContext } from '../../../kernel/request/context.js';
import { invalidField } from '../../../base/errors.js';
import { instantOrDayOf } from '../../../base/instant.js';
import { may, permit } from '../../../kernel/declare/permissions.js';
import type { Cursor } from '../../../kernel/request/store-port.js';
import { history } from '../../../data/rows/change/index.js';

/** Points in the past, as clients write them. */

export const POINT =
  'the id of a change, or a time, which is just after the last change that is not later';

/** The id of a change. */
export const isPlace = (text: string): boolean => /^[0-9a-f]{36}$/.test(text);

/**
 * Gives the place in the change log for a point that a client names.
 * @throws ApiError HISTORY_NOT_KEPT when the log does not reach back so far, or not yet so far
 */
export async function placeOf(ctx: RequestContext, field: string, text: string): Promise<Cursor> {
  permit(ctx, may('change', 'read'));
  const place = await (isPlace(text)
    ? history.keptPlace(ctx.store, text)
    : history.lastPlaceUpTo(ctx.store, timeOf(ctx, field, text)));
  if (place === undefined) throw new Error('the change log gave no place');
  return place;
}

function timeOf(ctx: RequestContext, field: string, text: string): Date {
  const at = instantOrDayOf(text);
  if (Number.isNaN(at.getTime())) {
    throw invalidField(field, 'neither the id of a change nor a time', text);
  }
  if (at > ctx.now()) throw invalidField(field, 'is in the future', text);
  return at;
}
