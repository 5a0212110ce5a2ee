import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { made, newPerson, openSession, Traffic, unique } from '../control/traffic-network.js';
import { ADMIN_PASSWORD, startController } from '../../support/controller.js';
import { openPool } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { Client } from '../../programs/workers/client.js';
import { ManagementClient, refusalOf, STREAM_EVENTS } from './management-client.js';

/* The WebSocket of operators, at a controller with two processes and without configured sinks. */

let net: Traffic;
const clients: ManagementClient[] = [];

beforeAll(async () => {
  net = await Traffic.start();
  await net.begin();
});
afterAll(async () => {
  for (const client of clients) client.end();
  await net.end();
  await net.stop();
});

async function connect(token = net.controller.token): Promise<ManagementClient> {
  const client = await ManagementClient.connect(net.controller.port, { 'zt-session': token });
  clients.push(client);
  return client;
}

/** Clients at each process: it gives a connection to the process with the fewest. */
const connectAll = (): Promise<ManagementClient[]> =>
  Promise.all(['1', '2', '3', '4'].map(() => connect()));

const newConfigType = (): Promise<string> =>
  net.controller.create('config-types', { name: unique('type'), schema: { type: 'object' } });

async function closed(client: ManagementClient, code: number): Promise<void> {
  await eventually(() => {
    expect(client.closeCode).toBe(code);
  });
}

const SUCCESS = { isSuccess: true, text: 'success' };
const CLOSED = { session: 1008, text: 1003, garbage: 1002, large: 1009, abrupt: 1006, stop: 1001 };

describe('a stream of events', () => {
  test('comes to clients of each process', async () => {
    const all = await connectAll();
    for (const client of all) {
      const types = { apiSession: null, session: {}, entityChange: { include: ['services'] } };
      expect(await client.watch(types)).toStrictEqual(SUCCESS);
    }
    const name = unique('service');
    const id = await net.controller.create('services', { name, encryptionRequired: true });
    const person = await newPerson(net.controller, 'dialers');
    const session = await openSession(net.controller, person, net.serviceId, 'Dial');
    for (const client of all) {
      const login = await client.event({ namespace: 'apiSession', identity_id: person.identityId });
      expect(login.type).toBe('apiSession');
      expect(login.text).toMatch(/^\{"namespace":"apiSession","event_src_id":"[^"]+","timestamp":/);
      expect(login.event).toMatchObject({ event_type: 'created', type: 'legacy', token: '' });
      const dial = await client.event({ namespace: 'session', id: session.id });
      expect(dial.event).toMatchObject({ event_type: 'created', service_id: net.serviceId });
      const change = await client.created('services', id);
      expect(change.type).toBe('entity.change');
      expect(change.event).toMatchObject({ namespace: 'entityChange', finalState: { name } });
      await client.event({ eventId: change.event.eventId, eventType: 'committed' });
      // Of identities and others nothing was asked.
      const kinds = client.events.map(({ event }) => event.entityType);
      expect(new Set(kinds)).toStrictEqual(new Set(['services', undefined]));
    }
  });

  test('has the logins of each process as long as somebody watches', async () => {
    const all = await connectAll();
    for (const client of all) {
      expect(await client.watch({ authentication: { include: 'fail' } })).toStrictEqual(SUCCESS);
    }
    const username = unique('nobody');
    // The connections of one process each, as long as they stay open.
    const logins = ['1', '2', '3', '4'].map(() => new Client(net.controller.port, ''));
    for (const login of logins) {
      const body = { username, password: ADMIN_PASSWORD };
      expect((await login.ask('POST', '/authenticate?method=password', body)).status).toBe(401);
    }
    for (const client of all) {
      await eventually(() => {
        expect(client.events).toHaveLength(logins.length);
      });
      expect(client.events[0]?.event).toMatchObject({
        namespace: 'authentication',
        event_type: 'fail',
        reason: 'the username is unknown',
      });
    }
    for (const login of logins) login.end();
  });

  test('has circuits, under the name that was asked for', async () => {
    const client = await connect();
    const types = { circuit: { include: ['created'] }, 'fabric.circuits': null, sdk: null };
    expect(await client.watch(types)).toStrictEqual(SUCCESS);
    const { circuitId } = await net.overLink();
    net.router.router.tell(CONTENT.fault, messages.Fault, {
      subject: 'IngressFault',
      id: circuitId,
    });
    const ofCircuit = { circuit_id: circuitId, event_type: 'created' };
    const now = await client.event({ namespace: 'circuit', ...ofCircuit });
    const old = await client.event({ namespace: 'fabric.circuits', ...ofCircuit });
    expect([now.type, old.type]).toStrictEqual(['circuit', 'circuit']);
    await client.event({
      namespace: 'fabric.circuits',
      circuit_id: circuitId,
      event_type: 'deleted',
    });
    expect(client.events.map(({ event }) => event.namespace)).toStrictEqual([
      'circuit',
      'fabric.circuits',
      'fabric.circuits',
    ]);
    expect(made(await net.router.dial(net.dial)).circuitId).not.toBe(circuitId);
  });

  test('has usage and metrics, as far as they are wanted, at each process', async () => {
    const all = await connectAll();
    for (const client of all) {
      const usage = { version: 3, include: ['ingress.rx'] };
      const metrics = { sourceFilter: '.', metricFilter: '^fabric\\.rx\\.$' };
      expect(await client.watch({ usage, metrics, service: null })).toStrictEqual(SUCCESS);
    }
    const { circuitId } = await net.overLink();
    const values = { 'ingress.rx': 5, 'ingress.tx': 6 };
    net.router.router.tell(CONTENT.metrics, messages.MetricsMessage, {
      intValues: { 'fabric.rx': 7, 'fabric.tx': 8 },
      usageCounters: [
        { intervalStartUTC: 60, intervalLength: 60, buckets: { [circuitId]: { values } } },
      ],
    });
    for (const client of all) {
      const usage = await client.event({ namespace: 'usage', circuit_id: circuitId });
      expect(usage).toMatchObject({ type: 'usage.v3', event: { usage: { 'ingress.rx': 5 } } });
      const metrics = await client.event({ namespace: 'metrics', source_id: net.router.id });
      expect(metrics.event).toMatchObject({ metric: 'fabric.rx', metrics: { value: 7 } });
      expect(client.events.map(({ event }) => event.metric)).not.toContain('fabric.tx');
    }
  });

  test('counts entities at once and at its own interval', async () => {
    const client = await connect();
    expect(await client.watch({ entityCount: { interval: '1s' } })).toStrictEqual(SUCCESS);
    await eventually(() => {
      expect(client.events.length).toBeGreaterThan(1);
    });
    expect(client.events[0]?.event).toMatchObject({
      namespace: 'entityCount',
      counts: { identities: expect.any(Number) },
    });
  });

  test('takes the place of an earlier one', async () => {
    const client = await connect();
    await client.watch({ entityChange: { include: 'services' } });
    expect(await client.watch({ entityChange: { include: 'configs' } })).toStrictEqual(SUCCESS);
    const other = await connect();
    await other.watch({ entityChange: { include: 'services' } });
    const service = { name: unique('svc'), encryptionRequired: true };
    await other.created('services', await net.controller.create('services', service));
    const configTypeId = await newConfigType();
    const id = await net.controller.create('configs', {
      name: unique('config'),
      configTypeId,
      data: {},
    });
    await client.created('configs', id);
    expect(client.events.map(({ event: { entityType } }) => entityType)).not.toContain('services');
  });

  test('has the events of the whole network at each controller', async () => {
    const second = await startController({ with: net.controller });
    try {
      const headers = { 'zt-session': net.controller.token };
      const there = await ManagementClient.connect(second.port, headers);
      const here = await connect();
      clients.push(there);
      for (const client of [there, here]) await client.watch({ entityChange: null });
      const name = unique('service');
      const id = await net.controller.create('services', { name, encryptionRequired: true });
      const sources: unknown[] = [];
      for (const client of [there, here]) {
        const { event } = await client.created('services', id);
        expect(event).toMatchObject({ finalState: { name } });
        sources.push(event.event_src_id);
      }
      expect(new Set(sources).size).toBe(2);
    } finally {
      await second.stop();
    }
  });

  test('needs no lease', async () => {
    const pool = openPool(net.controller.databaseUrl, 1);
    try {
      const { rows } = await pool.query("select holder from lease where name = 'events'");
      expect(rows).toHaveLength(0);
    } finally {
      await pool.end();
    }
  });
});

describe('a request', () => {
  test('of an unknown type of events has success', async () => {
    const client = await connect();
    expect(await client.watch({ tea: null, apiSession: null })).toStrictEqual(SUCCESS);
  });

  test.each([
    ['format', { format: 'plain', subscriptions: [] }, 'format is not json'],
    ['list', { format: 'json', subscriptions: {} }, 'subscriptions is not a list'],
    ['type', { format: 'json', subscriptions: [{}] }, 'subscriptions.0.type is missing'],
    [
      'option',
      { format: 'json', subscriptions: [{ type: 'session', options: { include: 'drunk' } }] },
      'subscriptions.0.include "drunk" is none of created, deleted',
    ],
    [
      'interval',
      { format: 'json', subscriptions: [{ type: 'entityCount', options: { interval: 'soon' } }] },
      'subscriptions.0.interval "soon" is not a duration from 1s to 168h',
    ],
    [
      'number of subscriptions',
      { format: 'json', subscriptions: Array(65).fill({ type: 'session' }) },
      'subscriptions has more than 64 entries',
    ],
  ])('with a wrong %s is refused with the place', async (_, request, text) => {
    const client = await connect();
    const result = await client.ask(STREAM_EVENTS, JSON.stringify(request));
    expect(result).toStrictEqual({ isSuccess: false, text });
  });

  test.each([
    ['is no JSON', '{', 'the body is not JSON'],
    ['is nested a thousand deep', '['.repeat(1_000), 'JSON may not nest deeper than 64 levels'],
  ])('that %s is refused, and the connection continues', async (_, body, text) => {
    const client = await connect();
    const { isSuccess, text: reason } = await client.ask(STREAM_EVENTS, body);
    expect(isSuccess).toBe(false);
    expect(reason).toContain(text);
    expect(await client.ask(CONTENT.ping)).toStrictEqual({ isSuccess: true, text: '' });
  });

  test('of an unknown content type has no answer, and the connection continues', async () => {
    const client = await connect();
    const dropped = client.tell(10_200);
    // Frames are worked on in their order.
    expect(await client.ask(CONTENT.ping)).toMatchObject({ isSuccess: true });
    expect(client.answerTo(dropped)).toBeUndefined();
  });
});

describe('a connection', () => {
  const REFUSED = { status: 401, body: { error: { code: 'UNAUTHORIZED' } } };

  test('needs the session of an administrator', async () => {
    const { port } = net.controller;
    expect(await refusalOf(port, {})).toMatchObject(REFUSED);
    expect(await refusalOf(port, { 'zt-session': 'none' })).toMatchObject(REFUSED);
    const { apiToken } = await newPerson(net.controller, 'dialers');
    expect(await refusalOf(port, { 'zt-session': apiToken })).toMatchObject(REFUSED);
  });

  test('takes the session as bearer', async () => {
    const authorization = `Bearer ${net.controller.token}`;
    const client = await ManagementClient.connect(net.controller.port, { authorization });
    clients.push(client);
    expect(await client.ask(CONTENT.ping)).toMatchObject({ isSuccess: true });
  });

  test('ends with its session', async () => {
    const token = await net.controller.login();
    const client = await connect(token);
    await client.watch({ entityChange: null });
    const headers = { 'zt-session': token };
    await net.controller.rest('DELETE', '/current-api-session', undefined, headers);
    await closed(client, CLOSED.session);
  });

  test('ends when its identity is no administrator any more', async () => {
    const { apiToken, identityId } = await newPerson(net.controller, 'dialers');
    const path = `/identities/${identityId}`;
    await net.controller.rest('PATCH', path, { isAdmin: true });
    const client = await connect(apiToken);
    expect(await client.watch({ session: null })).toStrictEqual(SUCCESS);
    await net.controller.rest('PATCH', path, { isAdmin: false });
    await closed(client, CLOSED.session);
  });

  test.each([
    ['a text', 'hello', CLOSED.text],
    ['bytes that are no frame', Buffer.from('no frame'), CLOSED.garbage],
    ['no bytes', Buffer.alloc(0), CLOSED.garbage],
    ['more bytes than a frame may have', Buffer.alloc(1 << 20), CLOSED.large],
  ])('ends with %s', async (_, message, code) => {
    const client = await connect();
    client.socket.send(message);
    await closed(client, code);
  });

  test('ends when its client reads nothing', async () => {
    const client = await connect();
    const reader = await connect();
    for (const each of [client, reader]) await each.watch({ entityChange: { include: 'configs' } });
    client.socket.pause();
    const configTypeId = await newConfigType();
    const config = { name: unique('config'), configTypeId, data: { text: 'x'.repeat(500_000) } };
    const id = await net.controller.create('configs', config);
    // Events that a transaction elsewhere held back would come all at once, and end the reader, too.
    const readsChanges = (count: number) =>
      eventually(() => {
        expect(reader.events.length).toBe(2 * count);
      });
    await readsChanges(1);
    for (let i = 0; i < 60; i += 1) {
      await net.controller.rest('PATCH', `/configs/${id}`, { name: unique('config') });
      await readsChanges(i + 2);
    }
    client.socket.resume();
    await closed(client, CLOSED.abrupt);
    expect(client.events.length).toBeLessThan(reader.events.length);
  });

  // The last one: it stops the controller.
  test('ends when the controller stops', async () => {
    const all = await connectAll();
    for (const client of all) await client.watch({ entityChange: null });
    const ended = net.controller.end();
    for (const client of all) await closed(client, CLOSED.stop);
    await ended;
  });
});
