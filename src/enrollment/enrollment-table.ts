import { sql, type Queryable } from '../base/sql.js';

/** Locks the enrollment of a token and gives its id. Of two that use it the second finds none. */
export async function lockEnrollment(tx: Queryable, token: string): Promise<string | undefined> {
  const [held] = await tx.query(
    sql<{
      id: string;
    }>`select id from enrollment where token = ${token.toLowerCase()}::text for update`,
  );
  return held?.id;
}

export async function methodOfToken(store: Queryable, token: string): Promise<string | undefined> {
  const [enrollment] = await store.query(
    sql<{
      method: string;
    }>`select method from enrollment where token = ${token.toLowerCase()}::text`,
  );
  return enrollment?.method;
}

/** Whether there is an enrollment with this token. */
export async function isEnrollmentToken(store: Queryable, token: string): Promise<boolean> {
  const rows = await store.query(
    sql`select id from enrollment where token = ${token.toLowerCase()}::text`,
  );
  return rows.length > 0;
}
