import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { WebSocket, WebSocketServer } from 'ws';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/index.js';
import type { LiveReader } from '../../../src/network/events/index.js';
import { ManagementConnection } from '../../../src/edge/management-channel/management-connection.js';
import type { RunMessage } from '../../../src/graph/index.js';
import type { RequestLimits } from '../../../src/requests/limits/index.js';
import { eventually } from '../../support/eventually.js';
import { limitsOf } from '../../support/unlimited.js';
import { INSPECT, ManagementClient } from './management-client.js';

let server: WebSocketServer;

beforeEach(async () => {
  server = new WebSocketServer({ port: 0 });
  await once(server, 'listening');
});
afterEach(() => {
  for (const client of server.clients) client.terminate();
  server.close();
});

/** A client of a connection in this process, and what the test needs of the other side. */
async function connect({
  limits = limitsOf(),
  checked = () => Promise.resolve(),
  runMessage = () => Promise.reject(new Error('no query')),
}: {
  limits?: RequestLimits;
  checked?: () => Promise<void>;
  runMessage?: RunMessage;
}) {
  const readers: LiveReader[] = [];
  let open = 0;
  server.once('connection', (socket: WebSocket, request: IncomingMessage) => {
    new ManagementConnection({
      ...{ socket, request, limits, checked },
      liveEvents: {
        open: (_, reader) => {
          readers.push(reader);
          open += 1;
          const close = (): void => {
            open -= 1;
          };
          return { ready: Promise.resolve(), close };
        },
        toggleTraces: () => Promise.resolve({ isSuccess: true, text: '' }),
      },
      runMessage,
      subscribe: () => Promise.reject(new Error('no subscription')),
      onUnknownType: () => undefined,
      onUnexpected: (error) => {
        throw error;
      },
    });
  });
  const { port } = server.address() as AddressInfo;
  const client = await ManagementClient.over(new WebSocket(`ws://127.0.0.1:${String(port)}`));
  return { client, readers, openStreams: () => open };
}

test('a client that sends too much is disconnected', async () => {
  const { client } = await connect({ limits: limitsOf({ addressRate: 5 }) });
  for (let i = 0; i < 20; i += 1) client.tell(CONTENT.ping);
  await eventually(() => {
    expect(client.closeCode).toBe(1013);
  });
});

test('events wait while the session is checked', async () => {
  let isChecked: () => void = () => undefined;
  const check = new Promise<void>((resolve) => {
    isChecked = resolve;
  });
  const { client, readers } = await connect({ checked: () => check });
  await client.watch({ router: null });
  const taken = readers[0]?.deliver([{ type: 'router', text: '{"namespace":"router"}' }]);
  await client.ask(CONTENT.ping);
  expect(client.events).toHaveLength(0);
  isChecked();
  await taken;
  await client.event({ namespace: 'router' });
});

test('a stream ends with its connection, and with the next one', async () => {
  const { client, openStreams } = await connect({});
  for (const type of ['router', 'link']) {
    await client.watch({ [type]: null });
    expect(openStreams()).toBe(1);
  }
  client.end();
  await eventually(() => {
    expect(openStreams()).toBe(0);
  });
});

test('a refused request leaves the stream as it is', async () => {
  const { client, openStreams } = await connect({});
  await client.watch({ router: null });
  expect(await client.watch({ session: { include: 'drunk' } })).toMatchObject({ isSuccess: false });
  expect(openStreams()).toBe(1);
});

test('a connection inspects once at a time', async () => {
  const answers: (() => void)[] = [];
  const inspection = { success: true, errors: [], values: [] };
  const { client } = await connect({
    runMessage: () =>
      new Promise((resolve) => {
        answers.push(() => {
          resolve({ data: { inspect: inspection } });
        });
      }),
  });
  const first = client.inspect('.*', ['links']);
  expect(await client.inspect('.*', ['links'])).toEqual({
    ...{ success: false, values: [] },
    errors: ['another inspection runs'],
  });
  answers[0]?.();
  expect(await first).toEqual(inspection);
  const next = client.inspect('.*', ['links']);
  await eventually(() => {
    expect(answers).toHaveLength(2);
  });
  answers[1]?.();
  expect(await next).toEqual(inspection);
});

test('an inspection that can not be read has an answer', async () => {
  const { client } = await connect({});
  const { body } = await client.answered(INSPECT, Buffer.from([0xff]));
  expect(messages.InspectNodesResponse.decode(body)).toEqual({
    ...{ success: false, values: [] },
    errors: ['the request can not be read'],
  });
});
