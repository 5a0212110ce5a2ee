import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../../support/database.js';

/** A client of a migrated database, for the tests of one block: each undoes what it changed. */
export function rolledBackClient(): () => pg.Client {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });
  beforeEach(() => client.query('begin'));
  afterEach(() => client.query('rollback'));

  return () => client;
}
