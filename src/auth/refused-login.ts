import { ApiError, type ErrorCode } from '../base/errors.js';

/** What is known of a login, also of one that is refused. */
export interface KnownLogin {
  readonly identityId?: string;
  readonly authenticatorId?: string;
  readonly authPolicyId?: string;
}

/** A login that is refused. Clients see the same answer for every reason, operators the reason. */
export class RefusedLogin extends ApiError {
  constructor(
    readonly reason: string,
    readonly known: KnownLogin = {},
    code: ErrorCode = 'INVALID_AUTH',
  ) {
    super(code);
  }
}
