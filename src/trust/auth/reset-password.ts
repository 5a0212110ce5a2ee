import { randomBytes } from 'node:crypto';
import type { RequestContext } from '../../kernel/request/context.js';
import { failure, notFound } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { currentRow, deleteIn, insertIn, originOf, patchIn } from '../../kernel/write/write.js';
import { resetAllFailures } from './lockout.js';
import { secondFactors } from '../../data/rows/identity/index.js';
import { hashPassword } from './password-hash.js';
import { checkPassword } from './rules/index.js';

export interface PasswordReset {
  /** The username of the authenticator, or the name of the identity; undefined: the default admin. */
  readonly username: string | undefined;
  /** The username for a new authenticator of the default admin. */
  readonly defaultUsername: string;
  /** Undefined: one is generated. */
  readonly password: string | undefined;
  readonly disableMfa: boolean;
}

export interface ResetPassword {
  readonly identityId: string;
  readonly isDefaultAdmin: boolean;
  readonly username: string;
  readonly password: string;
  readonly endedSessions: number;
  /** Reasons why this password alone is not enough for a login. */
  readonly obstacles: readonly string[];
}

/**
 * Sets the password of an administrator, enables the identity and ends its sessions. It checks no
 * permissions: it is for operators with access to the database.
 * @throws ApiError NOT_FOUND; COULD_NOT_VALIDATE when the rules do not allow the password
 */
export async function resetPassword(
  ctx: RequestContext,
  reset: PasswordReset,
): Promise<ResetPassword> {
  return ctx.store.write(originOf(ctx), async (tx) => {
    const identities = ctx.catalog.resources.Identity;
    const administrator = await findAdministrator(ctx, tx, reset.username);
    const identity = await currentRow(tx, identities, administrator.id);
    const policies = ctx.catalog.resources.AuthPolicy;
    const [policy] = await tx.find(policies, { id: identity.authPolicyId });
    if (!policy) throw notFound(policies.label, identity.authPolicyId);
    const { updb } = policy.primary;
    const password = reset.password ?? generatePassword(updb.minPasswordLength);
    checkPassword(updb, password);
    const username = await setPassword(ctx, tx, identity, reset, await hashPassword(password));
    const mfa = reset.disableMfa ? await dropFactor(tx, identity) : {};
    // Earlier releases let the default administrator lose its rights.
    const rights = identity.isDefaultAdmin ? { isAdmin: true } : {};
    const enabled = { disabledAt: null, disabledUntil: null, ...withoutTimes(identity) };
    await patchIn(tx, identities, identity, { ...enabled, ...rights, ...mfa });
    const sessions = ctx.catalog.resources.ApiSession;
    const open = await tx.find(sessions, { identityId: identity.id });
    await deleteIn(ctx, tx, sessions, open);
    return {
      identityId: identity.id,
      isDefaultAdmin: identity.isDefaultAdmin,
      username,
      password,
      endedSessions: open.length,
      obstacles: obstaclesOf({ ...identity, ...mfa }, policy),
    };
  });
}

/** Generates a password with every class of characters that rules can require. */
const generatePassword = (length: number): string =>
  `${randomBytes(Math.max(15, length)).toString('base64url').slice(0, 96)}-aA1`;

async function findAdministrator(
  ctx: RequestContext,
  tx: Transaction,
  username: string | undefined,
): Promise<RowOf<'Identity'>> {
  const identities = ctx.catalog.resources.Identity;
  if (username === undefined) {
    const [admin] = await tx.find(identities, { isDefaultAdmin: true });
    if (!admin) throw failure('NOT_FOUND', 'the network has no default administrator');
    return admin;
  }
  const [authenticator] = await tx.find(ctx.catalog.resources.Authenticator, { username });
  const match = authenticator ? { id: authenticator.identityId } : { name: username };
  const [identity] = await tx.find(identities, match);
  if (identity?.isAdmin) return identity;
  throw failure('NOT_FOUND', `there is no administrator ${JSON.stringify(username)}`);
}

/** Sets the password of the existing authenticator, or of a new one; gives its username. */
async function setPassword(
  ctx: RequestContext,
  tx: Transaction,
  identity: RowOf<'Identity'>,
  { username, defaultUsername }: PasswordReset,
  passwordHash: string,
): Promise<string> {
  const authenticators = ctx.catalog.resources.Authenticator;
  const [existing] = await tx.find(authenticators, { identityId: identity.id, method: 'updb' });
  if (!existing) {
    const newUsername = username ?? defaultUsername;
    await insertIn(tx, authenticators, {
      id: newId(),
      identityId: identity.id,
      method: 'updb',
      username: newUsername,
      passwordHash,
    });
    return newUsername;
  }
  await patchIn(tx, authenticators, existing, { passwordHash });
  await resetAllFailures(tx, identity.id);
  return existing.username ?? '';
}

/** Times that keep the administrator out go; those in which it is now stay. */
const withoutTimes = ({ isOutsideTimes }: RowOf<'Identity'>) =>
  isOutsideTimes
    ? { validFrom: null, validUntil: null, isOutsideTimes: false, nextChangeAt: null }
    : {};

async function dropFactor(
  tx: Transaction,
  { id }: RowOf<'Identity'>,
): Promise<{ isMfaEnabled: boolean }> {
  await secondFactors.remove(tx, id);
  return { isMfaEnabled: false };
}

function obstaclesOf(identity: RowOf<'Identity'>, policy: RowOf<'AuthPolicy'>): string[] {
  const { primary, secondary } = policy;
  const name = JSON.stringify(policy.name);
  return [
    ...(primary.updb.allowed ? [] : [`the auth policy ${name} does not allow passwords`]),
    ...(identity.isMfaEnabled ? ['a second factor is set up (--disable-mfa)'] : []),
    ...(secondary.requireTotp ? [`the auth policy ${name} asks for a one-time code`] : []),
    ...(secondary.requireExtJwtSigner === null
      ? []
      : [`the auth policy ${name} asks for a JWT of a signer`]),
  ];
}
