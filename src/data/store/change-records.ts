import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { sql, type Sql } from '../../base/sql.js';
import type { Change, Cursor, Origin } from '../../kernel/request/store-port.js';

/** The changes of one write that the log keeps. */
export interface LoggedChanges {
  readonly origin: Origin;
  readonly changes: readonly Change[];
}

/** The ids of written change records. */
type WrittenRow = { readonly ids: Cursor[] };

/**
 * Writes the records of these changes, and gives their ids in the same order. Undefined if there are
 * none.
 */
export function changeRecords(
  writes: readonly LoggedChanges[],
  epoch: number,
): Sql<WrittenRow> | undefined {
  const records = writes.flatMap(recordsOf);
  if (records.length === 0) return undefined;
  return sql<WrittenRow>`with written as (
      insert into change (epoch, at, actor_id, api_session_id, address, request_id, import_id,
        reason, entity_type, entity_id, operation, revision, before, after)
      select ${epoch}::int, c.at, c.actor_id, c.api_session_id, c.address, c.request_id, c.import_id,
        c.reason, c.entity_type, c.entity_id, c.operation, c.revision, c.before, c.after
      from json_to_recordset(${JSON.stringify(records)}::json) as c(at timestamptz, actor_id text,
        api_session_id text, address text, request_id text, import_id text, reason text,
        entity_type text, entity_id text, operation text, revision int, before jsonb, after jsonb)
      returning id, seq)
    select array_agg(id order by seq) as ids from written`;
}

function recordsOf({ origin, changes }: LoggedChanges): object[] {
  const { at, actorId, apiSessionId, address, requestId, importId, reason = null } = origin;
  const session = apiSessionId === null ? null : sessionDigest(apiSessionId);
  return changes.map(({ resource, id, operation, revision, before, after }) => ({
    at,
    actor_id: actorId,
    api_session_id: session,
    address,
    request_id: requestId,
    import_id: importId,
    reason,
    entity_type: resource,
    entity_id: id,
    operation,
    revision,
    before,
    after,
  }));
}

const DIGEST_LENGTH = 20;

/** By the id of the session. */
const digests = new LRUCache<string, string>({ max: 1_000 });

/** Identifies an API session in the log, but can not be used as a session id. */
function sessionDigest(id: string): string {
  const knownDigest = digests.get(id);
  if (knownDigest !== undefined) return knownDigest;
  const digest = createHash('sha256').update(id).digest('hex').slice(0, DIGEST_LENGTH);
  digests.set(id, digest);
  return digest;
}
