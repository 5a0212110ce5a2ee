import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { loggedIn, newPerson } from '../../trust/auth/client.js';
import { SocketClient, StreamClient } from '../../data/changes/subscribing.js';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { openPool } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { ManagementClient } from '../events/management-client.js';
import { Traffic } from './traffic-network.js';

/* Validations as subscriptions of the graph, and those whose client leaves. */

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
  await net.end();
});

const newSocket = (): SocketClient =>
  new SocketClient(net.controller.port, { payload: { 'zt-session': net.controller.token } });

const ROUTERS = (filter: string): string =>
  `subscription { routerValidation(kind: SDK_TERMINATORS, filter: "${filter}") {
    count result { nodeId name isController isDone isValid errors details } } }`;
const routersOf = (id: string): string => ROUTERS(`id = \\"${id}\\"`);

test('a subscription gives the number of results, each result, and then ends', async () => {
  const address = await net.bind(net.router);
  const { id, enrolled, router } = net.router;
  const { onFrame } = router;
  router.onFrame = (frame) => {
    if (frame.type !== CONTENT.inspect) return onFrame(frame);
    const value = JSON.stringify({ entries: [{ id: address, state: 'established' }] });
    const values = [{ name: 'sdk-terminators', value }];
    const body = messages.InspectResponse.encode({ success: true, values });
    router.answer(frame, CONTENT.inspectResult, body);
    return true;
  };
  const { events, ...collected } = socket.follow({}, routersOf(id));
  await eventually(() => {
    expect(events.map(({ data }) => data)).toEqual([
      { routerValidation: { count: 1, result: null } },
      {
        routerValidation: {
          count: 1,
          result: {
            ...{ nodeId: id, name: enrolled.name, isController: false },
            ...{ isDone: true, isValid: true, errors: [] },
            details: [
              {
                terminatorId: address,
                ctrlState: 'Valid',
                routerState: 'established',
                isValid: true,
                operationActive: false,
                createTime: '',
                lastAttempt: '',
              },
            ],
          },
        },
      },
    ]);
  });
  collected.stop();
});

test('a validation of nothing ends with its number', async () => {
  const collected = socket.follow({}, routersOf('none'));
  await eventually(() => {
    expect(collected.ended).toBe('complete');
  });
  expect(collected.events.map(({ data }) => data)).toEqual([
    { routerValidation: { count: 0, result: null } },
  ]);
});

test('terminators are validated one by one', async () => {
  const address = await net.bind(net.router);
  const { id, router, enrolled } = net.router;
  const { onFrame } = router;
  router.onFrame = (frame) => {
    if (frame.type !== CONTENT.validateTerminators) return onFrame(frame);
    const body = messages.ValidateTerminatorsV2Response.encode({
      states: { [address]: { valid: false, reason: 'BadState', detail: 'it is closing' } },
    });
    router.answer(frame, CONTENT.validateTerminatorsResult, body);
    return true;
  };
  const collected = socket.follow(
    {},
    `subscription { terminatorValidation(filter: "router = \\"${id}\\"") {
      count result { terminatorId routerName state isFixed detail } } }`,
  );
  await eventually(() => {
    expect(collected.ended).toBe('complete');
  });
  expect(collected.events.map(({ data }) => data)).toEqual([
    { terminatorValidation: { count: 1, result: null } },
    {
      terminatorValidation: {
        count: 1,
        result: {
          terminatorId: address,
          routerName: enrolled.name,
          state: 'InvalidBadState',
          isFixed: false,
          detail: 'it is closing',
        },
      },
    },
  ]);
});

test.each([
  ['routerValidation', '(kind: LINKS)'],
  ['terminatorValidation', ''],
])('%s is for administrators alone', async (name, input) => {
  const person = await newPerson(net.controller, { permissions: ['ops', 'router', 'terminator'] });
  const { token } = await loggedIn(net.controller, person);
  const url = `https://127.0.0.1:${String(net.controller.port)}`;
  const query = `subscription { ${name}${input} { count } }`;
  const stream = await StreamClient.open(url, token, {}, { query });
  expect(stream.response.statusCode).toBe(401);
  stream.close();
});

/** Questions that are open. */
async function openQuestions(): Promise<number> {
  const pool = openPool(net.controller.databaseUrl, 1);
  try {
    const { rows } = await pool.query('select id from inspection where validation is not null');
    return rows.length;
  } finally {
    await pool.end();
  }
}

test('validations end when their clients leave, and make room for others', async () => {
  const silent = net.router;
  const { onFrame } = silent.router;
  silent.router.onFrame = (frame) => frame.type === CONTENT.inspect || onFrame(frame);
  const filter = `id = "${silent.id}"`;
  const body = messages.ValidateRoutersRequest.encode({ filter });
  for (let round = 0; round < 3; round += 1) {
    const token = { 'zt-session': net.controller.token };
    const operator = await ManagementClient.connect(net.controller.port, token);
    const watcher = newSocket();
    operator.tell(10106, body);
    const collected = watcher.follow({}, routersOf(silent.id));
    // Both have begun: one answers by its frame, the other by an event. Half a minute later results would follow.
    await eventually(() => {
      expect([operator.frames[0]?.type, collected.events[0]?.data, collected.ended]).toEqual([
        10107,
        { routerValidation: { count: 1, result: null } },
        undefined,
      ]);
    });
    operator.end();
    await watcher.client.dispose();
    await eventually(async () => {
      expect(await openQuestions()).toBe(0);
    });
  }
});

test('a process runs four validations at a time', async () => {
  const silent = net.router;
  const { onFrame } = silent.router;
  silent.router.onFrame = (frame) => frame.type === CONTENT.inspect || onFrame(frame);
  // Connections are spread over both processes.
  const refused = async (): Promise<void> => {
    const collected = socket.follow({}, routersOf(silent.id));
    await eventually(() => {
      expect(collected.events.length + Number(collected.ended !== undefined)).toBeGreaterThan(0);
    });
    if (collected.ended === undefined) await refused();
    else {
      expect(JSON.stringify(collected.ended)).toContain('SERVER_TOO_MANY_REQUESTS');
    }
  };
  await refused();
});
