import pg from 'pg';
import type { Database } from './database.js';

const UNDEFINED_TABLE = '42P01';

/**
 * The key check in the record of the network; undefined while there is none. A plain client asks for it,
 * since a controller does so before it has migrated the database.
 */
export async function readKeyCheck(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ key_check: string }>(
      'select key_check from network_record',
    );
    return rows[0]?.key_check;
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return undefined;
    throw error;
  } finally {
    await client.end();
  }
}

/** The epoch in the record of the network; undefined while there is none. */
export async function readEpoch({ pool }: Pick<Database, 'pool'>): Promise<number | undefined> {
  try {
    const { rows } = await pool.query<{ epoch: number }>('select epoch from network_record');
    return rows[0]?.epoch;
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return undefined;
    throw error;
  }
}
