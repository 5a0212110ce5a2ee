import { askedFactors, mfaQuery, needsTotp, signerQuery } from '../auth/index.js';
import type { Compute } from '../kernel/declare/attribute.js';
import { idOf } from '../base/row.js';
import type { RequestContext } from '../kernel/request/context.js';
import { column, sql, type Sql } from '../base/sql.js';
import { shownAuthQueries } from './auth-query.js';

/** The proofs that a session still lacks. Of the caller's own session the request itself tells. */
export const authQueriesOfSession: Compute = {
  needs: ['isMfaRequired', 'isMfaComplete'],
  values: async (rows, ctx) => {
    const own = ctx.caller;
    if (rows.every((row) => row.id === own?.apiSessionId)) {
      return rows.map(() => shownAuthQueries(own?.authQueries ?? []));
    }
    const asked = await ctx.store.query(
      sql`select s.id, s.unproved, i.is_mfa_enabled, p.secondary
        from api_session s join identity i on i.id = s.identity_id join auth_policy p on p.id = i.auth_policy_id
        where s.id = any(${rows.map(idOf)}::text[])`,
    );
    const byId = new Map(asked.map((row) => [idOf(row), row]));
    const signers = await ctx.modules.signers.all();
    return rows.map((row) => {
      const { secondary, unproved, is_mfa_enabled } = byId.get(idOf(row)) ?? {};
      const factors = {
        isMfaRequired: row.isMfaRequired === true,
        isMfaComplete: row.isMfaComplete === true,
        isMfaEnabled: is_mfa_enabled === true,
        ...askedFactors(secondary, unproved),
      };
      return shownAuthQueries([
        ...(needsTotp(factors) ? [mfaQuery(factors.isMfaEnabled)] : []),
        ...factors.requireExtJwtSigners.map((id) =>
          signerQuery(
            id,
            signers.find((s) => s.id === id),
          ),
        ),
      ]);
    });
  },
};

/** Activity that is not stored yet counts too, on the controller that saw it. */
export const cachedActivity: Compute = {
  needs: ['lastActivityAt'],
  values: (rows, ctx) =>
    rows.map((row) => ctx.modules.apiSessions.lastActivity(row.lastActivityAt as Date, idOf(row))),
};

/** What the end of a session is told by. */
export const AS_KNOWN =
  ', as this controller knows: others store the requests that they answer within a tenth of the timeout.';

export const expiry: Compute = {
  needs: ['lastActivityAt'],
  values: (rows, ctx) =>
    rows.map((row) => ctx.modules.apiSessions.expiryOf(row.lastActivityAt as Date, idOf(row))),
};

/** A session for a service ends with its API session. */
export const expiryOfSession: Compute = {
  needs: ['apiSessionId'],
  values: async (rows, ctx) => {
    const ids = [...new Set(rows.map((row) => String(row.apiSessionId)))];
    const found = await ctx.store.query(
      sql`select id, last_activity_at from api_session where id = any(${ids}::text[])`,
    );
    const sessions = ctx.modules.apiSessions;
    const ends = new Map(
      found.map((row) => [idOf(row), sessions.expiryOf(row.last_activity_at as Date, idOf(row))]),
    );
    return rows.map((row) => ends.get(String(row.apiSessionId)) ?? null);
  },
};

export const sessionExpirySql = (alias: string, ctx: RequestContext): Sql =>
  sql`(select ${ctx.modules.apiSessions.expirySql('a')} from api_session "a" where "a"."id" = ${column(alias, 'api_session_id')})`;
