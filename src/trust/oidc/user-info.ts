import { oidcSessions } from '../../data/rows/api-session/index.js';
import { failure } from '../../base/errors.js';
import type { RequestContext } from '../../kernel/request/context.js';

/** The claims about the owner of an access token (OpenID Connect Core 5.3). @throws ApiError UNAUTHORIZED */
export async function userInfo({ caller, store, now }: RequestContext): Promise<object> {
  const session =
    caller?.accessToken && (await oidcSessions.find(store, { id: caller.apiSessionId }, now()));
  if (!session) throw failure('UNAUTHORIZED');
  return { sub: session.identityId, name: session.identityName };
}
