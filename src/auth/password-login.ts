import type { RequestContext } from '../kernel/context.js';
import { failure } from '../kernel/errors.js';
import type { Row } from '../kernel/row.js';
import { sql } from '../kernel/sql.js';
import { currentRow, deleteIn, originOf, patchIn } from '../kernel/write.js';
import { Gate } from './gate.js';
import { hashPassword, isPassword } from './password-hash.js';
import type { AuthPolicySettings } from './rules/index.js';

/** What a login has proved. */
export interface ProvedIdentity {
  readonly identityId: string;
  readonly authenticatorId: string;
}

const MINUTE = 60_000;

/** Hashing is the costliest thing that a stranger can ask for. */
const hashing = new Gate(4, 64);

let decoy: Promise<string> | undefined;

/**
 * The identity that a username and password prove. All failures look the same, and cost the same:
 * an unknown user is held against a hash as well. Too many failures in a row disable the identity.
 * @throws ApiError INVALID_AUTH
 */
export async function loginByPassword(
  ctx: RequestContext,
  username: string,
  password: string,
): Promise<ProvedIdentity> {
  const row = await findByUsername(ctx, username);
  const hashed = await hashOf(row);
  const matches = await hashing.run(() => isPassword(hashed, password));
  if (!row) throw failure('INVALID_AUTH');
  const { updb } = row.primary as AuthPolicySettings['primary'];
  const isOpen = row.disabled !== true && updb.allowed;
  if (!matches || !isOpen) {
    // Nobody prolongs, shortens or causes a lockout where no password would help.
    if (isOpen) await countFailure(ctx, row, updb);
    throw failure('INVALID_AUTH');
  }
  if (Number(row.failed_attempts) > 0) await setAttempts(ctx, String(row.id), 0);
  return { identityId: String(row.identity_id), authenticatorId: String(row.id) };
}

/** The hash to hold a password against: somebody's, or else nobody's. */
async function hashOf(row: Row | undefined): Promise<string> {
  decoy ??= hashPassword('nobody knows this one');
  return typeof row?.password_hash === 'string' ? row.password_hash : decoy;
}

async function findByUsername(ctx: RequestContext, username: string): Promise<Row | undefined> {
  // PostgreSQL stores no NUL in texts, and takes none in questions.
  if (username.includes('\0')) return undefined;
  const [row] = await ctx.store.query(
    sql`select a.id, a.identity_id, a.password_hash, a.failed_attempts, p."primary",
        (i.disabled_at is not null and (i.disabled_until is null or i.disabled_until > ${ctx.now()}::timestamptz)) as disabled
      from authenticator a
      join identity i on i.id = a.identity_id
      join auth_policy p on p.id = i.auth_policy_id
      where a.method = 'updb' and a.username = ${username}::text`,
  );
  return row;
}

const setAttempts = (ctx: RequestContext, id: string, attempts: number): Promise<unknown> =>
  ctx.store.query(
    sql`update authenticator set failed_attempts = ${attempts}::int where id = ${id}::text`,
  );

/** In the database, so that neither a restart nor another controller forgives. */
async function countFailure(
  ctx: RequestContext,
  row: Row,
  { maxAttempts, lockoutDurationMinutes }: AuthPolicySettings['primary']['updb'],
): Promise<void> {
  if (maxAttempts === 0) return;
  const id = String(row.id);
  const [counted] = await ctx.store.query(
    sql`update authenticator set failed_attempts = failed_attempts + 1 where id = ${id}::text returning failed_attempts`,
  );
  if (Number(counted?.failed_attempts) < maxAttempts) return;
  await lockOut(ctx, String(row.identity_id), lockoutDurationMinutes);
  await setAttempts(ctx, id, 0);
}

/** Disables the identity and ends its sessions, unless it was disabled meanwhile. */
async function lockOut(ctx: RequestContext, id: string, minutes: number): Promise<void> {
  const now = ctx.now();
  const identities = ctx.catalog.get('Identity');
  const sessions = ctx.catalog.get('ApiSession');
  // Not the doing of a session that came with the attempt, which may be over.
  await ctx.store.write({ ...originOf(ctx), apiSessionId: null }, async (tx) => {
    const current = await currentRow(tx, identities, id);
    if (isDisabled(current, now)) return;
    await patchIn(tx, identities, current, {
      disabledAt: now,
      disabledUntil: minutes > 0 ? new Date(now.getTime() + minutes * MINUTE) : null,
    });
    await deleteIn(ctx, tx, sessions, await tx.find(sessions, { identityId: id }));
  });
}

const isDisabled = ({ disabledAt, disabledUntil }: Row, now: Date): boolean =>
  disabledAt instanceof Date && (!(disabledUntil instanceof Date) || disabledUntil > now);
