import { isDeepStrictEqual } from 'node:util';
import {
  authorizationRequests,
  type AuthorizationRequest,
} from '../../data/rows/authorization/index.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import { failure, invalidField, type ApiError } from '../../base/errors.js';
import { merged } from '../../base/merged.js';
import { isStorableText } from '../../base/storable.js';
import type { AuthQuery, RequestContext } from '../../kernel/request/context.js';
import { originOf, patchIn } from '../../kernel/write/write.js';
import {
  asksNothing,
  openApiSession,
  outstanding,
  proveLogin,
  signerParts,
  unprovedBy,
  type LiveSession,
  type PasswordInput,
  type ProvedIdentity,
} from '../auth/index.js';
import { endOidcSession } from './end-session.js';
import { hashOf, newSecret, pageHashOf } from './secret-hash.js';

/** The first proof of a login, and what the client says of itself. */
export interface LoginProof extends PasswordInput {
  readonly method: string;
  /** Config types beside those of the authorization request. */
  readonly configTypes: readonly string[];
  readonly envInfo: object;
  readonly sdkInfo: object;
  /** A request for a certificate of the session (PKCS#10, PEM), answered with the tokens. */
  readonly csrPem: string | undefined;
  /** Whether a page answers it, whose forms send a key back. */
  readonly isOnPage: boolean;
}

/** The state of a login after a proof. */
export type LoginProgress =
  /** Its client goes on with this key, at a path below the issuer. */
  | { readonly key: string; readonly path: '/authorize/callback' | '/device/confirm' }
  /** The proofs that are still missing. A page gets a key with which it may set up a second factor. */
  | {
      readonly authQueries: readonly AuthQuery[];
      readonly challenge?: string;
      readonly pageKey?: string;
    };

/** A login that is under way, whose first proof opened a session. */
export interface ProvedLogin {
  readonly request: AuthorizationRequest;
  readonly session: LiveSession;
  /** The context of the request with its session as the caller. */
  readonly ctx: RequestContext;
}

/** @throws ApiError UNAUTHORIZED for an unknown or ended request */
export async function requireRequest(
  { store, now }: RequestContext,
  id: string,
): Promise<AuthorizationRequest> {
  const request = isRequestId(id) ? await authorizationRequests.find(store, id, now()) : null;
  if (!request) throw ended();
  return request;
}

const ended = (): ApiError =>
  failure('UNAUTHORIZED', 'the authorization request is unknown or has ended');

/** The form of `randomUUID`. */
const ID = /^[0-9a-f-]{36}$/;

export const isRequestId = (id: string): boolean => ID.test(id);

/** The login of a request, after its first proof. @throws ApiError UNAUTHORIZED */
export const requireProved = async (ctx: RequestContext, id: string): Promise<ProvedLogin> =>
  provedLogin(ctx, await requireRequest(ctx, id));

/** The same with the present state of its session. */
export async function provedLogin(
  ctx: RequestContext,
  request: AuthorizationRequest,
): Promise<ProvedLogin> {
  const session = await ctx.modules.apiSessions.findById(request.apiSessionId ?? '');
  if (!session) throw failure('UNAUTHORIZED', 'the authorization request has no login yet');
  return { request, session, ctx: merged(ctx, { caller: session }) };
}

/**
 * Takes the first proof of a login. A client may repeat it, with a JWT as second factor beside it: a
 * second success of the same identity adds to the first.
 * @throws ApiError UNAUTHORIZED, INVALID_AUTH, COULD_NOT_VALIDATE, SERVER_TOO_MANY_REQUESTS
 */
export async function logIn(
  ctx: RequestContext,
  id: string,
  { method, username, password, csrPem, isOnPage, ...facts }: LoginProof,
): Promise<LoginProgress> {
  const request = await requireRequest(ctx, id);
  refuseOddCsr(csrPem);
  const proof = await proveLogin(ctx, method, { username, password });
  const key = newSecret();
  const pageKey = isOnPage ? key : undefined;
  if (await hasAddedProof(ctx, request, proof)) {
    if (csrPem !== undefined) await authorizationRequests.replaceCsr(ctx.store, id, csrPem);
    if (isOnPage) await authorizationRequests.replaceKey(ctx.store, id, pageHashOf(key));
    return withPageKey(await progressOf(await provedLogin(ctx, request)), pageKey);
  }
  const configTypes = [...request.configTypes, ...facts.configTypes];
  const login = { ...facts, configTypes, oidcClient: request.clientId };
  const { apiSessionId, factors } = await openApiSession(ctx, proof, login, async (tx, opened) => {
    const keyHash = firstHash(key, isOnPage, asksNothing(opened.factors));
    const joined = { apiSessionId: opened.apiSessionId, csrPem: csrPem ?? null, keyHash };
    if (!(await authorizationRequests.joinSession(tx, id, joined))) throw ended();
  });
  if (request.apiSessionId !== null) await endOidcSession(ctx, request.apiSessionId);
  if (asksNothing(factors)) return complete(request, key);
  return withPageKey(
    await progressOf(await provedLogin(ctx, { ...request, apiSessionId })),
    pageKey,
  );
}

/** The hash to store with the first proof: of the key of a complete login, or of the page that asks on. */
function firstHash(key: string, isOnPage: boolean, isComplete: boolean): string | null {
  if (isComplete) return hashOf(key);
  return isOnPage ? pageHashOf(key) : null;
}

const withPageKey = (progress: LoginProgress, pageKey: string | undefined): LoginProgress =>
  'key' in progress || pageKey === undefined ? progress : { ...progress, pageKey };

const complete = ({ deviceCodeHash }: AuthorizationRequest, key: string): LoginProgress => ({
  key,
  path: deviceCodeHash === null ? '/authorize/callback' : '/device/confirm',
});

/** More than any key needs; it is read when the code is exchanged. */
const MAX_CSR_LENGTH = 32_768;

function refuseOddCsr(csrPem: string | undefined): void {
  if (csrPem === undefined) return;
  if (csrPem.length <= MAX_CSR_LENGTH && isStorableText(csrPem)) return;
  throw invalidField('csrPem', 'is too long or has a NUL', '');
}

/** Adds the proofs of a repeated login to its session; false if another identity, proof or right came. */
async function hasAddedProof(
  ctx: RequestContext,
  { apiSessionId }: AuthorizationRequest,
  proof: ProvedIdentity,
): Promise<boolean> {
  if (apiSessionId === null) return false;
  const unproved = await unprovedBy(ctx, proof, signerParts(ctx));
  const { ApiSession } = ctx.catalog.resources;
  return ctx.store.write(originOf(ctx), async (tx) => {
    const [session] = await tx.lock(ApiSession, [apiSessionId]);
    const isSame =
      session?.identityId === proof.identityId &&
      session.authenticatorId === proof.authenticatorId &&
      hasGrants(session, proof);
    if (session && isSame) await patchIn(tx, ApiSession, session, { unproved });
    return isSame;
  });
}

/** Whether a session has the rights that a proof gives. */
const hasGrants = (
  { grantedAdmin, grantedPermissions }: RowOf<'ApiSession'>,
  { granted }: ProvedIdentity,
): boolean =>
  grantedAdmin === (granted?.isAdmin ?? false) &&
  isDeepStrictEqual(grantedPermissions, granted?.permissions ?? []);

/** The missing proofs of a login. A read: its client may hold a key, which stays good. */
export const missingProofs = ({ session, ctx }: ProvedLogin): ReturnType<typeof outstanding> =>
  outstanding(session, ctx.credentials.bearers, signerParts(ctx));

/** The missing proofs of a login, or a new key for its client when none is missing. */
export async function progressOf(login: ProvedLogin): Promise<LoginProgress> {
  const { request, ctx } = login;
  const { authQueries, challenge } = await missingProofs(login);
  if (authQueries.length > 0) {
    return { authQueries, ...(challenge === undefined ? {} : { challenge }) };
  }
  const key = newSecret();
  await authorizationRequests.replaceKey(ctx.store, request.id, hashOf(key));
  return complete(request, key);
}
