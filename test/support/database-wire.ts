import { join } from 'node:path';
import { BrokenWire } from './broken-wire.js';
import type { TestDatabase } from './database.js';

/** A wire to a database, and the URL of the database over it. */
export async function wireTo({
  url,
}: Pick<TestDatabase, 'url'>): Promise<{ readonly wire: BrokenWire; readonly url: string }> {
  const host = new URLSearchParams(url.split('?')[1]).get('host');
  if (host === null) throw new Error('the test database has no unix socket');
  const wire = await BrokenWire.to(join(host, '.s.PGSQL.5432'));
  const name = /\/(test_\w+)/.exec(url)?.[1] ?? '';
  const port = String(wire.port);
  return { wire, url: `postgresql://postgres@127.0.0.1:${port}/${name}?sslmode=disable` };
}
