import pg from 'pg';

const DUPLICATE_DATABASE = '42P04';
const UNIQUE_VIOLATION = '23505';

/**
 * Creates a database on the server of `url` if it does not exist, and returns its URL. The name may
 * have letters, digits and underscores. Several controllers may call it at once.
 */
export async function ensureDatabase(url: string, name: string): Promise<string> {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) throw new Error(`"${name}" is no database name`);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      await client.query(`create database ${name} template template0 encoding 'UTF8' locale 'C'`);
    }
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  } finally {
    await client.end();
  }
  return withDatabase(url, name);
}

function isDuplicate(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError &&
    (error.code === DUPLICATE_DATABASE || error.code === UNIQUE_VIOLATION)
  );
}

/**
 * The URL of another database on the same server. It edits text, since `URL` refuses an empty host
 * with a user.
 */
export function withDatabase(url: string, name: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/[^/?]*)(?:\/[^?]*)?/, `$1/${name}`);
}
