import { column, sql, type Sql } from '../../../base/sql.js';

/** SQL of the time up to which the tokens of an identity have ended; null without a revocation. */
export const identityRevokedBefore = (alias: string): Sql =>
  sql`(select r.issued_before from revocation r where r.id = ${column(alias, 'id')} and r.type = 'IDENTITY')`;

/** SQL of whether a token was revoked by its own id. */
export const isTokenRevokedSql = (jti: string): Sql =>
  sql`exists (select from revocation r where r.id = ${jti}::text and r.type = 'JTI')`;
