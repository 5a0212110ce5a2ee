import type { RequestContext } from '../../../kernel/request/context.js';
import { invalidField } from '../../../base/errors.js';
import { instantOrDayOf } from '../../../base/instant.js';
import { may, permit } from '../../../kernel/declare/permissions.js';
import type { Cursor } from '../../../kernel/request/store-port.js';
import { history } from '../../../data/rows/change/index.js';

/** Points in time, as clients write them. */

export const POINT =
  'the id of a change, or a time, which is just after the last change that is not later. At a time to come, role assignments have begun and ended by their times, and everything else is as it is now';

/** A place in the change log, or a time to come. */
export type Point = Cursor | Date;

/** The id of a change. */
export const isPlace = (text: string): boolean => /^[0-9a-f]{36}$/.test(text);

/**
 * Gives the point that a client names.
 * @throws ApiError HISTORY_NOT_KEPT when the log does not reach back so far, or not yet so far
 */
export async function pointOf(ctx: RequestContext, field: string, text: string): Promise<Point> {
  const time = isPlace(text) ? undefined : timeOf(field, text);
  if (time && time > ctx.now()) return time;
  permit(ctx, may('change', 'read'));
  const place = await (time
    ? history.lastPlaceUpTo(ctx.store, time)
    : history.keptPlace(ctx.store, text));
  if (place === undefined) throw new Error('the change log gave no place');
  return place;
}

function timeOf(field: string, text: string): Date {
  const time = instantOrDayOf(text);
  if (Number.isNaN(time.getTime())) {
    throw invalidField(field, 'neither the id of a change nor a time', text);
  }
  return time;
}
