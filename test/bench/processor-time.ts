import { readFile } from 'node:fs/promises';
import pg from 'pg';

const MILLIS_PER_TICK = 10;
/** Fields of /proc/<pid>/stat after the name of the program. */
const [USER_TIME, SYSTEM_TIME] = [11, 12];

/**
 * Milliseconds of processor time that the connections of a database have taken; undefined where
 * /proc does not tell.
 */
export async function databaseTime(databaseUrl: string): Promise<number | undefined> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    const times = await Promise.all(rows.map(({ pid }) => processTime(pid)));
    return times.reduce<number>((sum, time) => sum + time, 0);
  } catch {
    return undefined;
  } finally {
    await client.end();
  }
}

async function processTime(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${String(pid)}/stat`, 'utf8')).split(') ')[1]?.split(' ');
  return (Number(fields?.[USER_TIME]) + Number(fields?.[SYSTEM_TIME])) * MILLIS_PER_TICK;
}
