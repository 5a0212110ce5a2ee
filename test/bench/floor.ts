import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import pg from 'pg';
import { SESSION_SETTINGS } from '../../src/data/store/database.js';
import { FLOORS } from './floors.js';

/*
 * The floor: what is left when all of the controller is taken away but its transport and its
 * database. `/<place in FLOORS>/<key>` runs that one statement and gives its JSON.
 * Arguments: database URL, port, folder of the controller's keys.
 */

const [databaseUrl = '', port = '', keys = ''] = process.argv.slice(2);
const pool = new pg.Pool({
  connectionString: databaseUrl,
  options: SESSION_SETTINGS,
  max: 16,
});

const prepared = FLOORS.map(({ floor, answer }) => ({
  name: createHash('sha1').update(floor).digest('base64url'),
  text: floor,
  takesKey: floor.includes('$1'),
  answer,
}));

async function body(url: string): Promise<string> {
  const [, read = '', key = ''] = url.split('/');
  const known = prepared[Number(read)];
  if (!known) throw new Error(`there is no read ${read}`);
  const { name, text, takesKey, answer } = known;
  const values = takesKey ? [decodeURIComponent(key)] : [];
  const { rows } = await pool.query<Record<string, unknown>>({ name, text, values });
  return JSON.stringify(answer(rows));
}

const server = createServer(
  {
    cert: await readFile(join(keys, 'server.pem')),
    key: await readFile(join(keys, 'server.key')),
    minVersion: 'TLSv1.2',
  },
  (request, response) => {
    request.resume();
    body(request.url ?? '').then(
      (json) => {
        response.writeHead(200, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(json),
        });
        response.end(json);
      },
      (error: unknown) => {
        response.writeHead(500).end(String(error));
      },
    );
  },
);
server.listen(Number(port), '127.0.0.1', () => {
  console.log('ready');
});
process.on('SIGTERM', () => {
  process.exit();
});
