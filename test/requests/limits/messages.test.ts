import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { limitOf, type Sender } from '../../../src/requests/limits/index.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { limitsOf } from '../../support/unlimited.js';
import { Speaker, SUBSCRIPTION } from './speaker.js';
import { TlsClient } from './tls-client.js';

/* Messages of a WebSocket pass the limits that requests pass. */

const RATE = 10;
const BURST = 2 * RATE;
const TOO_MANY = 'SERVER_TOO_MANY_REQUESTS';

describe('of an address', () => {
  let controller: TestController;

  beforeAll(async () => {
    controller = await startController({ env: { OVERGRAPH_RATE_LIMIT: String(RATE) } });
  });
  afterAll(() => controller.stop());

  test('are refused above its rate, with the hint when to come back', async () => {
    const speaker = await Speaker.connect(controller, '127.0.0.31');
    // Many more than its burst: on a slow machine some of them come at its rate.
    for (let i = 0; i < 5 * BURST; i += 1) speaker.subscribe(String(i));
    await eventually(() => {
      expect(speaker.refusals.length).toBeGreaterThanOrEqual(BURST);
    });
    const refused = speaker.received.find(({ type }) => type === 'error');
    expect(refused).toMatchObject({
      id: expect.any(String),
      payload: [{ extensions: { code: TOO_MANY, status: 429, retryAfter: 1 } }],
    });
    expect(speaker.closeCode).toBeUndefined();
    speaker.end();
  });

  test.each([
    ['subscriptions', { id: 'x', type: 'subscribe', payload: { query: SUBSCRIPTION } }],
    ['pings', { type: 'ping' }],
    ['ends of subscriptions', { id: 'x', type: 'complete' }],
  ])('close the socket when there are very many %s', async (what, message) => {
    const speaker = await Speaker.connect(controller, `127.0.1.${String(what.length)}`);
    for (let i = 0; i < BURST + 150; i += 1) speaker.say({ ...message, id: String(i) });
    await speaker.closed();
  });

  test('count for its requests, and not for those of others', async () => {
    const other = await TlsClient.connect(controller.port, '127.0.0.34');
    let attempts = 0;
    // A slow machine may send the request when the next one is due, so that others take their chance.
    await eventually(async () => {
      attempts += 1;
      const address = `127.0.3.${String(attempts)}`;
      const speaker = await Speaker.connect(controller, address);
      const client = await TlsClient.connect(controller.port, address);
      for (let i = 0; i < 3 * BURST; i += 1) speaker.say({ type: 'ping' });
      client.head('GET /version HTTP/1.1');
      const statuses = await client.answers(1);
      client.end();
      speaker.end();
      expect(statuses).toStrictEqual([429]);
    });
    other.head('GET /version HTTP/1.1');
    expect(await other.answers(1)).toStrictEqual([200]);
    other.end();
  });

  test('before a session was shown close the socket', async () => {
    const speaker = await Speaker.open(controller, '127.0.0.35');
    for (let i = 0; i < 5 * BURST; i += 1) speaker.say({ type: 'ping' });
    expect(await speaker.closed()).toBe(1013);
  });

  test('that are pings bring nothing back but pongs', async () => {
    const speaker = await Speaker.connect(controller, '127.0.0.37');
    const text = 'x'.repeat(10_000);
    for (let i = 0; i < BURST / 2; i += 1) speaker.say({ type: 'ping', payload: { text } });
    await eventually(() => {
      expect(speaker.received.filter(({ type }) => type === 'pong').length).toBe(BURST / 2);
    });
    // What was sent along does not come back.
    expect(speaker.received.at(-1)).toStrictEqual({ type: 'pong' });
    speaker.end();
  });

  test('are bounded in size, with and without a session', async () => {
    for (const speaker of [
      await Speaker.open(controller, '127.0.0.36'),
      await Speaker.connect(controller, '127.0.0.36'),
    ]) {
      speaker.say({ type: 'ping', payload: { text: 'x'.repeat(300_000) } });
      expect(await speaker.closed()).toBe(1009);
    }
  });
});

describe('of an API session', () => {
  let controller: TestController;

  beforeAll(async () => {
    controller = await startController({
      env: {
        OVERGRAPH_SESSION_RATE_LIMIT: String(RATE),
        OVERGRAPH_GRAPHQL_BUDGET: '200',
      },
    });
  });
  afterAll(() => controller.stop());

  test('are refused above its rate, wherever they come from', async () => {
    const [token, other] = [await controller.login(), await controller.login()];
    const one = await Speaker.connect(controller, '127.0.0.41', token);
    const two = await Speaker.connect(controller, '127.0.0.42', token);
    for (let i = 0; i < BURST; i += 1) one.say({ type: 'ping' });
    await eventually(() => {
      expect(one.received.length).toBeGreaterThan(BURST / 2);
    });
    for (let i = 0; i < BURST; i += 1) two.subscribe(String(i));
    await eventually(() => {
      expect(two.refusals).toContain(TOO_MANY);
    });
    await Speaker.connect(controller, '127.0.0.41', other);
    for (const speaker of [one, two]) speaker.end();
  });

  test('spend the budget of the identity', async () => {
    const costly = `subscription { changes { ${'id type '.repeat(20)} } }`;
    const speaker = await Speaker.connect(controller, '127.0.0.43', await controller.login());
    for (let i = 0; i < RATE; i += 1) speaker.subscribe(String(i), costly);
    await eventually(() => {
      expect(speaker.refusals).toContain(TOO_MANY);
    });
    speaker.end();
  });
});

test('work in the places that requests have', async () => {
  const limits = limitsOf({ concurrency: 1 });
  const sender = { headers: {}, socket: { remoteAddress: '10.0.0.1' } } as unknown as Sender;
  const entered: string[] = [];
  const enter = async (message: Sender, name: string): Promise<void> => {
    await limitOf(message)?.enter({ lane: 'ordinary' });
    entered.push(name);
  };
  let leave: () => void = () => undefined;
  const isHeld = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const first = limits.serveMessage(sender, async (message) => {
    await enter(message, 'first');
    await isHeld;
  });
  const second = limits.serveMessage(sender, (message) => enter(message, 'second'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(entered).toStrictEqual(['first']);
  leave();
  await Promise.all([first, second]);
  expect(entered).toStrictEqual(['first', 'second']);
});
