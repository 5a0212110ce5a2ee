import { canonicalJson } from '../../base/canonical-json.js';
import { configTypes } from '../../data/rows/config/index.js';
import { identities, idleIdentities } from '../../data/rows/identity/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { originOf } from '../../kernel/write/write.js';
import { merged } from '../../base/merged.js';
import { endGreaterGrants } from './end-greater-grants.js';
import type { ProvedIdentity } from './password-login.js';
import { signerParts } from './prove-login.js';
import { askedFactors, unprovedBy, type SecondFactors } from './second-factors.js';
import type { OpenedSession } from './sessions.js';

/** What a client says of itself and asks for at a login. */
export interface LoginFacts {
  /** Names or ids, or `all`. */
  readonly configTypes: readonly string[];
  readonly envInfo: object;
  readonly sdkInfo: object;
  /** The OAuth client of a login over OpenID Connect. */
  readonly oidcClient?: string;
}

const NO_CERTIFICATE = { isCertExtendable: false, improperClientCertChain: false };

/** The session of a login, with the factors that it needs. */
export interface OpenedLogin {
  readonly apiSessionId: string;
  readonly factors: SecondFactors;
}

/** Joins something else to the session of a login, in the same transaction. */
export type JoinLogin = (tx: Transaction, login: OpenedLogin) => Promise<void>;

/** Opens the API session of a proved identity. @throws ApiError INVALID_AUTH */
export async function openApiSession(
  ctx: RequestContext,
  { authPolicy, claimed, ...proof }: ProvedIdentity,
  { envInfo, sdkInfo, ...facts }: LoginFacts,
  join?: JoinLogin,
): Promise<OpenedLogin> {
  const { identityId } = proof;
  if (claimed) await ctx.modules.renewClaimedAttributes(ctx, identityId, claimed);
  const configTypes = await configTypeIds(ctx, facts.configTypes);
  const unproved = await unprovedBy(ctx, { identityId, authPolicy }, signerParts(ctx));
  const loginOf = ({ id, isMfaEnabled }: OpenedSession): OpenedLogin => {
    const totp = { isMfaEnabled, isMfaRequired: isMfaEnabled, isMfaComplete: false };
    return {
      apiSessionId: id,
      factors: { ...totp, ...askedFactors(authPolicy.secondary, unproved) },
    };
  };
  // A session in the request does not count here; it may have ended.
  const origin = merged(originOf(ctx), { actorId: identityId, apiSessionId: null });
  const session = {
    ...{ ipAddress: ctx.address, configTypes, sdkInfo, unproved },
    ...(facts.oidcClient === undefined ? {} : { oidcClient: facts.oidcClient }),
    ...NO_CERTIFICATE,
    ...proof,
  };
  const { authenticatorId, granted } = proof;
  const begin = async (tx: Transaction, created: OpenedSession): Promise<void> => {
    await join?.(tx, loginOf(created));
    // An authorization request ends with its session, so it joins the new one first.
    if (granted) await endGreaterGrants(ctx, tx, { identityId, authenticatorId, granted });
  };
  const opened = await ctx.modules.apiSessions.create(ctx.store, origin, session, begin);
  await tryStoreUse(ctx, identityId, opened);
  await tryStoreClientInfo(ctx, identityId, opened.clientInfo, { envInfo, sdkInfo });
  return loginOf(opened);
}

/** Converts names to ids, without unknown ones; `all` stays as it is. */
async function configTypeIds(
  ctx: RequestContext,
  requestedTypes: readonly string[],
): Promise<string[]> {
  if (requestedTypes.includes('all')) return ['all'];
  const names = requestedTypes.filter((name) => !name.includes('\0'));
  if (names.length === 0) return [];
  return configTypes.idsOf(ctx.store, names);
}

/** Stores the use of an identity whose uses are stored, unless it was in use lately. */
async function tryStoreUse(
  ctx: RequestContext,
  id: string,
  { lastUsedAt }: Pick<OpenedSession, 'lastUsedAt'>,
): Promise<void> {
  if (lastUsedAt === null || isLately(lastUsedAt, ctx.now())) return;
  await idleIdentities.storeUse(ctx.store, id).catch(() => undefined);
}

/** The clocks of the database and of this controller may differ. */
const isLately = (usedAt: Date, now: Date): boolean =>
  Math.abs(now.getTime() - usedAt.getTime()) < idleIdentities.USE_STEP_MILLIS;

/**
 * Stores data about the client, unless the client has said the same before. A failure does not fail the
 * login; this is no logged change.
 */
async function tryStoreClientInfo(
  ctx: RequestContext,
  id: string,
  before: OpenedSession['clientInfo'],
  info: Pick<LoginFacts, 'envInfo' | 'sdkInfo'>,
): Promise<void> {
  if (Object.keys(info.envInfo).length + Object.keys(info.sdkInfo).length === 0) return;
  if (canonicalJson(info) === canonicalJson(before)) return;
  await identities.storeClientInfo(ctx.store, id, info).catch(() => undefined);
}
