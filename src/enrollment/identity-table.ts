import { sql, type Queryable } from '../base/sql.js';

export async function isIdentityName(tx: Queryable, name: string): Promise<boolean> {
  const rows = await tx.query(sql`select 1 as one from identity where name = ${name}::text`);
  return rows.length > 0;
}
