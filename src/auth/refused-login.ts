import { ApiError, type ErrorCode } from '../base/errors.js';

/** The ids that a login has shown so far; a refused login may have shown only some. */
export interface KnownLogin {
  readonly identityId?: string;
  readonly authenticatorId?: string;
  readonly authPolicyId?: string;
}

/** A login that is refused. Clients see the same answer for every reason, operators the reason. */
export class RefusedLogin extends ApiError {
  constructor(
    readonly reason: string,
    readonly login: KnownLogin = {},
    code: ErrorCode = 'INVALID_AUTH',
  ) {
    super(code);
  }
}
