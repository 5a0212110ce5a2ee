import { randomUUID } from 'node:crypto';
import { sql, type Queryable } from '../../base/sql.js';
import { StartError } from '../../base/start-error.js';
import type { Database } from './database.js';
import type { OpenTransaction } from './open-transaction.js';

/*
 * The record of the network. SQL makes it and raises its epoch, since both depend on what is there, and locks
 * the table.
 */

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
export async function openNetwork(database: Database, keys: NetworkKeys): Promise<NetworkRecord> {
  const system = await systemIdentifier(database);
  return withRecordLocked(database, async (transaction) => {
    await transaction.query(
      sql`insert into network_record (id, epoch, system_identifier, root_fingerprint, key_check, created_at)
        select ${randomUUID()}::text, 1, ${system}::text, ${keys.rootFingerprint}::text, ${keys.keyCheck}::text, now()
        where not exists (select from network_record)`,
    );
    const [record] = await transaction.query(
      sql<NetworkRecord & RecordedKeys>`update network_record
        set epoch = epoch + (system_identifier <> ${system}::text)::int, system_identifier = ${system}::text
        returning id, epoch, root_fingerprint as "rootFingerprint", key_check as "keyCheck"`,
    );
    const { id, epoch } = await confirmRecord(transaction, record, keys);
    return { id, epoch };
  });
}

const KEYS = { rootFingerprint: true, keyCheck: true } as const;

/** Checks key material that changed while the controller runs. */
export const confirmKeys = (database: Database, keys: NetworkKeys): Promise<void> =>
  withRecordLocked(database, async (transaction) => {
    const [record] = await transaction.model((models) =>
      models.networkRecord.findMany({ select: KEYS }),
    );
    await confirmRecord(transaction, record, keys);
  });

/**
 * Works in a transaction that holds the table. Controllers that start together take turns: one makes the
 * record, one increments the epoch.
 */
async function withRecordLocked<T>(
  database: Database,
  work: (transaction: OpenTransaction) => Promise<T>,
): Promise<T> {
  const transaction = await database.begin();
  try {
    await transaction.query(sql`lock table network_record`);
    const result = await work(transaction);
    await transaction.commit();
    return result;
  } finally {
    await transaction.rollback();
  }
}

/** Refuses keys of another network, and records a successor of the root. */
async function confirmRecord<R extends RecordedKeys>(
  transaction: OpenTransaction,
  record: R | undefined,
  keys: NetworkKeys,
): Promise<R> {
  if (!record) throw new Error('the network record is missing');
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
  if (isSame) return record;
  const { rootFingerprint } = keys;
  await transaction.model((models) =>
    models.networkRecord.updateMany({ where: {}, data: { rootFingerprint } }),
  );
  return record;
}

/**
 * The system identifier; empty if the server does not tell, then a move of the database is not
 * noticed.
 */
async function systemIdentifier(database: Queryable): Promise<string> {
  try {
    const [system] = await database.query(
      sql<{ id: string }>`select system_identifier::text as id from pg_control_system()`,
    );
    return system?.id ?? '';
  } catch {
    return '';
  }
}
