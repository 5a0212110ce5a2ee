import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket, WebSocketServer } from 'ws';
import { MessageGate } from '../../../src/graph/subscriptions/message-gate.js';
import type { Sender } from '../../../src/requests/limits/index.js';
import { newPerson, PASSWORD } from '../../trust/auth/client.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { limitsOf } from '../../support/unlimited.js';
import { Speaker } from './speaker.js';

/* How many subscriptions there may be at once, and what becomes of clients that take nothing. */

const MAX_OF_A_SESSION = 100;
const MAX_OF_AN_IDENTITY = 500;
const REFUSED = 'RATE_LIMITED';

describe('subscriptions', () => {
  let controller: TestController;

  beforeAll(async () => {
    controller = await startController();
  });
  afterAll(() => controller.stop());

  const speak = async (): Promise<Speaker> =>
    Speaker.connect(controller, '127.0.0.1', await controller.login());

  const subscribe = (speaker: Speaker, ids: readonly string[]): void => {
    for (const id of ids) speaker.subscribe(id);
  };
  const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));
  const refused = async (speaker: Speaker, count: number): Promise<void> => {
    await eventually(() => {
      expect(speaker.refusals).toStrictEqual(Array(count).fill(REFUSED));
    });
  };

  test('of an API session are a hundred, and again one when one ends', async () => {
    const speaker = await speak();
    subscribe(speaker, ids(MAX_OF_A_SESSION + 1));
    await refused(speaker, 1);
    const last = speaker.received.at(-1)?.id ?? '';
    speaker.say({ id: last === '0' ? '1' : '0', type: 'complete' });
    // One of two finds the place that became free.
    subscribe(speaker, ['one', 'two']);
    await refused(speaker, 2);
    speaker.end();
  });

  test('of an identity are five hundred, over all its sessions', async () => {
    const { username } = await newPerson(controller, { isAdmin: true });
    const follow = async (): Promise<Speaker> => {
      const token = await controller.login(username, PASSWORD);
      return Speaker.connect(controller, '127.0.0.1', token);
    };
    const speakers: Speaker[] = [];
    for (let i = 0; i < MAX_OF_AN_IDENTITY / MAX_OF_A_SESSION; i += 1) {
      const speaker = await follow();
      subscribe(speaker, ids(MAX_OF_A_SESSION + 1));
      await refused(speaker, 1);
      speakers.push(speaker);
    }
    const sixth = await follow();
    subscribe(sixth, ids(1));
    await refused(sixth, 1);
    for (const speaker of [...speakers, sixth]) speaker.end();
  });
});

test('a client that takes no answers is not read until it does', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  const [[served]] = (await Promise.all([once(server, 'connection'), once(client, 'open')])) as [
    [WebSocket],
    unknown,
  ];
  const gate = new MessageGate(limitsOf(), served, () => undefined);
  const sender = { headers: {}, socket: { remoteAddress: '10.0.0.1' } } as unknown as Sender;
  expect(gate.admits(Buffer.from('{}'), sender, true)).toBe(true);
  expect(served.isPaused).toBe(false);
  client.pause();
  // More than the system keeps for it.
  served.send(Buffer.alloc(32 * 1024 * 1024));
  expect(gate.admits(Buffer.from('{}'), sender, true)).toBe(true);
  expect(served.isPaused).toBe(true);
  client.resume();
  await eventually(() => {
    expect(served.isPaused).toBe(false);
  });
  client.terminate();
  server.close();
});
