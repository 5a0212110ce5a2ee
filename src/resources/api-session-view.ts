import { askedFactors, mfaQuery, needsTotp, signerQuery } from '../auth/index.js';
import type { Compute } from '../kernel/attribute.js';
import { idOf } from '../kernel/row.js';
import { sql } from '../kernel/sql.js';
import { shownAuthQueries } from './auth-query.js';
import { API_SESSIONS, SIGNERS } from './modules.js';

/** What a session has still to prove. Of the caller's own session the request itself tells. */
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
    const signers = await ctx.modules.get(SIGNERS).all();
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
    rows.map((row) =>
      ctx.modules.get(API_SESSIONS).lastActivity(row.lastActivityAt as Date, idOf(row)),
    ),
};
