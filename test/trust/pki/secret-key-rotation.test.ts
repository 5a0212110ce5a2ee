import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import {
  LiveKeys,
  loadKeyMaterial,
  openSecret,
  preparePendingSecretKey,
  sealSecret,
  settlePendingSecretKey,
  type KeyMaterial,
} from '../../../src/trust/pki/index.js';
import { Database } from '../../../src/data/store/database.js';
import { readKeyCheck } from '../../../src/data/store/network-keys.js';
import { confirmKeys, openNetwork } from '../../../src/data/store/network-record.js';
import { resealSecrets } from '../../../src/data/store/reseal.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';

/** The secret key is changed with everything under it, and a crash at any moment loses nothing. */

let server: TestDatabase;
let database: Database;
let pool: pg.Pool;
let folder: string;
let before: KeyMaterial;

const PEOPLE = 1_100;
const OWNER_ONLY = { allowOpen: false };

beforeAll(async () => {
  server = await createDatabase();
  database = new Database({ url: server.url, named: true, connections: 2 });
  ({ pool } = database);
  folder = await mkdtemp(join(tmpdir(), 'overgraph-rotation-'));
});
afterAll(async () => {
  await database.close();
  await server.drop();
  await rm(folder, { recursive: true, force: true });
});

const load = (): Promise<KeyMaterial> =>
  loadKeyMaterial({ directory: folder, advertiseHost: 'localhost', clock: () => new Date() });

beforeEach(async () => {
  before = await load();
  await pool.query('delete from network_record; delete from controller; delete from change');
  await openNetwork(database, before);
  await pool.query(
    'alter table mfa drop constraint if exists mfa_identity_id_fkey; delete from mfa',
  );
  const people = Array.from({ length: PEOPLE }, (_, n) => `person-${String(n)}`);
  await pool.query(
    `insert into mfa (identity_id, id, created_at, updated_at, secret, recovery_codes)
     select v.id, v.id, now(), now(), v.secret, v.codes from unnest($1::text[], $2::text[], $3::text[]) v(id, secret, codes)`,
    [
      people,
      people.map((name) => sealSecret(before.secretKey, `secret of ${name}`)),
      people.map((name) => sealSecret(before.secretKey, `codes of ${name}`)),
    ],
  );
});

/** As far as `until`; a start of a controller follows. */
async function rotate(until: 'prepared' | 'resealed' | 'done'): Promise<void> {
  const pending = await preparePendingSecretKey(folder, before.secretKey, OWNER_ONLY);
  if (until === 'prepared') return;
  const count = await resealSecrets({ url: server.url, now: new Date(), ...pending });
  expect(count).toBe(2 * PEOPLE);
  if (until === 'done') await settlePendingSecretKey(folder, pending.keyChecks[1], OWNER_ONLY);
}

async function start(): Promise<KeyMaterial> {
  await settlePendingSecretKey(folder, await readKeyCheck(server.url), OWNER_ONLY);
  const keys = await load();
  await openNetwork(database, keys);
  return keys;
}

async function readable(keys: KeyMaterial): Promise<number> {
  const { rows } = await pool.query<{
    identity_id: string;
    secret: string;
    recovery_codes: string;
  }>('select identity_id, secret, recovery_codes from mfa');
  return rows.filter(
    (row) =>
      openSecret(keys.secretKey, row.secret) === `secret of ${row.identity_id}` &&
      openSecret(keys.secretKey, row.recovery_codes) === `codes of ${row.identity_id}`,
  ).length;
}

describe('a change of the secret key', () => {
  test('puts every secret under the new key, and says so in the change log', async () => {
    await rotate('done');
    const after = await start();
    expect(after.keyCheck).not.toBe(before.keyCheck);
    expect(after.rootFingerprint).toBe(before.rootFingerprint);
    expect(await readable(after)).toBe(PEOPLE);
    expect(await readdir(folder)).not.toContain('secret.key.next');
    const { rows } = await pool.query(
      'select entity_type, actor_id, address, before, after from change',
    );
    expect(rows).toStrictEqual([
      {
        entity_type: 'NetworkRecord',
        actor_id: null,
        address: 'command line',
        before: { keyCheck: before.keyCheck },
        after: { keyCheck: after.keyCheck },
      },
    ]);
  });

  test('broken off before the database was changed leaves the old key', async () => {
    await rotate('prepared');
    const after = await start();
    expect(after.keyCheck).toBe(before.keyCheck);
    expect(await readable(after)).toBe(PEOPLE);
    expect(await readdir(folder)).not.toContain('secret.key.next');
  });

  test('broken off after the database was changed goes on to the new key', async () => {
    await rotate('resealed');
    expect((await load()).keyCheck).toBe(before.keyCheck);
    const after = await start();
    expect(after.keyCheck).not.toBe(before.keyCheck);
    expect(await readable(after)).toBe(PEOPLE);
    expect(await readdir(folder)).not.toContain('secret.key.next');
  });

  test('leaves keys alone that are not those of the network', async () => {
    await rotate('prepared');
    const pending = await readFile(join(folder, 'secret.key.next'));
    await settlePendingSecretKey(folder, 'of another network', OWNER_ONLY);
    expect(await readFile(join(folder, 'secret.key.next'))).toStrictEqual(pending);
    expect((await start()).keyCheck).toBe(before.keyCheck);
  });

  test('never leaves a controller with a key that the database does not go by', async () => {
    const keys = new LiveKeys({
      first: before,
      load,
      accept: (next) => confirmKeys(database, next),
    });
    await rotate('prepared');
    expect(await keys.refresh()).toBe(false);
    // Whoever puts the new key in place by hand, before the database is under it.
    const pending = await readFile(join(folder, 'secret.key.next'));
    await writeFile(join(folder, 'secret.key'), pending);
    await expect(keys.refresh()).rejects.toThrow('the secret key here is not that of the network');
    expect(keys.current.keyCheck).toBe(before.keyCheck);
    await writeFile(join(folder, 'secret.key'), before.secretKey);
    await rotate('resealed');
    expect(await keys.refresh()).toBe(false);
    await start();
    expect(await keys.refresh()).toBe(true);
    expect(await readable(keys.current)).toBe(PEOPLE);
  });

  test('refuses a pending key that others can read', async () => {
    await rotate('prepared');
    await chmod(join(folder, 'secret.key.next'), 0o644);
    await expect(start()).rejects.toThrow('for its owner alone');
    await chmod(join(folder, 'secret.key.next'), 0o600);
    expect((await start()).keyCheck).toBe(before.keyCheck);
  });

  test('does nothing by halves when a secret can not be opened', async () => {
    await pool.query("update mfa set secret = 'v1.nonsense' where identity_id = 'person-1050'");
    await expect(rotate('done')).rejects.toThrow();
    expect(await readKeyCheck(server.url)).toBe(before.keyCheck);
    expect((await start()).keyCheck).toBe(before.keyCheck);
    const { rows } = await pool.query<{ secret: string }>(
      "select secret from mfa where identity_id = 'person-1'",
    );
    expect(openSecret(before.secretKey, rows[0]?.secret ?? '')).toBe('secret of person-1');
  });

  test('is refused while a controller runs, and where the key is not that of the network', async () => {
    await pool.query(`insert into controller (id, created_at, updated_at, name, cert_pem, fingerprint, last_joined_at, last_seen_at)
      values ('c', now(), now(), 'controller-c', '', '', now(), now())`);
    await expect(rotate('done')).rejects.toThrow('controller-c is running on this database');
    await pool.query('delete from controller');
    await pool.query("update network_record set key_check = 'other'");
    await expect(rotate('done')).rejects.toThrow('not that of the network');
  });
});
