import {
  authorizationRequests,
  type AnsweredRequest,
} from '../../data/rows/authorization/index.js';
import { failure } from '../../base/errors.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { answerTo } from './authorize.js';
import { sessionForTokens } from './live-session.js';
import { isRequestId, requireRequest } from './login-progress.js';
import { hashOf, newSecret } from './secret-hash.js';

const CODE_MILLIS = 60_000;

interface CompleteLogin {
  readonly id: string;
  readonly key: string | undefined;
  readonly issuer: string;
}

/**
 * The address of the client with a code (RFC 6749 4.1.2), for the key that the last proof of the login
 * gave. The id alone is not enough: it is in the address of the login page, which somebody else may have
 * sent to the user.
 */
export async function answerWithCode(
  ctx: RequestContext,
  { id, key, issuer }: CompleteLogin,
): Promise<string> {
  const code = newSecret();
  const request = await requestOf(ctx, { id, key, code });
  const session = request.apiSessionId && (await sessionForTokens(ctx, request.apiSessionId));
  const outcome = key !== undefined && session ? { code } : { error: 'interaction_required' };
  // The issuer (RFC 9207) comes last: clients of the field read all that follows the code.
  return answerTo(request.redirectUri, {
    ...outcome,
    state: request.state ?? undefined,
    iss: issuer,
  });
}

interface NewCode {
  readonly id: string;
  readonly key: string | undefined;
  readonly code: string;
}

/** The request of a login, with the code in place if the key is right. @throws ApiError UNAUTHORIZED */
async function requestOf(
  ctx: RequestContext,
  { id, key, code }: NewCode,
): Promise<AnsweredRequest> {
  if (key !== undefined && isRequestId(id)) {
    const codeExpiresAt = new Date(ctx.now().getTime() + CODE_MILLIS);
    const answer = { id, keyHash: hashOf(key), codeHash: hashOf(code), codeExpiresAt };
    const answered = await authorizationRequests.storeCode(ctx.store, answer, ctx.now());
    if (answered) return answered;
  }
  const request = await requireRequest(ctx, id);
  if (request.deviceCodeHash !== null) {
    throw failure('UNAUTHORIZED', 'the request of a device has no code');
  }
  if (key !== undefined) throw failure('UNAUTHORIZED', 'the key is not that of the login');
  return request;
}
