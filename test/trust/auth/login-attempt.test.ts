import { expect, test } from '@jest/globals';
import { observed, observedCode, type LoginAttempt } from '../../../src/trust/auth/index.js';
import { RefusedLogin, withLogin } from '../../../src/trust/auth/refused-login.js';
import { failure, invalidField, tooManyRequests } from '../../../src/base/errors.js';
import type { RequestContext } from '../../../src/kernel/request/context.js';

/** What operators learn of a login. */

const AT = new Date('2026-01-02T03:04:05Z');
const PROOF = {
  identityId: 'i',
  authenticatorId: 'extJwtId:s',
  authPolicy: { id: 'p', secondary: { requireTotp: false, requireExtJwtSigner: null } },
};

const contextOf = (onLogin: (attempt: LoginAttempt) => void): RequestContext =>
  ({
    requestId: 'r',
    address: '10.0.0.1',
    now: () => AT,
    modules: { onLogin },
  }) as unknown as RequestContext;

async function told(prove: () => Promise<typeof PROOF>): Promise<LoginAttempt[]> {
  const attempts: LoginAttempt[] = [];
  const ctx = contextOf((attempt) => attempts.push(attempt));
  await observed(ctx, 'ext-jwt', prove).catch(() => undefined);
  return attempts;
}

const COMMON = {
  at: AT,
  requestId: 'r',
  method: 'ext-jwt',
  address: '10.0.0.1',
  isChainImproper: false,
};
const UNKNOWN = { identityId: '', authenticatorId: '', signerId: '', authPolicyId: '' };

test('a success names the identity, its authenticator, signer and auth policy', async () => {
  expect(await told(() => Promise.resolve(PROOF))).toStrictEqual([
    {
      ...COMMON,
      refusal: undefined,
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
  const refusal = new RefusedLogin('IDENTITY_DISABLED', { identityId: 'i' });
  expect(await told(() => Promise.reject(refusal))).toStrictEqual([
    { ...COMMON, ...UNKNOWN, refusal: 'IDENTITY_DISABLED', identityId: 'i' },
  ]);
});

test.each([
  [failure('INVALID_AUTH'), 'INVALID_CREDENTIALS'],
  [tooManyRequests(1), 'TOO_MANY_LOGINS'],
])('%s is a refusal', async (error, refusal) => {
  expect(await told(() => Promise.reject(error))).toStrictEqual([
    { ...COMMON, ...UNKNOWN, refusal },
  ]);
});

test.each([invalidField('username', 'is too short', ''), new Error('no database')])(
  '%s is no login',
  async (error) => {
    expect(await told(() => Promise.reject(error))).toStrictEqual([]);
  },
);

test('a refusal for too many logins keeps its wait, and says whose login it is', () => {
  const refusal = withLogin(tooManyRequests(17), { identityId: 'i' });
  expect(refusal).toMatchObject({
    code: 'SERVER_TOO_MANY_REQUESTS',
    status: 429,
    retryAfter: 17,
    refusal: 'TOO_MANY_LOGINS',
    login: { identityId: 'i' },
  });
  const other = failure('INVALID_AUTH');
  expect(withLogin(other, { identityId: 'i' })).toBe(other);
});

test.each([
  [failure('MFA_INVALID_TOKEN'), ['WRONG_CODE']],
  [tooManyRequests(1), ['TOO_MANY_LOGINS']],
  [failure('MFA_NOT_ENROLLED'), []],
  [undefined, []],
])('a second factor that ends with %s is told as %j', async (error, refusals) => {
  const attempts: LoginAttempt[] = [];
  const prove = () => (error ? Promise.reject(error) : Promise.resolve());
  const caller = { identityId: 'i', authenticatorId: 'a' };
  const ctx = contextOf((attempt) => attempts.push(attempt));
  await observedCode(ctx, caller, prove).catch(() => undefined);
  expect(attempts).toStrictEqual(
    refusals.map((refusal) => ({
      ...COMMON,
      ...UNKNOWN,
      method: 'mfa',
      refusal,
      identityId: 'i',
      authenticatorId: 'a',
    })),
  );
});

test('clients see no reason', () => {
  const { code, status, detail, message } = new RefusedLogin('WRONG_PASSWORD');
  expect({ code, status, detail, message }).toStrictEqual({
    code: 'INVALID_AUTH',
    status: 401,
    detail: undefined,
    message: failure('INVALID_AUTH').message,
  });
});
