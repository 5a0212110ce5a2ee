import { ApiError, type ErrorCode } from '../../base/errors.js';
import type { LoginRefusal } from '../../data/rows/login/index.js';

/** The ids that a login has shown so far; a refused login may have shown only some. */
export interface KnownLogin {
  readonly identityId?: string;
  readonly authenticatorId?: string;
  readonly authPolicyId?: string;
}

/** A login that is refused. Clients see the same answer for every reason, operators the reason. */
export class RefusedLogin extends ApiError {
  constructor(
    readonly refusal: LoginRefusal,
    readonly login: KnownLogin = {},
    code: ErrorCode = 'INVALID_AUTH',
  ) {
    super(code);
  }
}

/** The same error with the ids of the login, if it says that too many logins fail or run. */
export function withLogin(error: unknown, login: KnownLogin): unknown {
  if (!(error instanceof ApiError) || error.status !== 429) return error;
  const refused = new RefusedLogin('TOO_MANY_LOGINS', login, error.code);
  if (error.retryAfter !== undefined) refused.retryAfter = error.retryAfter;
  return refused;
}
