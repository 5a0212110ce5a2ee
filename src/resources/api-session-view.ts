import { mfaQuery, needsTotp, secondaryOf, signerQuery } from '../auth/index.js';
import type { Compute } from '../kernel/attribute.js';
import { idOf } from '../kernel/row.js';
import { sql } from '../kernel/sql.js';
import { API_SESSIONS, SIGNERS } from './modules.js';

/** What a session has still to prove. Of the caller's own session the request itself tells. */
export const authQueriesOfSession: Compute = {
  needs: ['identityId', 'isMfaRequired', 'isMfaComplete'],
  values: async (rows, ctx) => {
    const own = ctx.caller;
    if (rows.every((row) => row.id === own?.apiSessionId)) {
      return rows.map(() => own?.authQueries ?? []);
    }
    const policies = await ctx.store.query(
      sql`select i.id, p.secondary from identity i join auth_policy p on p.id = i.auth_policy_id
        where i.id = any(${rows.map((row) => String(row.identityId))}::text[])`,
    );
    const secondary = new Map(policies.map((row) => [idOf(row), secondaryOf(row.secondary)]));
    const signers = await ctx.modules.get(SIGNERS).all();
    return rows.map((row) => {
      const factors = {
        isMfaRequired: row.isMfaRequired === true,
        isMfaComplete: row.isMfaComplete === true,
        ...(secondary.get(String(row.identityId)) ?? secondaryOf(null)),
      };
      const { requireExtJwtSigner: signerId } = factors;
      return [
        ...(needsTotp(factors) ? [mfaQuery(factors.isMfaRequired)] : []),
        ...(signerId === null
          ? []
          : [
              signerQuery(
                signerId,
                signers.find((s) => s.id === signerId),
              ),
            ]),
      ];
    });
  },
};

/** Activity that is not stored yet counts too, on the controller that saw it. */
export const cachedActivity: Compute = {
  needs: ['lastActivityAt', 'token'],
  values: (rows, ctx) =>
    rows.map((row) =>
      ctx.modules.get(API_SESSIONS).lastActivity(row.lastActivityAt as Date, row.token, idOf(row)),
    ),
};
