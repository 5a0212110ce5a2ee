import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { startController, type TestController } from '../support/controller.js';
import { TlsClient } from './tls-client.js';

/* The answer about the whole schema is made in one go: its time counts, though its text is known. */

let controller: TestController;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_GRAPHQL_BUDGET: '1000000000' } });
});
afterAll(() => controller.stop());

const SCHEMA = JSON.stringify({ query: getIntrospectionQuery() });
const VERSION = JSON.stringify({ query: '{ version { version } }' });
/** Far more than tools ask in a moment. */
const MANY = 200;

function ask(client: TlsClient, body: string): Promise<number | undefined> {
  const before = client.statuses.length;
  client.head(
    'POST /graphql HTTP/1.1',
    'content-type: application/json',
    `content-length: ${String(body.length)}`,
  );
  client.send(body);
  return client.answers(before + 1).then((statuses) => statuses.at(-1));
}

/** Asks again and again, until that is refused. */
async function refuse(client: TlsClient): Promise<number | undefined> {
  let status: number | undefined = 200;
  for (let i = 0; i < MANY && status === 200; i += 1) status = await ask(client, SCHEMA);
  return status;
}

test('an address is refused what takes up the time of all, and nothing else', async () => {
  const client = await TlsClient.connect(controller.port, '127.0.0.41');
  expect(await ask(client, VERSION)).toBe(200);
  expect(await refuse(client)).toBe(429);
  expect(await ask(client, VERSION)).toBe(200);
  client.end();
  const other = await TlsClient.connect(controller.port, '127.0.0.42');
  expect(await ask(other, SCHEMA)).toBe(200);
  other.end();
});

test('a connection on which that is refused is not read for half a second', async () => {
  const client = await TlsClient.connect(controller.port, '127.0.0.43');
  expect(await refuse(client)).toBe(429);
  const begin = performance.now();
  expect(await ask(client, VERSION)).toBe(200);
  expect(performance.now() - begin).toBeGreaterThan(400);
  client.end();
});
