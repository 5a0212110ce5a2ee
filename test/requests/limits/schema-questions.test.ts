import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { startController, type TestController } from '../../support/controller.js';
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

/** Asks again and again, until that is refused; gives when the last question was asked. */
async function refuse(client: TlsClient) {
  let status: number | undefined = 200;
  let askedAt = 0;
  for (let i = 0; i < MANY && status === 200; i += 1) {
    askedAt = performance.now();
    status = await ask(client, SCHEMA);
  }
  return { status, askedAt };
}

test('an address is refused what takes up the time of all, and nothing else', async () => {
  const client = await TlsClient.connect(controller.port, '127.0.0.41');
  expect(await ask(client, VERSION)).toBe(200);
  expect((await refuse(client)).status).toBe(429);
  expect(await ask(client, VERSION)).toBe(200);
  client.end();
  const other = await TlsClient.connect(controller.port, '127.0.0.42');
  expect(await ask(other, SCHEMA)).toBe(200);
  other.end();
});

test('a connection on which that is refused is not read for half a second', async () => {
  const client = await TlsClient.connect(controller.port, '127.0.0.43');
  const { status, askedAt } = await refuse(client);
  expect(status).toBe(429);
  expect(await ask(client, VERSION)).toBe(200);
  // The client of a slow machine may see the refusal when the pause is nearly over.
  expect(performance.now() - askedAt).toBeGreaterThan(450);
  client.end();
});
