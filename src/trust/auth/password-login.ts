import type { RequestContext } from '../../kernel/request/context.js';
import { passwords, type LoginPassword } from '../../data/rows/authenticator/index.js';
import { Gate } from '../../base/gate.js';
import type { ClaimedAttributes } from './claimed-attributes.js';
import type { GrantedRights } from './granted-rights.js';
import { recordSender } from './known-senders.js';
import { countFailure, resetFailures, type PasswordOwner } from './lockout.js';
import type { LoginLimit } from './login-limit.js';
import { hashPassword } from './password-hash.js';
import { ProvedPasswords } from './proved-passwords.js';
import type { LoginRefusal } from '../../data/rows/login/index.js';
import { RefusedLogin, withLogin, type KnownLogin } from './refused-login.js';
import type { AuthPolicySecondary, AuthPolicySettings } from './rules/index.js';

/** The result of a successful login. */
export interface ProvedIdentity {
  readonly identityId: string;
  readonly authenticatorId: string;
  readonly authPolicy: { readonly id: string; readonly secondary: AuthPolicySecondary };
  /** The role attributes that its JWT gives it. */
  readonly claimed?: ClaimedAttributes;
  /** The rights that its JWT gives the session. */
  readonly granted?: GrantedRights;
}

export interface PasswordCredentials {
  readonly username: string;
  readonly password: string;
  /** The sender's key for limits: an address or a /64 network. */
  readonly sender: string;
}

/** The owner of a username, with its state for this login. */
interface User extends PasswordOwner {
  readonly authPolicyId: string;
  readonly passwordHash: string | null;
  readonly failures: number;
  readonly updb: AuthPolicySettings['primary']['updb'];
  readonly secondary: AuthPolicySecondary;
  readonly isDisabled: boolean;
  /** It is a stranger, and strangers are locked out. */
  readonly isBarred: boolean;
  /** The last login from this sender. */
  readonly lastLoginAt: Date | null;
}

/** Limits hashing, which is the most expensive work that an unauthenticated client can cause. */
const hashing = new Gate(4, 64);

const provedPasswords = new ProvedPasswords();

let decoy: Promise<string> | undefined;

/**
 * Finds the identity of a username and password. All failures have the same answer and cost: for an
 * unknown user it checks a decoy hash. Too many consecutive failures lock out. Failures per minute
 * are limited by sender, and by username for all unknown senders together.
 * @throws ApiError INVALID_AUTH, SERVER_TOO_MANY_REQUESTS
 */
export const loginByPassword = (
  ctx: RequestContext,
  credentials: PasswordCredentials,
  limit: LoginLimit,
): Promise<ProvedIdentity> =>
  // The state is read inside the gate, so that it is current when the password is checked.
  hashing.run(async () => {
    const user = await findUser(ctx, credentials);
    try {
      return await limit.attempt(limitKeys(credentials, user), ctx.now, () =>
        prove(ctx, credentials, user),
      );
    } catch (error) {
      throw user ? withLogin(error, knownOf(user)) : error;
    }
  });

/** The key of a sender in the login limit. */
export const senderKey = (sender: string): string => `address:${sender}`;

const limitKeys = ({ username, sender }: PasswordCredentials, user: User | undefined): string[] => [
  senderKey(sender),
  ...(user?.lastLoginAt ? [] : [`username:${username.replaceAll('\0', '')}`]),
];

const knownOf = ({
  identityId,
  id: authenticatorId,
  authPolicyId,
}: User): Required<KnownLogin> => ({
  identityId,
  authenticatorId,
  authPolicyId,
});

async function prove(
  ctx: RequestContext,
  { password, sender }: PasswordCredentials,
  user: User | undefined,
): Promise<ProvedIdentity> {
  decoy ??= hashPassword('nobody knows this one');
  const matches = await provedPasswords.isPassword(user?.passwordHash ?? (await decoy), password);
  if (!user) throw new RefusedLogin('UNKNOWN_USERNAME');
  const { identityId, authenticatorId, authPolicyId } = knownOf(user);
  const refusal = stateRefusal(user);
  if (!matches || refusal) {
    // A login that no password could pass does not change the lockout.
    if (!refusal) await countFailure(ctx, user, user.updb);
    throw new RefusedLogin(refusal ?? 'WRONG_PASSWORD', knownOf(user));
  }
  if (user.failures > 0) await resetFailures(ctx, user);
  await recordSender(ctx, user.id, sender, user.lastLoginAt);
  const authPolicy = { id: authPolicyId, secondary: user.secondary };
  return { identityId, authenticatorId, authPolicy };
}

/** Why no password lets this user in; undefined if the right one does. */
function stateRefusal({ isDisabled, isBarred, updb }: User): LoginRefusal | undefined {
  if (isDisabled) return 'IDENTITY_DISABLED';
  if (isBarred) return 'LOCKED_OUT';
  return updb.allowed ? undefined : 'PASSWORDS_NOT_ALLOWED';
}

async function findUser(
  ctx: RequestContext,
  { username, sender }: PasswordCredentials,
): Promise<User | undefined> {
  // PostgreSQL refuses NUL in texts and in parameters.
  if (username.includes('\0')) return undefined;
  const row = await passwords.find(ctx.store, { username, sender }, ctx.now());
  return row && userOf(row);
}

function userOf({ hasSenders, lastLoginAt, primary, ...row }: LoginPassword): User {
  const isStranger = hasSenders && !lastLoginAt;
  return {
    ...row,
    failures: isStranger ? row.strangerAttempts : row.failedAttempts,
    updb: primary.updb,
    isBarred: isStranger && row.areStrangersBarred,
    lastLoginAt,
    isStranger,
  };
}
