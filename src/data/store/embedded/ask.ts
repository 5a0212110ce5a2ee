import { resolve } from 'node:path';
import pg from 'pg';
import { urlOf, type Endpoint } from './endpoint.js';
import type { Home } from './home.js';

export type Answer = 'ready' | 'starting' | 'none';

/** Connects to an endpoint and tells whether the server of this cluster answers. */
export async function ask(home: Home, endpoint: Endpoint): Promise<Answer> {
  const client = new pg.Client({
    connectionString: urlOf(endpoint, 'postgres'),
    connectionTimeoutMillis: 2000,
    query_timeout: 2000,
  });
  // A server that stops between two answers must not end this process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    return resolve(rows[0]?.data_directory ?? '') === home.cluster ? 'ready' : 'none';
  } catch (error) {
    return answerIn(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const CANNOT_CONNECT_NOW = '57P03';
const TOO_MANY_CONNECTIONS = '53300';

function answerIn(error: unknown): Answer {
  if (!(error instanceof pg.DatabaseError)) return 'none';
  if (error.code === CANNOT_CONNECT_NOW) return 'starting';
  return error.code === TOO_MANY_CONNECTIONS ? 'ready' : 'none';
}
