import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { link, made, openSession, Traffic, unique } from '../control/traffic-network.js';
import { ADMIN_PASSWORD, startController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { Client } from '../../programs/workers/client.js';

/** A controller with two processes, and the files of its events. */

let net: Traffic;
let folder: string;

const SINKS = (at: string) => `
events:
  all:
    subscriptions:
${[
  'apiSession',
  'authentication',
  'circuit',
  'connect',
  'entityChange',
  'entityCount',
  'link',
  'router',
  'sdk',
  'session',
  'service',
  'terminator',
  'tea',
]
  .map((type) => `      - type: ${type}`)
  .join('\n')}
    handler: { type: file, format: json, path: ${join(at, 'all.json')} }
  old:
    subscriptions:
      - { type: fabric.circuits, include: failed }
      - { type: edge.sessions, include: [created] }
    handler: { type: file, format: json, path: ${join(at, 'old.json')} }
  numbers:
    subscriptions:
      - { type: usage }
      - { type: fabric.usage, version: 3, include: [ingress.rx] }
      - { type: metrics, sourceFilter: ., metricFilter: '^link\\.latency\\.p9' }
    handler: { type: file, format: json, path: ${join(at, 'numbers.json')} }
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-events-'));
  const file = join(folder, 'events.yml');
  await writeFile(file, SINKS(folder));
  net = await Traffic.start({ OVERGRAPH_EVENTS: file });
});
afterAll(async () => {
  await net.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => net.begin());
afterEach(() => net.end());

type Event = Readonly<Record<string, unknown>>;

async function eventsIn(name: string): Promise<Event[]> {
  const text = await readFile(join(folder, name), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Event]));
}

/** Waits for events with these members, and gives them. */
async function delivered(members: object, count = 1, name = 'all.json'): Promise<Event[]> {
  const { value } = await eventually(async () => {
    const wanted = (await eventsIn(name)).filter((event) =>
      Object.entries(members).every(([member, each]) => event[member] === each),
    );
    expect(wanted).toHaveLength(count);
    return wanted;
  });
  return value;
}

describe('events of', () => {
  test('logins come from each process, with the reason of refusals', async () => {
    // The connections of one process each, as long as they stay open.
    const clients = ['1', '2', '3', '4'].map(() => new Client(net.controller.port, ''));
    const login = (client: Client, username: string, password: string) =>
      client.ask('POST', '/authenticate?method=password', { username, password });
    for (const client of clients) {
      expect((await login(client, 'admin', 'wrong password')).status).toBe(401);
    }
    const [first] = clients;
    if (first) {
      expect((await login(first, unique('nobody'), ADMIN_PASSWORD)).status).toBe(401);
      expect((await login(first, 'admin', ADMIN_PASSWORD)).status).toBe(200);
    }
    for (const client of clients) client.end();
    const [refused] = await delivered(
      { namespace: 'authentication', event_type: 'fail', reason: 'the password is wrong' },
      4,
    );
    expect(refused).toMatchObject({
      type: 'password',
      success: false,
      identity_id: expect.stringMatching(/./),
      authenticator_id: expect.stringMatching(/./),
      auth_policy_id: 'default',
      remote_address: '127.0.0.1',
    });
    await delivered({ namespace: 'authentication', reason: 'the username is unknown' });
    const successes = { namespace: 'authentication', event_type: 'success' };
    // The three of the start, and this one.
    await delivered({ ...successes, identity_id: refused?.identity_id }, 2);
    await delivered({ namespace: 'apiSession', identity_id: refused?.identity_id }, 2);
  });

  test('changes come with both states, and are committed', async () => {
    const name = unique('service');
    const id = await net.controller.create('services', { name, encryptionRequired: true });
    await net.controller.rest('PATCH', `/services/${id}`, { name: `${name} two` });
    await net.controller.rest('DELETE', `/services/${id}`);
    const { value: changes } = await eventually(async () => {
      const all = (await eventsIn('all.json')).filter((event) => {
        const { finalState, initialState } = event as Record<string, { id?: string } | null>;
        return (finalState ?? initialState)?.id === id;
      });
      expect(all).toHaveLength(3);
      return all;
    });
    expect(changes.map(({ eventType }) => eventType)).toStrictEqual([
      'created',
      'updated',
      'deleted',
    ]);
    expect(changes[1]).toMatchObject({
      namespace: 'entityChange',
      entityType: 'services',
      metadata: {
        author: { type: 'identity', name: 'admin' },
        source: { type: 'rest', remoteAddr: '127.0.0.1' },
      },
      initialState: { id, name, encryptionRequired: true },
      finalState: { id, name: `${name} two` },
    });
    for (const { eventId } of changes) await delivered({ eventId, eventType: 'committed' });
  });

  test('routers, circuits, links and terminators come from the fabric', async () => {
    const { router } = net;
    await delivered({ namespace: 'router', event_type: 'router-online', router_id: router.id });
    await delivered({ namespace: 'connect', src_type: 'router', src_id: router.id });

    await router.dial(net.dial);
    const failed = { event_type: 'failed', failure_cause: 'NO_TERMINATORS' };
    await delivered({ namespace: 'circuit', client_id: net.dial.id, ...failed });
    await delivered(
      { namespace: 'fabric.circuits', client_id: net.dial.id, ...failed },
      1,
      'old.json',
    );

    const other = await net.newRouter();
    const terminatorId = await net.bind(other);
    const [created] = await delivered({
      namespace: 'terminator',
      event_type: 'created',
      terminator_id: terminatorId,
    });
    expect(created).toMatchObject({
      service_id: net.serviceId,
      router_id: other.id,
      host_id: net.host.identityId,
      router_online: true,
      total_terminators: 1,
      usable_default_terminators: 1,
      usable_required_terminators: 0,
    });
    const linkId = await link(router, other);
    await delivered({ namespace: 'link', event_type: 'routerLinkNew', link_id: linkId });

    const { circuitId } = made(await router.dial(net.dial));
    router.router.tell(CONTENT.fault, messages.Fault, { subject: 'IngressFault', id: circuitId });
    const [started] = await delivered({ circuit_id: circuitId, event_type: 'created' });
    expect(started).toMatchObject({
      version: 2,
      client_id: net.dial.id,
      service_id: net.serviceId,
      terminator_id: terminatorId,
      path: { nodes: [router.id, other.id], links: [linkId] },
      link_count: 1,
      tags: { clientId: net.dialer.identityId, hostId: net.host.identityId },
    });
    await delivered({ circuit_id: circuitId, event_type: 'deleted' });

    router.router.tell(CONTENT.fault, messages.Fault, {
      subject: 'LinkFault',
      id: linkId,
      iteration: 1,
    });
    await delivered({ namespace: 'link', event_type: 'fault', link_id: linkId });

    await other.router.close();
    await delivered({ namespace: 'router', event_type: 'router-offline', router_id: other.id });
    const gone = { event_type: 'router-offline', terminator_id: terminatorId };
    const [offline] = await delivered({ namespace: 'terminator', ...gone });
    expect(offline).toMatchObject({ router_online: false, usable_default_terminators: 0 });
  });

  test('clients of routers come when their first router has them', async () => {
    const identityId = net.dialer.identityId;
    const events = [{ identityId, isConnected: true, connectTimes: [] }];
    net.router.router.tell(CONTENT.connectEvents, messages.ConnectEvents, {
      fullState: true,
      events,
    });
    await delivered({ namespace: 'sdk', event_type: 'sdk-online', identity_id: identityId });
  });

  test('sessions have the namespace that a subscription names', async () => {
    const { id } = net.dial;
    const event = { event_type: 'created', id, service_id: net.serviceId };
    await delivered({ namespace: 'session', ...event });
    await delivered({ namespace: 'edge.sessions', ...event }, 1, 'old.json');
  });

  test('measurements and usage come as routers report them', async () => {
    const { linkId, circuitId } = await net.overLink();
    net.router.router.tell(CONTENT.metrics, messages.MetricsMessage, {
      timestamp: { seconds: 1_760_000_000, nanos: 5_000_000 },
      histograms: {
        [`link.${linkId}.latency`]: { count: 1, p95: 7, p99: 8 },
        'fabric.latency': { count: 1, p95: 9 },
      },
      usageCounters: [
        {
          intervalStartUTC: 1_760_000_040,
          intervalLength: 60,
          buckets: {
            [circuitId]: { values: { 'ingress.rx': 3, 'fabric.tx': 4 }, tags: { a: 'b' } },
          },
        },
      ],
    });
    const source = { source_id: net.router.id };
    const [metrics] = await delivered({ namespace: 'metrics', ...source }, 1, 'numbers.json');
    expect(metrics).toMatchObject({
      timestamp: '2025-10-09T08:53:20.005000000Z',
      metric: 'link.latency',
      source_entity_id: linkId,
      metrics: { p95: 7, p99: 8 },
      tags: { sourceRouterId: net.router.id },
    });
    expect(Object.keys(metrics?.metrics as object)).toStrictEqual(['p95', 'p99', 'p999', 'p9999']);
    const usage = { circuit_id: circuitId, interval_start_utc: 1_760_000_040, interval_length: 60 };
    const old = await delivered({ namespace: 'fabric.usage', ...usage }, 1, 'numbers.json');
    expect(old).toMatchObject([{ version: 3, usage: { 'ingress.rx': 3 }, tags: { a: 'b' } }]);
    const each = await delivered({ namespace: 'usage', ...usage }, 2, 'numbers.json');
    expect(each).toMatchObject([
      { version: 2, event_type: 'usage.fabric.tx', usage: 4 },
      { version: 2, event_type: 'usage.ingress.rx', usage: 3 },
    ]);
  });

  test('numbers of entities come at once', async () => {
    const [event] = await delivered({ namespace: 'entityCount' });
    expect(event?.counts).toMatchObject({ identities: 1, 'services.edge': 0, routers: 0, cas: 0 });
  });

  test('the whole network come from one controller, or from each that a subscription says', async () => {
    const file = join(folder, 'second.yml');
    const sinkOf = (name: string, option: string): string => `
${name}:
  subscriptions: [{ type: entityChange${option} }, { type: authentication }]
  handler: { type: file, format: json, path: ${join(folder, `${name}.json`)} }
`;
    await writeFile(file, sinkOf('second', '') + sinkOf('always', ', propagateAlways: true'));
    const second = await startController({
      with: net.controller,
      env: { OVERGRAPH_EVENTS: file },
    });
    try {
      const name = unique('service');
      await second.create('services', { name, encryptionRequired: true });
      const ofService = async (sink: string): Promise<number> =>
        (await eventsIn(sink)).filter((event) => JSON.stringify(event).includes(`"${name}"`))
          .length;
      for (const sink of ['all.json', 'always.json']) {
        await eventually(async () => {
          expect(await ofService(sink)).toBe(1);
        });
      }
      await delivered({ namespace: 'authentication' }, 1, 'second.json');
      expect(await ofService('second.json')).toBe(0);
    } finally {
      await second.stop();
    }
  });

  test('every kind name their controller, and no token', async () => {
    const { body } = await net.controller.rest('GET', '/controllers');
    const ids = (body.data as { id: string }[]).map(({ id }) => id);
    const sources = new Set((await eventsIn('all.json')).map((event) => event.event_src_id));
    expect(sources.size).toBe(1);
    expect(ids).toEqual(expect.arrayContaining([...sources]));
    const texts = await Promise.all(
      ['all.json', 'old.json'].map((name) => readFile(join(folder, name), 'utf8')),
    );
    const secrets = [net.controller.token, net.dial.token, net.dialer.apiToken, ADMIN_PASSWORD];
    for (const secret of secrets) expect(texts.join('')).not.toContain(secret);
  });

  // The last one: it stops the controller.
  test('the dials of a service come at the stop of the controller', async () => {
    const terminatorId = await net.bind(net.router);
    made(await net.router.dial(net.dial));
    const { serviceId } = net;
    const session = await openSession(net.controller, net.host, serviceId, 'Bind');
    net.router.router.tell(CONTENT.healthEvent, messages.HealthEventRequest, {
      sessionToken: session.token,
      terminatorId,
      checkPassed: false,
    });
    await eventually(async () => {
      const { body } = await net.controller.rest('GET', `/terminators/${terminatorId}`);
      expect(body.data).toMatchObject({ precedence: 'failed' });
    });
    const ended = net.controller.end();
    const common = { namespace: 'service', service_id: serviceId, terminator_id: terminatorId };
    for (const event_type of ['service.dial.success', 'service.health_check.failed']) {
      const [event] = await delivered({ ...common, event_type });
      expect(event).toMatchObject({ version: 2, count: 1, interval_length: 60 });
      expect(Number(event?.interval_start_utc) % 60).toBe(0);
    }
    await ended;
  });
});
