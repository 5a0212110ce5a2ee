import pg from 'pg';
import { errorProperty } from './embedded/error-property.js';
import { unfitness } from './fit-server.js';
import { StartError } from '../../base/start-error.js';

const PATIENCE_MILLIS = 5_000;

/**
 * Connects once to the database of `DATABASE_URL`; a failure is a `StartError` with a hint for the
 * operator.
 */
export async function probeDatabase(url: string): Promise<void> {
  const unfit = await connectOnce(url);
  if (unfit === undefined) return;
  throw new StartError(
    `the database of DATABASE_URL can not be used (${unfit})`,
    'upgrade it, or set DATABASE_URL to another one',
  );
}

async function connectOnce(url: string): Promise<string | undefined> {
  let client: pg.Client | undefined;
  try {
    client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: PATIENCE_MILLIS,
      query_timeout: PATIENCE_MILLIS,
    });
    // A connection that breaks later is reported by its next statement.
    client.on('error', () => undefined);
    await client.connect();
    return await unfitness(client);
  } catch (error) {
    throw new StartError(
      `the database of DATABASE_URL can not be used (${reason(error)})`,
      'start it, or correct DATABASE_URL',
    );
  } finally {
    await client?.end().catch(() => undefined);
  }
}

/** The error in one line; an `AggregateError` has one error for each address. */
function reason(error: unknown): string {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code = errorProperty(inner, 'code');
  const message = inner instanceof Error ? inner.message : String(inner);
  const line = message.replace(/\s+/g, ' ').trim();
  return code === '' ? line : `${code}: ${line}`;
}
