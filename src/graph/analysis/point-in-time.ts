import type { RequestContext } from '../../kernel/request/context.js';
import { invalidField } from '../../base/errors.js';
import { may, permit } from '../../kernel/declare/permissions.js';
import { sql, type Sql } from '../../base/sql.js';
import type { Cursor } from '../../kernel/request/store-port.js';

/** Points of the past, as clients name them. */

export const POINT =
  'the id of a change, or a time, which is just after the last change that is not later';

/** The id of a change. */
export const isPlace = (text: string): boolean => /^[0-9a-f]{36}$/.test(text);

type PlaceRow = { id: Cursor };

/**
 * The place in the change log that a client means.
 * @throws ApiError HISTORY_NOT_KEPT when the log does not go back so far, or is not there yet
 */
export async function placeOf(ctx: RequestContext, field: string, text: string): Promise<Cursor> {
  permit(ctx, may('change', 'read'));
  const [row] = await ctx.store.query(
    isPlace(text)
      ? sql<PlaceRow>`select ${text}::text as id where (select change_is_kept(${text}::text))`
      : placeAt(timeOf(ctx, field, text)),
  );
  if (!row) throw new Error('the change log gave no place');
  return row.id;
}

function timeOf(ctx: RequestContext, field: string, text: string): Date {
  const at = /^\d{4}-/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(at.getTime())) {
    throw invalidField(field, 'neither the id of a change nor a time', text);
  }
  if (at > ctx.now()) throw invalidField(field, 'is in the future', text);
  return at;
}

/** Where nothing is so old, the start of what is kept; that of another epoch is refused. */
const placeAt = (at: Date): Sql<PlaceRow> => sql`
  with found as (
    select coalesce(
      (select max(id) from change where at <= ${at}::timestamptz and id < (select change_horizon())),
      (select nullif(max(pruned_id), '') from change_log),
      coalesce((select left(min(id), 4) from change), left(change_horizon(), 4)) || repeat('0', 32)
    ) as id)
  select id from found
  where (select change_is_kept_since(${at}::timestamptz)) and change_is_kept(id)`;
