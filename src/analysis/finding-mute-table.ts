import { sql, type Queryable } from '../base/sql.js';

type MuteRow = { id: string; finding_id: string };

/** Gives the mutes that are in force. */
export const mutesAt = (store: Queryable, now: Date): Promise<MuteRow[]> =>
  store.query(
    sql<MuteRow>`select id, finding_id from finding_mute
      where muted_until is null or muted_until > ${now}::timestamptz`,
  );
