import type { RequestContext } from '../../kernel/request/context.js';
import { ApiError, failure, invalidField } from '../../base/errors.js';
import { senderOf } from '../../requests/limits/index.js';
import { loginByCertificate } from './certificate-login.js';
import { loginByExternalJwt } from './ext-jwt-login.js';
import { observed } from './login-attempt.js';
import { loginByPassword, senderKey, type ProvedIdentity } from './password-login.js';
import { RefusedLogin } from './refused-login.js';
import type { SignerDependencies } from './second-factors.js';

/** The credentials of a login by password. */
export interface PasswordInput {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** The parts of the controller that judge external JWTs. */
export const signerParts = ({
  store,
  now,
  modules: { signers, jwks: keys },
}: RequestContext): SignerDependencies => ({ store, now, signers, keys });

/**
 * Proves an identity by `password`, `cert` (the client certificate of the connection) or `ext-jwt` (a
 * bearer token of the request); failed credentials are counted and limited.
 * @throws ApiError INVALID_AUTH_METHOD, INVALID_AUTH, UNAUTHORIZED, SERVER_TOO_MANY_REQUESTS
 */
export async function proveLogin(
  ctx: RequestContext,
  method: string,
  input: PasswordInput,
): Promise<ProvedIdentity> {
  const withSenderLimit = (work: () => Promise<ProvedIdentity>): Promise<ProvedIdentity> =>
    withLimit(ctx, [senderKey(senderOf(ctx.address))], work);
  switch (method) {
    case 'password':
      return observed(ctx, method, () => passwordLogin(ctx, input));
    case 'cert':
      return observed(ctx, method, () =>
        withSenderLimit(() => loginByCertificate(ctx, ctx.modules.keys)),
      );
    case 'ext-jwt':
      return observed(ctx, method, () =>
        withSenderLimit(() => loginByExternalJwt(ctx, signerParts(ctx))),
      );
  }
  throw failure('INVALID_AUTH_METHOD');
}

function passwordLogin(ctx: RequestContext, input: PasswordInput): Promise<ProvedIdentity> {
  const username = required('username', input.username, 4);
  const password = required('password', input.password, 5);
  const sender = senderOf(ctx.address);
  return loginByPassword(ctx, { username, password, sender }, ctx.modules.loginLimit);
}

/**
 * Signatures can not be guessed. So a proof counts whatever others at its address send, and a failure
 * counts only if it proves nobody: programs of a disabled identity try again and again.
 */
async function withLimit<T>(
  ctx: RequestContext,
  keys: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const limit = ctx.modules.loginLimit;
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401 || provesSomebody(error)) throw error;
    await limit.check(keys, ctx.now());
    await limit.failed(keys, ctx.now());
    throw error;
  }
}

const provesSomebody = (error: ApiError): boolean =>
  error instanceof RefusedLogin && error.login.identityId !== undefined;

function required(field: string, value: string | undefined, min: number): string {
  if (!value) throw invalidField(field, `${field} in body is required`, '');
  if (value.length < min || value.length > 100) {
    throw invalidField(field, `${field} in body should be ${String(min)} to 100 chars long`, '');
  }
  return value;
}
