import { sql, type Queryable } from '../base/sql.js';

type MuteRow = { id: string; finding_id: string };

/** The mutes that have not ended. */
export const mutesAt = (store: Queryable, now: Date): Promise<MuteRow[]> =>
  store.query(
    sql<MuteRow>`select id, finding_id from finding_mute
      where muted_until is null or muted_until > ${now}::timestamptz`,
  );
