import { sql, type Queryable } from '../base/sql.js';

/** The number of authenticators and enrollments that name an authority, and its open invitation. */
type UsedAuthorityRow = { id: string; uses: number };

export const unverifiedAuthorities = (store: Queryable): Promise<UsedAuthorityRow[]> =>
  store.query(
    sql<UsedAuthorityRow>`select c.id, (select count(*)::int from authenticator a where a.ca_id = c.id)
          + (select count(*)::int from enrollment e where e.ca_id = c.id)
          + c.is_auto_ca_enrollment_enabled::int as uses
        from certificate_authority c where not c.is_verified`,
  );
