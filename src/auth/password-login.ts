import type { RequestContext } from '../kernel/request/context.js';
import { failure } from '../base/errors.js';
import { findPassword, type PasswordRow } from './authenticator-table.js';
import { Gate } from './gate.js';
import { rememberSender } from './known-senders.js';
import { countFailure, forgetFailures, type PasswordOwner } from './lockout.js';
import type { LoginLimit } from './login-limit.js';
import { hashPassword, isPassword } from './password-hash.js';
import type { AuthPolicySecondary, AuthPolicySettings } from './rules/index.js';

/** What a login has proved. */
export interface ProvedIdentity {
  readonly identityId: string;
  readonly authenticatorId: string;
  /** What its auth policy asks for on top. */
  readonly secondary: AuthPolicySecondary;
}

export interface PasswordCredentials {
  readonly username: string;
  readonly password: string;
  /** Where they come from, as limits count it. */
  readonly sender: string;
}

/** The owner of a username, as a login finds it. */
interface User extends PasswordOwner {
  readonly passwordHash: string | null;
  readonly failures: number;
  readonly updb: AuthPolicySettings['primary']['updb'];
  readonly secondary: AuthPolicySecondary;
  readonly isBarred: boolean;
  /** From this sender. */
  readonly lastLoginAt: Date | null;
}

/** Hashing is the costliest thing that a stranger can ask for. */
const hashing = new Gate(4, 64);

let decoy: Promise<string> | undefined;

/**
 * The identity that a username and password prove. All failures look the same, and cost the same:
 * an unknown user is held against a hash as well. Too many failures in a row lock out, and too many
 * in a minute are limited: by sender, and by username over all senders from which it never worked.
 * @throws ApiError INVALID_AUTH, SERVER_TOO_MANY_REQUESTS
 */
export const loginByPassword = (
  ctx: RequestContext,
  credentials: PasswordCredentials,
  limit: LoginLimit,
): Promise<ProvedIdentity> =>
  // What is read counts for what is hashed: nobody waits in between.
  hashing.run(async () => {
    const user = await findUser(ctx, credentials);
    return limit.attempt(limitKeys(credentials, user), ctx.now, () =>
      prove(ctx, credentials, user),
    );
  });

/** What counts the failures of a sender. */
export const senderKey = (sender: string): string => `address:${sender}`;

const limitKeys = ({ username, sender }: PasswordCredentials, user: User | undefined): string[] => [
  senderKey(sender),
  ...(user?.lastLoginAt ? [] : [`username:${username.replaceAll('\0', '')}`]),
];

async function prove(
  ctx: RequestContext,
  { password, sender }: PasswordCredentials,
  user: User | undefined,
): Promise<ProvedIdentity> {
  decoy ??= hashPassword('nobody knows this one');
  const matches = await isPassword(user?.passwordHash ?? (await decoy), password);
  if (!user) throw failure('INVALID_AUTH');
  const isOpen = !user.isBarred && user.updb.allowed;
  if (!matches || !isOpen) {
    // Nobody prolongs, shortens or causes a lockout where no password would help.
    if (isOpen) await countFailure(ctx, user, user.updb);
    throw failure('INVALID_AUTH');
  }
  if (user.failures > 0) await forgetFailures(ctx, user);
  await rememberSender(ctx, user.id, sender, user.lastLoginAt);
  return { identityId: user.identityId, authenticatorId: user.id, secondary: user.secondary };
}

async function findUser(
  ctx: RequestContext,
  { username, sender }: PasswordCredentials,
): Promise<User | undefined> {
  // PostgreSQL stores no NUL in texts, and takes none in questions.
  if (username.includes('\0')) return undefined;
  const row = await findPassword(ctx.store, { username, sender }, ctx.now());
  return row && userOf(row);
}

function userOf(row: PasswordRow): User {
  const lastLoginAt = row.last_login_at;
  const isStranger = row.has_senders && !lastLoginAt;
  return {
    id: row.id,
    identityId: row.identity_id,
    passwordHash: row.password_hash,
    failures: isStranger ? row.stranger_attempts : row.failed_attempts,
    updb: row.primary.updb,
    secondary: row.secondary,
    isBarred: row.is_disabled || (isStranger && row.are_strangers_barred),
    lastLoginAt,
    isStranger,
  };
}
