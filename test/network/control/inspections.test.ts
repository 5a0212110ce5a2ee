import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { newPerson, Traffic, type RoutingRouter } from './traffic-network.js';

/* Questions to routers and controllers, asked at a controller that serves no router. */

let net: Traffic;
let second: TestController;

beforeAll(async () => {
  net = await Traffic.start();
  second = await startController({ with: net.controller });
});
afterAll(async () => {
  await second.stop();
  await net.stop();
});
beforeEach(() => net.begin());
afterEach(() => net.end());

interface Answer {
  readonly success: boolean;
  readonly errors: string[];
  readonly values: { readonly appId: string; readonly name: string; readonly value: unknown }[];
}

async function inspect(
  appRegex: string,
  requestedValues: readonly string[],
  at: TestController = second,
): Promise<Answer> {
  const { status, body } = await at.rest('POST', '/fabric/v1/inspections', {
    appRegex,
    requestedValues,
  });
  expect(status).toBe(200);
  return body as unknown as Answer;
}

type Reply = Parameters<typeof messages.InspectResponse.encode>[0];

/** Has a router answer questions; gives the names that it is asked for. */
function answerWith({ router }: RoutingRouter, reply: () => Reply | undefined): string[] {
  const asked: string[] = [];
  const { onFrame } = router;
  router.onFrame = (frame) => {
    if (frame.type !== CONTENT.inspect) return onFrame(frame);
    const { requestedValues } = messages.InspectRequest.decode(frame.body);
    asked.push(...requestedValues);
    const answer = reply();
    if (answer) {
      router.answer(frame, CONTENT.inspectResult, messages.InspectResponse.encode(answer));
    }
    return true;
  };
  return asked;
}

const value = (name: string, text: string): Reply => ({
  success: true,
  values: [{ name, value: text }],
});

/** The presence of a router reaches the other controller after a moment. */
const isKnownToSecond = ({ id }: RoutingRouter): Promise<unknown> =>
  eventually(async () => {
    const { body } = await second.rest('GET', `/edge-routers/${id}`);
    expect(body.data).toMatchObject({ isOnline: true });
  });

test('a router answers by id or name, with JSON as JSON and other texts as texts', async () => {
  await isKnownToSecond(net.router);
  const asked = answerWith(net.router, () => ({
    success: true,
    values: [
      { name: 'links', value: '{"links":[]}' },
      { name: 'stackdump', value: 'goroutine 1' },
    ],
  }));
  const { id, enrolled } = net.router;
  const expected = {
    success: true,
    errors: [],
    values: [
      { appId: id, name: 'links', value: { links: [] } },
      { appId: id, name: 'stackdump', value: 'goroutine 1' },
    ],
  };
  expect(await inspect(id, ['links', 'stackdump'])).toEqual(expected);
  expect(asked).toEqual(['links', 'stackdump']);
  expect(await inspect(enrolled.name.slice(1), ['links', 'stackdump'])).toEqual(expected);
});

test('the fault of one router leaves the values of the others', async () => {
  const other = await net.newRouter();
  await isKnownToSecond(other);
  answerWith(net.router, () => value('links', '[]'));
  answerWith(other, () => ({ success: false, errors: ['no links here'], values: [] }));
  expect(await inspect(`${net.router.id}|${other.id}`, ['links'])).toEqual({
    success: false,
    errors: [`${other.id}: no links here`],
    values: [{ appId: net.router.id, name: 'links', value: [] }],
  });
});

test('a router that does not answer is named, before the request times out', async () => {
  await isKnownToSecond(net.router);
  const { id } = net.router;
  answerWith(net.router, () => undefined);
  expect(await inspect(id, ['links'])).toEqual({
    success: false,
    errors: [`${id}: it did not answer in time`],
    values: [],
  });
});

test('a text that only begins like JSON, or nests too deep, stays a text', async () => {
  await isKnownToSecond(net.router);
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  answerWith(net.router, () => ({
    success: true,
    values: [
      { name: 'a', value: '{broken' },
      { name: 'b', value: deep },
      { name: 'c', value: '["\\u0000"]' },
    ],
  }));
  const { success, values } = await inspect(net.router.id, ['a', 'b', 'c']);
  expect(success).toBe(true);
  expect(values.map((each) => each.value)).toEqual(['{broken', deep, ['\u0000']]);
});

test('an answer of more than 4 MiB is refused, and nothing is lost of the others', async () => {
  const other = await net.newRouter();
  await isKnownToSecond(other);
  answerWith(net.router, () => value('stackdump', 'x'.repeat(5 << 20)));
  answerWith(other, () => value('stackdump', 'short'));
  expect(await inspect(`${net.router.id}|${other.id}`, ['stackdump'])).toEqual({
    success: false,
    errors: [`${net.router.id}: its answer is too long`],
    values: [{ appId: other.id, name: 'stackdump', value: 'short' }],
  });
});

test('bytes that are no answer are a fault of that router', async () => {
  await isKnownToSecond(net.router);
  const { id, router } = net.router;
  router.onFrame = (frame) => {
    if (frame.type !== CONTENT.inspect) return false;
    router.answer(frame, CONTENT.inspectResult, Buffer.from([0xff, 0xff, 0xff]));
    return true;
  };
  expect(await inspect(id, ['links'])).toEqual({
    success: false,
    errors: [`${id}: it could not be inspected`],
    values: [],
  });
});

test('controllers tell their settings and the connected routers, and ignore unknown names', async () => {
  const { body } = await second.rest('GET', '/controllers');
  const controllers = (body.data as unknown as { id: string }[]).map(({ id }) => id);
  expect(controllers).toHaveLength(2);
  await isKnownToSecond(net.router);
  answerWith(net.router, () => ({ success: true, values: [] }));
  const names = ['config', 'Connected-Routers', 'terminator-costs', 'nothing'];
  const { success, values } = await inspect('.*', names);
  expect(success).toBe(true);
  const named = (name: string) => values.filter((each) => each.name === name);
  expect(
    named('config')
      .map(({ appId }) => appId)
      .sort(),
  ).toEqual(controllers.sort());
  const { id, enrolled } = net.router;
  expect(named('Connected-Routers').map((each) => each.value)).toEqual(
    Array(2).fill([
      expect.objectContaining({ id, name: enrolled.name, version: 'v1.6.20' }) as unknown,
    ]),
  );
  // Only the controller that serves the routers has costs of terminators.
  expect(named('terminator-costs').map((each) => each.value)).toEqual([{ terminators: [] }]);
  expect(named('nothing')).toEqual([]);
  const secrets = /password|secret|postgres|"key"/i;
  expect(JSON.stringify(named('config'))).not.toMatch(secrets);
});

test('a circuit adds to the cost of its terminator', async () => {
  const address = await net.bind(net.router);
  await net.router.dial(net.dial);
  answerWith(net.router, () => ({ success: true, values: [] }));
  const { values } = await inspect('.*', ['terminator-costs']);
  expect(values.map((each) => each.value)).toEqual([
    {
      terminators: [{ terminatorId: address, circuitCount: 1, failureCost: 0, currentCost: 2 }],
    },
  ]);
});

test.each(['(', 'a{2,1}', '*'])('%s is no regular expression', async (pattern) => {
  const answer = await inspect(pattern, ['links']);
  expect(answer).toEqual({
    success: false,
    errors: ['appRegex: it is not a regular expression'],
    values: [],
  });
});

test('a pattern that matches nothing gives nothing', async () => {
  expect(await inspect('^no such node$', ['links'])).toEqual({
    success: true,
    errors: [],
    values: [],
  });
});

test.each([
  ['pattern', { appRegex: 'x'.repeat(1_001), requestedValues: [] }],
  ['names', { appRegex: '.*', requestedValues: Array(101).fill('links') }],
  ['names', { appRegex: '.*', requestedValues: ['x'.repeat(201)] }],
])('an unreasonable %s is refused', async (_, body) => {
  const answer = await second.rest('POST', '/fabric/v1/inspections', body);
  expect(answer.status).toBe(400);
});

test('one document does not ask all routers a hundred times at once', async () => {
  await isKnownToSecond(net.router);
  const asked = answerWith(net.router, () => undefined);
  const fields = Array.from(
    { length: 100 },
    (_, i) => `i${String(i)}: inspect(pattern: "${net.router.id}", names: ["links"]) { success }`,
  );
  const { errors = [] } = await second.graphql(`{ ${fields.join('\n')} }`);
  expect(errors.length).toBeGreaterThan(0);
  expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(
    new Set(['SERVER_TOO_MANY_REQUESTS']),
  );
  // More than eight in all, if the first are over before the last begin.
  await eventually(() => {
    expect(asked).toHaveLength(fields.length - errors.length);
  });
});

test('a client may not inspect, a reader of operations may', async () => {
  const { apiToken, identityId } = await newPerson(net.controller, 'dialers');
  const ask = () =>
    net.controller.rest(
      'POST',
      '/fabric/v1/inspections',
      { appRegex: '^none$', requestedValues: ['links'] },
      { 'zt-session': apiToken },
    );
  expect((await ask()).status).toBe(401);
  const change = { permissions: ['ops.read'] };
  await net.controller.rest('PATCH', `/identities/${identityId}`, change);
  await eventually(async () => {
    expect((await ask()).status).toBe(200);
  });
});

test('the graph gives the same, and nothing of a question remains', async () => {
  await isKnownToSecond(net.router);
  const { id } = net.router;
  answerWith(net.router, () => value('links', '[]'));
  const { data } = await second.graphql(
    `query ($id: String!) { inspect(pattern: $id, names: ["links"]) {
      success errors values { nodeId name value } } }`,
    { id },
  );
  expect(data).toEqual({
    inspect: { success: true, errors: [], values: [{ nodeId: id, name: 'links', value: [] }] },
  });
  const client = new pg.Client({ connectionString: net.controller.databaseUrl });
  await client.connect();
  const { rows } = await client.query('select id from inspection');
  await client.end();
  expect(rows).toEqual([]);
});
