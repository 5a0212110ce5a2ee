import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { StartError } from '../base/start-error.js';

/** The facts that tie key material to a database. */
export interface NetworkKeys {
  /** SHA-1 of the root certificate. */
  readonly rootFingerprint: string;
  /** Derived from the secret key: it shows a wrong key without revealing it. */
  readonly keyCheck: string;
  /** SHA-1 of earlier roots that have signed this one. */
  readonly predecessors: readonly string[];
}

type RecordedKeys = Omit<NetworkKeys, 'predecessors'>;

export interface NetworkRecord {
  readonly id: string;
  /** Incremented by a restore, and when the database moves to another server. */
  readonly epoch: number;
}

const CURE = 'bring the key material here with "overgraph pki export" and "overgraph pki import"';

/**
 * Reads the network record of this database; the first controller makes it. Refuses key material of
 * another network, whose tokens and secrets would be invalid. A root that the recorded root has
 * signed replaces it in the record.
 */
export async function openNetwork(pool: pg.Pool, keys: NetworkKeys): Promise<NetworkRecord> {
  const system = await systemIdentifier(pool);
  const client = await pool.connect();
  try {
    // Controllers that start together take turns: one makes the record, one increments the epoch.
    await client.query('begin; lock table network_record');
    await client.query(
      `insert into network_record (id, epoch, system_identifier, root_fingerprint, key_check, created_at)
       select $1, 1, $2, $3, $4, now() where not exists (select from network_record)`,
      [randomUUID(), system, keys.rootFingerprint, keys.keyCheck],
    );
    const { rows } = await client.query<NetworkRecord & RecordedKeys>(
      `update network_record set epoch = epoch + (system_identifier <> $1)::int, system_identifier = $1
       returning id, epoch, root_fingerprint as "rootFingerprint", key_check as "keyCheck"`,
      [system],
    );
    const [record] = rows;
    if (!record) throw new Error('the network record is missing');
    await confirmRecord(client, record, keys);
    await client.query('commit');
    return { id: record.id, epoch: record.epoch };
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** Checks key material that changed while the controller runs. */
export async function confirmKeys(pool: pg.Pool, keys: NetworkKeys): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin; lock table network_record');
    const { rows } = await client.query<RecordedKeys>(
      'select root_fingerprint as "rootFingerprint", key_check as "keyCheck" from network_record',
    );
    const [record] = rows;
    if (!record) throw new Error('the network record is missing');
    await confirmRecord(client, record, keys);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** Refuses keys of another network, and records a successor of the root. */
async function confirmRecord(
  client: pg.PoolClient,
  record: RecordedKeys,
  keys: NetworkKeys,
): Promise<void> {
  const isSame = record.rootFingerprint === keys.rootFingerprint;
  if (!isSame && !keys.predecessors.includes(record.rootFingerprint)) {
    throw new StartError(
      'the root certificate here is not that of the network in the database',
      CURE,
    );
  }
  if (record.keyCheck !== keys.keyCheck) {
    throw new StartError('the secret key here is not that of the network in the database', CURE);
  }
  if (isSame) return;
  await client.query('update network_record set root_fingerprint = $1', [keys.rootFingerprint]);
}

/**
 * The system identifier; empty if the server does not tell, then a move of the database is not
 * noticed.
 */
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
