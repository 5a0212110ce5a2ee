import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { WebSocket } from 'ws';
import { streamRouter, WebSocketDoor } from '../../../src/graph/index.js';
import { eventually } from '../../support/eventually.js';
import { follow } from '../../support/following.js';
import { InProcess } from '../../support/in-process.js';
import { subscriptionsOf } from '../../support/subscriptions.js';
import { limitsOf } from '../../support/unlimited.js';
import { idsOf, StreamClient, type Event } from './subscribing.js';

/** Clients that do not read what comes: they cost nothing, and lose nothing. */

/** Together more than the buffers of two sockets hold. */
const LARGE = 300;
// Of what the test writes: the session that it opens may still be on its way through the log.
const QUERY =
  'subscription ($since: ID) { changes(types: ["Config"], since: $since) { id type entityId after } }';

let controller: InProcess;
let server: Server;
let address: string;
let token: string;
const ends: (() => Promise<void>)[] = [];
const faults: unknown[] = [];

beforeAll(async () => {
  controller = await InProcess.start(undefined, { stallMillis: 200 });
  const onUnexpected = (fault: unknown): void => {
    faults.push(fault);
  };
  const subscriptions = subscriptionsOf(controller, onUnexpected);
  const sockets = new WebSocketDoor(subscriptions, limitsOf(), onUnexpected);
  const app = express();
  app.use('/graphql/stream', streamRouter(subscriptions, limitsOf(), onUnexpected));
  server = createServer(app).on('upgrade', sockets.upgrade).listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  ends.push(await follow(controller, onUnexpected), () => sockets.stop());
  ({ token } = await controller.openSession(await controller.defaultAdminId()));
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  for (const end of ends) await end();
  await controller.stop();
  expect(faults).toStrictEqual([]);
});

const logLarge = (name: string): Promise<unknown> =>
  controller.parts.database.pool.query(
    `insert into change (epoch, at, entity_type, entity_id, operation, revision, after)
     select 1, now(), 'Config', $1 || i, 'create', 1, jsonb_build_object('data', repeat('x', 100000))
     from generate_series(1, $2::int) i`,
    [name, LARGE],
  );

const wanted = (name: string): string[] =>
  Array.from({ length: LARGE }, (_, i) => `${name}${String(i + 1)}`);

/** Whoever is cut off follows no more. */
const nobodyFollows = (): Promise<unknown> =>
  eventually(() => {
    expect(controller.parts.stream.followers).toBe(0);
  });

/** What was read before the cut, and what follows the cursor given then, is everything once. */
async function expectWhole(
  name: string,
  read: readonly Event[],
  error: NonNullable<Event['errors']>[number] | undefined,
): Promise<void> {
  expect(read.length).toBeLessThan(LARGE);
  expect(error?.extensions).toMatchObject({
    code: 'SUBSCRIBER_TOO_SLOW',
    status: 429,
    cursor: read.at(-1)?.data?.changes.id,
  });
  const followed = await readOn(String(error?.extensions.cursor), LARGE - read.length);
  expect(idsOf([...read, ...followed])).toStrictEqual(wanted(name));
  await nobodyFollows();
}

/** Follows from a place as clients do: by a new stream whenever a busy machine cuts this one too. */
async function readOn(since: string, count: number): Promise<Event[]> {
  const stream = await StreamClient.open(`http://${address}`, token, { since }, { query: QUERY });
  stream.read();
  const changes = (): Event[] => stream.events.filter(({ data }) => data);
  await eventually(() => {
    expect(stream.isEnded || changes().length >= count).toBe(true);
  });
  stream.close();
  const read = changes();
  if (read.length >= count) return read;
  const cursor = String(stream.events.at(-1)?.errors?.[0]?.extensions.cursor);
  return [...read, ...(await readOn(cursor, count - read.length))];
}

describe('a client that does not read', () => {
  test('its event stream is cut off, and finds the place to resume from at its end', async () => {
    const stream = await StreamClient.open(`http://${address}`, token, {}, { query: QUERY });
    await logLarge('streamed ');
    await nobodyFollows();
    stream.read();
    await eventually(() => {
      expect(stream.isEnded).toBe(true);
    });
    expect(stream.names.at(-1)).toBe('complete');
    const read = stream.events.slice(0, -1);
    await expectWhole('streamed ', read, stream.events.at(-1)?.errors?.[0]);
  });

  test('its WebSocket is cut off, and finds the place to resume from at its end', async () => {
    const socket = new WebSocket(`ws://${address}/graphql`, 'graphql-transport-ws');
    const messages: { type: string; payload: never }[] = [];
    socket.on('message', (data: Buffer) => {
      messages.push(JSON.parse(data.toString()) as (typeof messages)[number]);
    });
    await once(socket, 'open');
    const send = (message: object): void => {
      socket.send(JSON.stringify(message));
    };
    send({ type: 'connection_init', payload: { 'zt-session': token } });
    send({ type: 'ping' });
    await eventually(() => {
      expect(messages.map(({ type }) => type)).toContain('connection_ack');
    });
    send({ id: '1', type: 'subscribe', payload: { query: QUERY } });
    await eventually(() => {
      expect(controller.parts.stream.followers).toBe(1);
    });
    socket.pause();
    await logLarge('by socket ');
    await nobodyFollows();
    const closed = once(socket, 'close') as Promise<[code: number]>;
    socket.resume();
    expect((await closed)[0]).toBe(1013);
    const last = messages.at(-1);
    expect(last?.type).toBe('error');
    const read = messages.filter(({ type }) => type === 'next').map(({ payload }) => payload);
    await expectWhole('by socket ', read, (last?.payload as unknown as never[])[0]);
  });
});
