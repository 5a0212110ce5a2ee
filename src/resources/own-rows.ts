import { column, FALSE, sql, type Sql } from '../base/sql.js';
import type { RequestContext } from '../kernel/request/context.js';

/** A row that belongs to an identity. */
export const isOfIdentity = (alias: string, identityId: string): Sql =>
  sql`${column(alias, 'identity_id')} = ${identityId}::text`;

/** A row that belongs to an API session. */
export const isOfApiSession = (alias: string, apiSessionId: string): Sql =>
  sql`${column(alias, 'api_session_id')} = ${apiSessionId}::text`;

/** A row that belongs to the identity of the caller. */
export const isOfCaller = ({ caller }: Pick<RequestContext, 'caller'>, alias: string): Sql =>
  caller ? isOfIdentity(alias, caller.identityId) : FALSE;
