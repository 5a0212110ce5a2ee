import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { StartError } from './start-error.js';

/** What ties key material to a database. */
export interface NetworkKeys {
  /** SHA-1 of the root certificate. */
  readonly rootFingerprint: string;
  /** Derived from the secret key; tells a wrong one without revealing it. */
  readonly keyCheck: string;
}

export interface NetworkRecord {
  readonly id: string;
  /** Raised by a restore, and when the database moved to another server. */
  readonly epoch: number;
}

const CURE = 'bring the key material here with "overgraph pki export" and "overgraph pki import"';

/**
 * The record of the network in this database, made by the first controller.
 * Refuses key material of another network: tokens and secrets would not fit.
 */
export async function openNetwork(pool: pg.Pool, keys: NetworkKeys): Promise<NetworkRecord> {
  const system = await systemIdentifier(pool);
  const client = await pool.connect();
  try {
    // Controllers that start together take turns: one makes the record, one raises the epoch.
    await client.query('begin; lock table network_record');
    await client.query(
      `insert into network_record (id, epoch, system_identifier, root_fingerprint, key_check, created_at)
       select $1, 1, $2, $3, $4, now() where not exists (select from network_record)`,
      [randomUUID(), system, keys.rootFingerprint, keys.keyCheck],
    );
    const { rows } = await client.query<NetworkRecord & NetworkKeys>(
      `update network_record set epoch = epoch + (system_identifier <> $1)::int, system_identifier = $1
       returning id, epoch, root_fingerprint as "rootFingerprint", key_check as "keyCheck"`,
      [system],
    );
    const [record] = rows;
    if (!record) throw new Error('the network record is missing');
    refuseOthers(record, keys);
    await client.query('commit');
    return { id: record.id, epoch: record.epoch };
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** Refuses key material of another network, when it is changed under a running controller. */
export async function confirmKeys(pool: pg.Pool, keys: NetworkKeys): Promise<void> {
  const { rows } = await pool.query<NetworkKeys>(
    'select root_fingerprint as "rootFingerprint", key_check as "keyCheck" from network_record',
  );
  const [record] = rows;
  if (!record) throw new Error('the network record is missing');
  refuseOthers(record, keys);
}

function refuseOthers(record: NetworkKeys, keys: NetworkKeys): void {
  if (record.rootFingerprint !== keys.rootFingerprint) {
    throw new StartError(
      'the root certificate here is not that of the network in the database',
      CURE,
    );
  }
  if (record.keyCheck !== keys.keyCheck) {
    throw new StartError('the secret key here is not that of the network in the database', CURE);
  }
}

/** Empty where the server does not tell, which only leaves a move of the database unnoticed. */
async function systemIdentifier(pool: pg.Pool): Promise<string> {
  try {
    const { rows } = await pool.query<{ id: string }>(
      'select system_identifier::text as id from pg_control_system()',
    );
    return rows[0]?.id ?? '';
  } catch {
    return '';
  }
}
