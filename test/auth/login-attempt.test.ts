import { expect, test } from '@jest/globals';
import { observed, type LoginAttempt } from '../../src/auth/index.js';
import { RefusedLogin } from '../../src/auth/refused-login.js';
import { failure, invalidField, tooManyRequests } from '../../src/base/errors.js';
import type { RequestContext } from '../../src/kernel/request/context.js';

/** What operators learn of a login. */

const AT = new Date('2026-01-02T03:04:05Z');
const PROOF = {
  identityId: 'i',
  authenticatorId: 'extJwtId:s',
  authPolicy: { id: 'p', secondary: { requireTotp: false, requireExtJwtSigner: null } },
};

const contextOf = (onLogin: ((attempt: LoginAttempt) => void) | undefined): RequestContext =>
  ({ address: '10.0.0.1', now: () => AT, modules: { onLogin } }) as unknown as RequestContext;

async function told(prove: () => Promise<typeof PROOF>): Promise<LoginAttempt[]> {
  const attempts: LoginAttempt[] = [];
  const ctx = contextOf((attempt) => attempts.push(attempt));
  await observed(ctx, 'ext-jwt', prove).catch(() => undefined);
  return attempts;
}

const COMMON = { at: AT, method: 'ext-jwt', address: '10.0.0.1', isChainImproper: false };
const UNKNOWN = { identityId: '', authenticatorId: '', signerId: '', authPolicyId: '' };

test('a success names the identity, its authenticator, signer and auth policy', async () => {
  expect(await told(() => Promise.resolve(PROOF))).toStrictEqual([
    {
      ...COMMON,
      isSuccess: true,
      reason: '',
      identityId: 'i',
      authenticatorId: 'extJwtId:s',
      signerId: 's',
      authPolicyId: 'p',
    },
  ]);
});

test('a client chain without its intermediates is told', async () => {
  const proof = { ...PROOF, improperClientCertChain: true };
  expect(await told(() => Promise.resolve(proof))).toMatchObject([{ isChainImproper: true }]);
});

test('a refusal says what is known, and why', async () => {
  const refusal = new RefusedLogin('the identity is disabled', { identityId: 'i' });
  expect(await told(() => Promise.reject(refusal))).toStrictEqual([
    {
      ...COMMON,
      ...UNKNOWN,
      isSuccess: false,
      reason: 'the identity is disabled',
      identityId: 'i',
    },
  ]);
});

test.each([
  [failure('INVALID_AUTH'), 'the credentials are not valid'],
  [tooManyRequests(1), 'too many logins failed lately, or run at the moment'],
])('%s is a refusal', async (error, reason) => {
  expect(await told(() => Promise.reject(error))).toStrictEqual([
    { ...COMMON, ...UNKNOWN, isSuccess: false, reason },
  ]);
});

test.each([invalidField('username', 'is too short', ''), new Error('no database')])(
  '%s is no login',
  async (error) => {
    expect(await told(() => Promise.reject(error))).toStrictEqual([]);
  },
);

test('nobody is told without an observer', async () => {
  const ctx = contextOf(undefined);
  expect(await observed(ctx, 'ext-jwt', () => Promise.resolve(PROOF))).toBe(PROOF);
});

test('clients see no reason', () => {
  const { code, status, detail, message } = new RefusedLogin('the password is wrong');
  expect({ code, status, detail, message }).toStrictEqual({
    code: 'INVALID_AUTH',
    status: 401,
    detail: undefined,
    message: failure('INVALID_AUTH').message,
  });
});
