import { failure } from '../kernel/errors.js';
import { sql } from '../kernel/sql.js';
import type { Store } from '../kernel/store-port.js';
import { hashPassword, isPassword } from './password-hash.js';
import type { AuthPolicySettings } from './rules/index.js';

export interface ProvedIdentity {
  readonly identityId: string;
  readonly authenticatorId: string;
}

let decoy: Promise<string> | undefined;

/**
 * The identity that a username and password prove. All failures look the same, and cost the same:
 * an unknown user is held against a hash as well.
 * @throws ApiError INVALID_AUTH
 */
export async function loginByPassword(
  store: Store,
  username: string,
  password: string,
  now: Date,
): Promise<ProvedIdentity> {
  const [row] = await store.query(
    sql`select a.id, a.identity_id, a.password_hash, p."primary",
        (i.disabled_at is not null and (i.disabled_until is null or i.disabled_until > ${now}::timestamptz)) as disabled
      from authenticator a
      join identity i on i.id = a.identity_id
      join auth_policy p on p.id = i.auth_policy_id
      where a.method = 'updb' and a.username = ${username}::text`,
  );
  decoy ??= hashPassword('nobody knows this one');
  const hashed = typeof row?.password_hash === 'string' ? row.password_hash : await decoy;
  const matches = await isPassword(hashed, password);
  const primary = row?.primary as AuthPolicySettings['primary'] | undefined;
  if (!row || !matches || row.disabled === true || primary?.updb.allowed !== true) {
    throw failure('INVALID_AUTH');
  }
  return { identityId: String(row.identity_id), authenticatorId: String(row.id) };
}
