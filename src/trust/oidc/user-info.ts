import { oidcSessions } from '../../data/rows/api-session/index.js';
import { failure, type ApiError } from '../../base/errors.js';
import type { OidcRequest } from './provider.js';

type InfoRequest = Pick<OidcRequest, 'ctx' | 'authorization'>;

/** The claims about the owner of an access token (OpenID Connect Core 5.3). @throws ApiError UNAUTHORIZED */
export async function userInfo({ ctx, authorization }: InfoRequest): Promise<object> {
  const { caller, store, now } = ctx;
  const session =
    caller?.accessToken && (await oidcSessions.find(store, { id: caller.apiSessionId }, now()));
  if (!session) throw refusal(authorization);
  return { sub: session.identityId, name: session.identityName };
}

const CHALLENGE = 'Bearer realm="openziti-oidc"';
const INVALID = 'error="invalid_token", error_description="the access token is invalid"';

/** With the challenge of RFC 6750 3, which has an error only for a request with a token. */
function refusal(authorization = ''): ApiError {
  const error = failure('UNAUTHORIZED');
  error.challenge = /^bearer /i.test(authorization) ? `${CHALLENGE}, ${INVALID}` : CHALLENGE;
  return error;
}
