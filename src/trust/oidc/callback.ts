import { authorizationRequests } from '../../data/rows/authorization/index.js';
import { failure } from '../../base/errors.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { answerTo } from './authorize.js';
import { sessionForTokens } from './live-session.js';
import { requireRequest } from './login-progress.js';
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
  const { redirectUri, apiSessionId, state, deviceCodeHash } = await requireRequest(ctx, id);
  if (deviceCodeHash !== null) throw failure('UNAUTHORIZED', 'the request of a device has no code');
  const answer = (values: Readonly<Record<string, string>>): string =>
    // The issuer (RFC 9207) comes last: clients of the field read all that follows the code.
    answerTo(redirectUri, { ...values, state: state ?? undefined, iss: issuer });
  const session = apiSessionId === null ? undefined : await sessionForTokens(ctx, apiSessionId);
  if (!session || key === undefined) return answer({ error: 'interaction_required' });
  const code = newSecret();
  const isStored = await authorizationRequests.storeCode(ctx.store, {
    ...{ id, keyHash: hashOf(key), codeHash: hashOf(code) },
    codeExpiresAt: new Date(ctx.now().getTime() + CODE_MILLIS),
  });
  if (!isStored) throw failure('UNAUTHORIZED', 'the key is not that of the login');
  return answer({ code });
}
