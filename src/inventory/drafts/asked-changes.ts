import { isPlace } from '../../access/analysis/index.js';
import { failure, invalidField, notFound } from '../../base/errors.js';
import { changes, type FoundChange } from '../../data/rows/change/index.js';
import type { Rows } from '../../kernel/request/store-port.js';
import { refuseTooMany } from './bounds.js';
import type { AskedChange } from './logged-entity.js';

/** One application of changes may have several thousand change records. */
const MAX_IDS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** The types of the change log whose changes a caller may read; undefined for all types. */
export type ReadableTypes = ReadonlySet<string> | undefined;

/**
 * Reads changes of the log by their ids.
 * @throws ApiError NOT_FOUND also for a change of a type that the caller may not read;
 * HISTORY_NOT_KEPT for one that the log does not keep any more
 */
export async function askedChanges(
  store: Rows,
  ids: readonly string[],
  readable: ReadableTypes,
): Promise<AskedChange[]> {
  refuseTooMany('ids', ids, MAX_IDS);
  for (const [i, id] of ids.entries()) {
    if (!isPlace(id)) throw invalidField(`ids[${String(i)}]`, 'is no id of a change', id);
  }
  const distinctIds = [...new Set(ids)];
  if ((await changes.sizeOf(store, distinctIds)) > MAX_BYTES) {
    throw failure('QUERY_TOO_COMPLEX', `the changes have more than ${String(MAX_BYTES)} bytes`);
  }
  const rows = new Map((await changes.find(store, distinctIds)).map((row) => [row.cursor, row]));
  return distinctIds.map((id) => readableChange(id, rows.get(id), readable));
}

function readableChange(
  id: string,
  row: FoundChange | undefined,
  readable: ReadableTypes,
): AskedChange {
  const resource = row?.resource ?? null;
  if (!row || resource === null || readable?.has(resource) === false) throw notFound('change', id);
  return { ...row, resource };
}
