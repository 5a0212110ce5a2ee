import { sql, type Queryable } from '../base/sql.js';

/** Locks the enrollment of a token and gives its id. The second of two users finds none. */
export async function lockEnrollment(tx: Queryable, token: string): Promise<string | undefined> {
  const [enrollment] = await tx.query(
    sql<{
      id: string;
    }>`select id from enrollment where token = ${token.toLowerCase()}::text for update`,
  );
  return enrollment?.id;
}

export async function methodOfToken(store: Queryable, token: string): Promise<string | undefined> {
  const [enrollment] = await store.query(
    sql<{
      method: string;
    }>`select method from enrollment where token = ${token.toLowerCase()}::text`,
  );
  return enrollment?.method;
}

/** Whether an enrollment with this token exists. */
export async function isEnrollmentToken(store: Queryable, token: string): Promise<boolean> {
  const rows = await store.query(
    sql`select id from enrollment where token = ${token.toLowerCase()}::text`,
  );
  return rows.length > 0;
}
