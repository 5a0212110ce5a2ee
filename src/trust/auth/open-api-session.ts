import { configTypes } from '../../data/rows/config/index.js';
import { identities } from '../../data/rows/identity/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { originOf } from '../../kernel/write/write.js';
import { merged } from '../../base/merged.js';
import type { ProvedIdentity } from './password-login.js';
import { signerParts } from './prove-login.js';
import { unprovedBy } from './second-factors.js';

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

/** Opens the API session of a proved identity; gives its id. @throws ApiError INVALID_AUTH */
export async function openApiSession(
  ctx: RequestContext,
  { authPolicy, ...proof }: ProvedIdentity,
  { envInfo, sdkInfo, ...facts }: LoginFacts,
): Promise<string> {
  const { identityId } = proof;
  const configTypes = await configTypeIds(ctx, facts.configTypes);
  // A session in the request does not count here; it may have ended.
  const origin = merged(originOf(ctx), { actorId: identityId, apiSessionId: null });
  const id = await ctx.modules.apiSessions.create(ctx.store, origin, {
    ipAddress: ctx.address,
    configTypes,
    sdkInfo,
    unproved: await unprovedBy(ctx, { identityId, authPolicy }, signerParts(ctx)),
    ...(facts.oidcClient === undefined ? {} : { oidcClient: facts.oidcClient }),
    ...NO_CERTIFICATE,
    ...proof,
  });
  await tryStoreClientInfo(ctx, identityId, envInfo, sdkInfo);
  return id;
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

/** Stores data about the client. A failure does not fail the login; this is no logged change. */
async function tryStoreClientInfo(
  ctx: RequestContext,
  id: string,
  envInfo: object,
  sdkInfo: object,
): Promise<void> {
  if (Object.keys(envInfo).length + Object.keys(sdkInfo).length === 0) return;
  await identities.storeClientInfo(ctx.store, id, { envInfo, sdkInfo }).catch(() => undefined);
}
