import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { loggedIn, newPerson } from '../../trust/auth/client.js';
import { eventually } from '../../support/eventually.js';
import { ManagementClient, STREAM_TRACES, TOGGLE_TRACES } from '../events/management-client.js';
import { arrived, OFF, ON, toggled, traced } from './tracing.js';
import { Traffic, type RoutingRouter } from './traffic-network.js';

/* Traces of routers over the WebSocket of operators, at a controller with two processes. */

let net: Traffic;
const clients: ManagementClient[] = [];

beforeAll(async () => {
  net = await Traffic.start();
});
afterAll(() => net.stop());
beforeEach(() => net.begin());
afterEach(async () => {
  const client = await connect();
  await client.toggleTraces(false);
  for (const each of clients.splice(0)) each.end();
  await net.end();
});

async function connect(token = net.controller.token): Promise<ManagementClient> {
  const client = await ManagementClient.connect(net.controller.port, { 'zt-session': token });
  clients.push(client);
  return client;
}

/** Streams traces, until the routers know. */
async function streaming(of: RoutingRouter): Promise<ManagementClient> {
  const toggles = toggled(of);
  const client = await connect();
  await client.toggleTraces(true, of.id, 'ctrl');
  client.streamTraces();
  await eventually(() => {
    expect(toggles.at(-1)).toMatchObject({ ...ON, pipeRegex: 'ctrl' });
  });
  return client;
}

test('routers trace what was switched on as soon as a client streams, and until it leaves', async () => {
  const { id } = net.router;
  const toggles = toggled(net.router);
  const client = await connect();
  expect(await client.toggleTraces(true, id, 'ctrl')).toEqual({
    isSuccess: true,
    text: `No client streams traces: routers begin when one does.\nApp ${id} matched? true\n`,
  });
  expect(toggles).toEqual([]);
  client.streamTraces();
  await arrived(toggles, [
    { ...OFF, pipeRegex: 'ctrl' },
    { ...ON, pipeRegex: 'ctrl' },
  ]);
  traced(net.router);
  await eventually(() => {
    expect(client.traces).toEqual([
      {
        ...{ timestamp: 1_800_000_000_000_000_000, identity: id, channel: 'ctrl', isRx: true },
        ...{ contentType: 1005, sequence: 7, replyFor: -1, length: 12 },
        decode: Buffer.from('{"__decoder__":"CTRL","__message__":"Route"}'),
      },
    ]);
  });
  toggles.length = 0;
  client.end();
  await arrived(toggles, [{ ...OFF, pipeRegex: '.*' }]);
});

test('a router answers with the channels that match, and others are not asked', async () => {
  const other = await net.newRouter();
  const othersToggles = toggled(other);
  const client = await streaming(net.router);
  const { isSuccess, text } = await client.toggleTraces(true, net.router.id, 'link');
  expect(isSuccess).toBe(true);
  expect(text).toContain(`App ${net.router.id} matched? true\nLink link\n`);
  expect(text).toContain(`App ${other.id} matched? false\n`);
  expect(othersToggles).toEqual([]);
});

test('a router that connects while a client streams gets the toggles', async () => {
  const client = await connect();
  client.streamTraces();
  await client.toggleTraces(true, '.*', 'ctrl');
  const later = await net.newRouter();
  const toggles = toggled(later);
  // The first frames may come before the test listens; a repetition comes with the next stream.
  const another = await connect();
  client.end();
  another.streamTraces();
  await eventually(() => {
    expect(toggles.at(-1)).toEqual({ ...ON, pipeRegex: 'ctrl' });
  });
});

test.each([
  ['INCLUDE', [1005], [1005]],
  ['EXCLUDE', [1005], [1006, 1007]],
  ['EXCLUDE', [], [1005, 1006, 1007]],
] as const)('a client gets traces by type: %s %p', async (filterType, contentTypes, expected) => {
  const client = await streaming(net.router);
  client.streamTraces({ enabledFilter: true, filterType, contentTypes });
  await client.ask(CONTENT.ping);
  const sendAll = (): void => {
    for (const contentType of [1005, 1006, 1007]) traced(net.router, { contentType });
  };
  await eventually(() => {
    client.traces.length = 0;
    sendAll();
    return eventually(() => {
      const types = new Set(client.traces.map(({ contentType }) => contentType));
      expect([...types].sort()).toEqual(expected);
    });
  });
});

test('a description that is no JSON is left out', async () => {
  const client = await streaming(net.router);
  traced(net.router, { decode: Buffer.from('{broken') });
  await eventually(() => {
    expect(client.traces.map(({ decode }) => decode.length)).toEqual([0]);
  });
});

test('a router that never answers is named', async () => {
  const client = await streaming(net.router);
  const silent = await net.newRouter();
  toggled(silent, true);
  const { isSuccess, text } = await client.toggleTraces(true, silent.id);
  expect(isSuccess).toBe(false);
  expect(text).toContain(`${silent.id}: it did not answer in time\n`);
});

test.each([
  ['(', '.*', 'the app id regex is not a regular expression\n'],
  ['.*', '(', 'the pipe regex is not a regular expression\n'],
  ['.*', 'x'.repeat(1_001), 'a regular expression is too long\n'],
])('the toggle of %.10s %.10s is refused', async (app, pipe, text) => {
  const client = await connect();
  expect(await client.toggleTraces(true, app, pipe)).toEqual({ isSuccess: false, text });
});

test('toggles are bounded until all are off', async () => {
  const client = await connect();
  for (let i = 0; i < 20; i += 1) await client.toggleTraces(true, 'none', String(i));
  expect(await client.toggleTraces(true, 'none', 'another')).toEqual({
    isSuccess: false,
    text: 'too many toggles count: switch all off first\n',
  });
  expect(await client.toggleTraces(true, 'none', '3')).toMatchObject({ isSuccess: true });
  expect(await client.toggleTraces(false)).toMatchObject({ isSuccess: true });
  expect(await client.toggleTraces(true, 'none', 'another')).toMatchObject({ isSuccess: true });
});

test.each([TOGGLE_TRACES, STREAM_TRACES])(
  'a request %i that can not be read is refused',
  async (type) => {
    const client = await connect();
    expect(await client.ask(type, Buffer.from([0xff]))).toEqual({
      isSuccess: false,
      text: 'the request can not be read',
    });
  },
);

test('traces end with the session of their client', async () => {
  const person = await newPerson(net.controller, { isAdmin: true });
  const { token } = await loggedIn(net.controller, person);
  const toggles = toggled(net.router);
  const client = await connect(token);
  await client.toggleTraces(true, net.router.id);
  client.streamTraces();
  await eventually(() => {
    expect(toggles.at(-1)).toMatchObject(ON);
  });
  await net.controller.rest('PATCH', `/identities/${person.id}`, { isAdmin: false });
  await eventually(() => {
    expect(client.closeCode).toBe(1008);
  });
  await eventually(() => {
    expect(toggles.at(-1)).toEqual({ ...OFF, pipeRegex: '.*' });
  });
});
