import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { catalog } from '../../../src/resources/index.js';
import { withClientErrors } from '../../../src/data/store/client-errors.js';
import { createDatabase } from '../../support/database.js';

/** What a database refuses for its values becomes an error of the client, whatever its language. */

let database: Awaited<ReturnType<typeof createDatabase>>;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('create temporary table service (id text primary key, name text unique)');
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Above a third of a page, below a whole one; it does not become shorter when it is compressed. */
const LONG = randomBytes(4_500).toString('base64');

async function insert(id: string, name: string, translate = (text: string) => text) {
  return withClientErrors(catalog.resources.Service, { id, name }, async () => {
    try {
      await client.query('insert into service values ($1, $2)', [id, name]);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      throw Object.assign(error, { message: translate(error.message) });
    }
  });
}

describe.each([
  ['the language of the source', (text: string) => text],
  ['another language', () => 'der Wert wird nicht angenommen'],
])('in %s', (_, translate) => {
  test('a text above the bound of its index names its attribute', async () => {
    for (const [id, name, field] of [
      ['one', LONG, 'name'],
      [LONG, 'one', 'id'],
    ] as const) {
      await expect(insert(id, name, translate)).rejects.toMatchObject({
        code: 'COULD_NOT_VALIDATE',
        detail: { kind: 'field', field, reason: `${field} is too long for its index` },
      });
    }
  });

  test('a value that another row has names its attribute', async () => {
    await client.query("insert into service values ('two', 'twin') on conflict do nothing");
    await expect(insert('three', 'twin', translate)).rejects.toMatchObject({
      code: 'COULD_NOT_VALIDATE',
      detail: { kind: 'field', field: 'name' },
    });
  });
});
