import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { SocketClient } from '../../data/changes/subscribing.js';
import { loggedIn, newPerson, PASSWORD } from '../../trust/auth/client.js';
import { eventually } from '../../support/eventually.js';
import { arrived, OFF, ON, toggled, traced } from './tracing.js';
import { Traffic } from './traffic-network.js';

/* Traces of routers as a subscription of the graph, at a controller with two processes. */

let net: Traffic;
let socket: SocketClient;

beforeAll(async () => {
  net = await Traffic.start();
});
afterAll(() => net.stop());
beforeEach(async () => {
  await net.begin();
  socket = newSocket();
});
afterEach(async () => {
  await socket.client.dispose();
  await toggle(false);
  await net.end();
});

const newSocket = (token = net.controller.token): SocketClient =>
  new SocketClient(net.controller.port, { payload: { 'zt-session': token } });

const TOGGLE = `mutation ($enable: Boolean!, $routers: String, $channels: String) {
  toggleRouterTraces(enable: $enable, routers: $routers, channels: $channels) { success messages } }`;

interface Toggle {
  readonly success: boolean;
  readonly messages: readonly string[];
}

async function toggle(enable: boolean, patterns: object = {}): Promise<Toggle> {
  const { data } = await net.controller.graphql(TOGGLE, { enable, ...patterns });
  return (data as { toggleRouterTraces: Toggle }).toggleRouterTraces;
}

const TRACES = (args = ''): string => `subscription { routerTraces${args} {
  at sourceId channel isReceived type sequence replyTo length content } }`;

test('routers trace while a client follows, and it gets what they trace', async () => {
  const { id } = net.router;
  const toggles = toggled(net.router);
  const { success, messages } = await toggle(true, { routers: id, channels: 'ctrl' });
  expect(success).toBe(true);
  expect(messages).toContain(`App ${id} matched? true`);
  expect(toggles).toEqual([]);
  const followed = socket.follow({}, TRACES());
  await eventually(() => {
    expect(toggles.at(-1)).toMatchObject({ enable: true, pipeRegex: 'ctrl' });
  });
  traced(net.router);
  traced(net.router, { replyFor: -1, decode: Buffer.alloc(0), sequence: 8 });
  const trace = {
    ...{ at: '2027-01-15T08:00:00.000Z', sourceId: id, channel: 'ctrl', isReceived: true },
    ...{ type: 1005, sequence: 7, replyTo: null, length: 12 },
    content: { __decoder__: 'CTRL', __message__: 'Route' },
  };
  await eventually(() => {
    expect(followed.events.map(({ data }) => data)).toEqual([
      { routerTraces: trace },
      { routerTraces: { ...trace, sequence: 8, content: null } },
    ]);
  });
  toggles.length = 0;
  followed.stop();
  await arrived(toggles, [{ ...OFF, pipeRegex: '.*' }]);
});

test('a client follows some routers and types', async () => {
  const other = await net.newRouter();
  const toggles = [net.router, other].map((router) => toggled(router));
  await toggle(true);
  const { events } = socket.follow(
    {},
    TRACES(`(sourceIds: ["${net.router.id}"], types: [1005, 1006], exceptTypes: [1006])`),
  );
  await eventually(() => {
    for (const each of toggles) expect(each.at(-1)).toMatchObject({ enable: ON.enable });
  });
  for (const router of [other, net.router]) {
    for (const contentType of [1007, 1006, 1005]) traced(router, { contentType });
  }
  traced(net.router, { sequence: 9 });
  await eventually(() => {
    expect(events.at(-1)?.data).toMatchObject({ routerTraces: { sequence: 9 } });
  });
  expect(events.map(({ data }) => data)).toMatchObject([
    { routerTraces: { sourceId: net.router.id, type: 1005, sequence: 7 } },
    { routerTraces: { sourceId: net.router.id, type: 1005, sequence: 9 } },
  ]);
});

test('a pattern that is none is named', async () => {
  expect(await toggle(true, { routers: '(' })).toEqual({
    success: false,
    messages: ['the app id regex is not a regular expression'],
  });
});

test('traces are for administrators, and end with their rights', async () => {
  const person = await newPerson(net.controller, { isAdmin: true });
  const { token } = await loggedIn(net.controller, person);
  const toggles = toggled(net.router);
  await toggle(true, { routers: net.router.id });
  const admin = newSocket(token);
  const followed = admin.follow({}, TRACES());
  await eventually(() => {
    expect(toggles.at(-1)).toMatchObject({ enable: true });
  });
  const rights = { isAdmin: false, permissions: ['ops', 'router'] };
  await net.controller.rest('PATCH', `/identities/${person.id}`, rights);
  await eventually(() => {
    expect(followed.ended).toBeDefined();
  });
  await eventually(() => {
    expect(toggles.at(-1)).toMatchObject({ enable: false, pipeRegex: '.*' });
  });
  const { errors } = await net.controller.graphql(
    TOGGLE,
    { enable: true },
    { 'zt-session': await net.controller.login(person.username, PASSWORD) },
  );
  expect(errors?.[0]?.extensions.code).toBe('UNAUTHORIZED');
  await admin.client.dispose();
});
