import { sql, type Sql } from '../../../base/sql.js';

/**
 * The permissions of a session `s` of an identity `i`: those of the identity, and those that its login gave it. One that
 * waits for its approval has none.
 */
const PERMISSIONS = sql`case when i.is_pending then '{}'::text[] when s.granted_permissions = '{}' then i.permissions
  else array(select distinct name from unnest(i.permissions || s.granted_permissions) name order by name) end`;

/** The rights of the same session. */
export const SESSION_RIGHTS: Sql = sql`(not i.is_pending and (i.is_admin or s.granted_admin)) as "isAdmin", ${PERMISSIONS} as permissions`;
