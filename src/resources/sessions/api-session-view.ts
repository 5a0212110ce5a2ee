import { apiSessions } from '../../data/rows/api-session/index.js';
import {
  askedFactors,
  mfaQuery,
  needsTotp,
  signerQuery,
  type AuthPolicySecondary,
} from '../../trust/auth/index.js';
import type { KnownSigner } from '../../data/rows/external-jwt-signer/index.js';
import type { SelectedOf } from '../../kernel/declare/rows.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import type { AccessToken, AuthQuery, RequestContext } from '../../kernel/request/context.js';
import { column, sql, type Sql } from '../../base/sql.js';
import { shownAuthQueries } from '../trust/auth-query.js';

/** The second factors that the identity and the auth policy of a session ask for. */
interface AskedProofs {
  readonly isMfaEnabled: boolean;
  readonly secondary: AuthPolicySecondary;
}

/** The same in SQL, as JSON, for a row of the table `api_session`. */
export const askedProofsSql = (alias: string): Sql =>
  sql`(select json_build_object('isMfaEnabled', i.is_mfa_enabled, 'secondary', p.secondary)
    from identity i join auth_policy p on p.id = i.auth_policy_id where i.id = ${column(alias, 'identity_id')})`;

/** The proofs that a session still lacks. Of the caller's own session the request itself tells. */
export const authQueriesOfSession = computeFrom<'ApiSession'>()(
  ['isMfaRequired', 'isMfaComplete', 'unproved', 'askedProofs'],
  async (rows, ctx) => {
    const own = ctx.caller;
    if (rows.every((row) => row.id === own?.apiSessionId)) {
      return rows.map(() => shownAuthQueries(own?.authQueries ?? []));
    }
    const signers = await ctx.modules.signers.all();
    return rows.map((row) => shownAuthQueries(missingProofs(row, signers)));
  },
);

type SessionProofs = Required<
  Pick<SelectedOf<'ApiSession'>, 'isMfaRequired' | 'isMfaComplete' | 'unproved' | 'askedProofs'>
>;

function missingProofs(
  { isMfaRequired, isMfaComplete, unproved, askedProofs }: SessionProofs,
  signers: readonly KnownSigner[],
): AuthQuery[] {
  const { isMfaEnabled, secondary } = askedProofs as AskedProofs;
  const factors = {
    isMfaRequired,
    isMfaComplete,
    isMfaEnabled,
    ...askedFactors(secondary, unproved),
  };
  return [
    ...(needsTotp(factors) ? [mfaQuery(factors.isMfaEnabled)] : []),
    ...factors.requireExtJwtSigners.map((id) =>
      signerQuery(
        id,
        signers.find((signer) => signer.id === id),
      ),
    ),
  ];
}

/** Activity that is not stored yet counts too, on the controller that saw it. */
export const cachedActivity = computeFrom<'ApiSession'>()(['lastActivityAt'], (rows, ctx) =>
  rows.map(({ id, lastActivityAt }) => ctx.modules.apiSessions.lastActivity(lastActivityAt, id)),
);

/** What the end of a session is told by. */
export const AS_KNOWN =
  ', as this controller knows: others store the requests that they answer within a tenth of the timeout.';

/** The access token of a request ends before its session. */
export const expiry = computeFrom<'ApiSession'>()(['lastActivityAt', 'oidcClient'], (rows, ctx) =>
  rows.map(
    (session) =>
      accessTokenOf(session.id, ctx)?.expiresAt ?? ctx.modules.apiSessions.expiryOf(session),
  ),
);

const accessTokenOf = (id: string, { caller }: RequestContext): AccessToken | undefined =>
  id === caller?.apiSessionId ? caller.accessToken : undefined;

/** A session for a service ends with its API session. */
export const expiryOfSession = computeFrom<'Session'>()(['apiSessionId'], async (rows, ctx) => {
  const ids = [...new Set(rows.map(({ apiSessionId }) => apiSessionId))];
  const activities = await apiSessions.lastActivities(ctx.store, ids);
  const ends = new Map(
    activities.map((session) => [session.id, ctx.modules.apiSessions.expiryOf(session)]),
  );
  return rows.map(({ apiSessionId }) => ends.get(apiSessionId) ?? null);
});

export const sessionExpirySql = (alias: string, ctx: RequestContext): Sql =>
  sql`(select ${ctx.modules.apiSessions.expirySql('a')} from api_session "a" where "a"."id" = ${column(alias, 'api_session_id')})`;
