import { sql, type Queryable } from '../base/sql.js';
import type { SessionPostureRow } from './api-session-posture-table.js';
import type { PostureData } from './declared-values.js';
import { noPostureData } from './posture-data.js';

/** The stored posture of an identity, or of one of its sessions. */
type PostureRow =
  | { owner: string; id: null; data: PostureData }
  | ({ owner: string; id: string } & SessionPostureRow);

/** The posture of identities and of all their sessions. */
export const findPosture = (
  store: Queryable,
  identityIds: readonly string[],
): Promise<PostureRow[]> =>
  store.query(
    sql<PostureRow>`select p.identity_id as owner, null as id, p.data, null as sdk from identity_posture p
         where p.identity_id = any(${[...identityIds]}::text[])
        union all
        select s.identity_id, s.id, p.data, s.sdk_info from api_session s
          left join api_session_posture p on p.api_session_id = s.id
         where s.identity_id = any(${[...identityIds]}::text[])`,
  );

type IdRow = { id: string };

/** The identities that have API sessions. */
export const identitiesWithSessions = (store: Queryable): Promise<IdRow[]> =>
  store.query(sql<IdRow>`select distinct identity_id as id from api_session`);

export interface LockedPosture {
  readonly data: PostureData;
  readonly revision: number;
}

/** One transaction at a time holds the posture of an identity, also among controllers. */
export async function lockPosture(tx: Queryable, identityId: string): Promise<LockedPosture> {
  const [row] = await tx.query(
    sql<LockedPosture>`insert into identity_posture (identity_id, data, revision)
      values (${identityId}::text, ${JSON.stringify(noPostureData)}::jsonb, 0)
      on conflict (identity_id) do update set revision = identity_posture.revision
      returning data, revision::float8 as revision`,
  );
  if (!row) throw new Error('the posture of an identity is there once it is locked');
  return row;
}

export const storePosture = (
  tx: Queryable,
  identityId: string,
  { data, revision }: LockedPosture,
): Promise<unknown> =>
  tx.query(
    sql`update identity_posture set data = ${JSON.stringify(data)}::jsonb, revision = ${revision}::bigint
      where identity_id = ${identityId}::text returning identity_id`,
  );
