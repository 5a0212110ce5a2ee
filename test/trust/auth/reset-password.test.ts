import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isPassword, resetPassword, type PasswordReset } from '../../../src/trust/auth/index.js';
import { sql } from '../../../src/base/sql.js';
import { InProcess } from '../../support/in-process.js';

/** What becomes of an administrator whose password is reset on the database itself. */

let on: InProcess;
let deputy: string;

beforeAll(async () => {
  on = await InProcess.start();
  deputy = await on.create('Identity', { name: 'deputy', type: 'Default', isAdmin: true });
  await on.create('Identity', { name: 'mortal', type: 'Default', isAdmin: false });
});
afterAll(() => on.stop());

const reset = (change: Partial<PasswordReset> = {}) =>
  resetPassword(
    { ...on.anonymous(), address: 'command line' },
    {
      username: undefined,
      defaultUsername: 'admin',
      password: undefined,
      disableMfa: false,
      ...change,
    },
  );

const rows = (text: string, ...values: string[]) =>
  on.parts.database.pool.query(text, values).then(({ rows: found }) => found as Row[]);
type Row = Record<string, unknown>;

const adminId = async (): Promise<string> =>
  String((await rows('select id from identity where is_default_admin'))[0]?.id);

async function hashOf(username: string): Promise<string> {
  const [row] = await rows('select password_hash from authenticator where username = $1', username);
  return String(row?.password_hash);
}

describe('a reset password', () => {
  test('is generated, enables the default admin and ends the sessions', async () => {
    const id = await adminId();
    await on.openSession(id);
    await rows('update identity set disabled_at = now() where id = $1', id);
    await rows('update authenticator set failed_attempts = 3 where identity_id = $1', id);
    const { password, username, endedSessions, isDefaultAdmin, obstacles } = await reset();
    expect({ username, isDefaultAdmin, obstacles }).toStrictEqual({
      username: 'admin',
      isDefaultAdmin: true,
      obstacles: [],
    });
    expect(endedSessions).toBeGreaterThan(0);
    expect(await isPassword(await hashOf('admin'), password)).toBe(true);
    expect(
      await rows(
        `select disabled_at, (select count(*)::int from api_session s where s.identity_id = i.id) as sessions,
          (select failed_attempts from authenticator a where a.identity_id = i.id) as failures from identity i where id = $1`,
        id,
      ),
    ).toStrictEqual([{ disabled_at: null, sessions: 0, failures: 0 }]);
  });

  test('makes the default admin an administrator again', async () => {
    const id = await adminId();
    await rows('update identity set is_admin = false where id = $1', id);
    await reset();
    expect(await rows('select is_admin from identity where id = $1', id)).toStrictEqual([
      { is_admin: true },
    ]);
  });

  test('leaves records of the change, by nobody, from the command line, without the password', async () => {
    const id = await adminId();
    const { password } = await reset({ password: 'chosen by hand' });
    const found = await on.parts.store.query(
      sql<{
        entity_type: string;
        actor_id: string | null;
        address: string | null;
        after: string | null;
      }>`select entity_type, actor_id, address, after::text as after from change
        where xid = (select max(xid) from change) order by seq`,
    );
    expect(found.map((row) => [row.entity_type, row.actor_id, row.address])).toStrictEqual([
      ['Authenticator', null, 'command line'],
      ['Identity', null, 'command line'],
    ]);
    expect(JSON.stringify(found)).not.toContain(password);
    expect(JSON.stringify(found)).not.toContain(await hashOf('admin'));
    expect(JSON.stringify(found)).toContain(id);
  });

  test('makes the authenticator where there is none', async () => {
    await rows(`delete from authenticator where username = 'admin'`);
    const { username, password } = await reset({ defaultUsername: 'boss' });
    expect(username).toBe('boss');
    expect(await isPassword(await hashOf('boss'), password)).toBe(true);
  });

  test('is that of the administrator who is named, by username or else by name', async () => {
    expect(await reset({ username: 'deputy' })).toMatchObject({
      identityId: deputy,
      username: 'deputy',
      isDefaultAdmin: false,
    });
    await rows(`update identity set name = 'renamed' where id = $1`, deputy);
    expect(await reset({ username: 'deputy' })).toMatchObject({ identityId: deputy });
  });

  test('is for administrators alone', async () => {
    for (const username of ['mortal', 'nobody']) {
      await expect(reset({ username })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  test('obeys the rules of the auth policy', async () => {
    await rows(
      `update auth_policy set "primary" = jsonb_set(jsonb_set(jsonb_set(jsonb_set("primary", '{updb,minPasswordLength}', '40'),
        '{updb,requireMixedCase}', 'true'), '{updb,requireNumberChar}', 'true'), '{updb,requireSpecialChar}', 'true') where id = 'default'`,
    );
    await expect(reset({ password: 'short one' })).rejects.toMatchObject({
      detail: { field: 'password', reason: 'must have at least 40 characters', value: '' },
    });
    expect((await reset()).password.length).toBeGreaterThanOrEqual(40);
  });

  test('takes the second factor away when asked to, and else tells of it', async () => {
    const id = await adminId();
    await rows('update identity set is_mfa_enabled = true where id = $1', id);
    await rows(
      `insert into mfa (identity_id, id, created_at, updated_at, is_verified, secret, recovery_codes) values ($1, 'm', now(), now(), true, 's', 'r')`,
      id,
    );
    expect((await reset()).obstacles).toStrictEqual([expect.stringContaining('--disable-mfa')]);
    expect((await reset({ disableMfa: true })).obstacles).toStrictEqual([]);
    expect(
      await rows(
        'select is_mfa_enabled, (select count(*)::int from mfa) as factors from identity where id = $1',
        id,
      ),
    ).toStrictEqual([{ is_mfa_enabled: false, factors: 0 }]);
  });

  test('tells what else the auth policy asks for', async () => {
    await rows(
      `update auth_policy set "primary" = jsonb_set("primary", '{updb,allowed}', 'false'),
        secondary = jsonb_set(secondary, '{requireTotp}', 'true') where id = 'default'`,
    );
    expect((await reset()).obstacles).toStrictEqual([
      expect.stringContaining('does not allow passwords'),
      expect.stringContaining('asks for a one-time code'),
    ]);
  });
});
