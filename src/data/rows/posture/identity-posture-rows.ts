import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import type { StoredSession } from './session-posture-rows.js';

/* The posture of identities: what their devices have reported, from any of their API sessions. */

/** Its type follows from the types of posture checks, which are declared above the homes. */
type PostureData = TableRow<'IdentityPosture'>['data'];

/** The stored posture of an identity, or of one of its sessions. */
type PostureRow =
  { owner: string; id: null; data: PostureData } | ({ owner: string; id: string } & StoredSession);

/**
 * The posture of identities and of all their sessions. A statement, not models: it reads any number of
 * identities, from two tables.
 */
export const find = (rows: Rows, identityIds: readonly string[]): Promise<PostureRow[]> =>
  rows.query(
    sql<PostureRow>`select p.identity_id as owner, null as id, p.data, null as sdk from identity_posture p
         where p.identity_id = any(${[...identityIds]}::text[])
        union all
        select s.identity_id, s.id, p.data, s.sdk_info from api_session s
          left join api_session_posture p on p.api_session_id = s.id
         where s.identity_id = any(${[...identityIds]}::text[])`,
  );

export interface LockedPosture extends Pick<TableRow<'IdentityPosture'>, 'data'> {
  /** Small enough for a number, although the column is wider. */
  readonly revision: number;
}

/**
 * One transaction at a time holds the posture of an identity, also among controllers. The statement
 * locks a row that is there, and creates one without data where there is none.
 */
export async function lock(
  tx: Rows,
  identityId: string,
  noData: PostureData,
): Promise<LockedPosture> {
  const [row] = await tx.query(
    sql<LockedPosture>`insert into identity_posture (identity_id, data, revision)
      values (${identityId}::text, ${JSON.stringify(noData)}::jsonb, 0)
      on conflict (identity_id) do update set revision = identity_posture.revision
      returning data, revision::float8 as revision`,
  );
  if (!row) throw new Error('the posture of an identity is there once it is locked');
  return row;
}

/** Stores the posture of an identity that is locked: a statement for speed, as for its sessions. */
export const put = (
  tx: Rows,
  identityId: string,
  { data, revision }: LockedPosture,
): Promise<unknown> =>
  tx.query(
    sql`update identity_posture set data = ${JSON.stringify(data)}::jsonb, revision = ${revision}::bigint
      where identity_id = ${identityId}::text returning identity_id`,
  );
