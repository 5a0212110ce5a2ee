import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { loggedIn, newPerson } from '../../trust/auth/client.js';
import { SocketClient, StreamClient, type Collected } from '../../data/changes/subscribing.js';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { textValue } from '../../../src/network/control/header-values.js';
import { link, made, RoutingRouter, Traffic } from './traffic-network.js';

/* Routers and circuits as subscribers of every controller follow them. */

let net: Traffic;
let second: TestController & { readonly dataDir: string };
const clients: SocketClient[] = [];

beforeAll(async () => {
  net = await Traffic.start();
  second = await startController({ with: net.controller });
});
afterAll(async () => {
  await second.stop();
  await net.stop();
});
beforeEach(() => net.begin());
afterEach(async () => {
  for (const { client } of clients.splice(0)) await client.dispose();
  await net.end();
});

type Fields = Readonly<Record<string, unknown>>;

interface Subscription {
  /** What came, in order. */
  readonly events: () => Fields[];
  readonly collected: Collected;
}

function follow(
  on: TestController,
  name: 'circuitChanges' | 'routerStatus',
  selection: string,
  token = on.token,
): Subscription {
  const client = new SocketClient(on.port, { payload: { 'zt-session': token } });
  clients.push(client);
  const collected = client.follow({}, `subscription { ${name}${selection} }`);
  const events = (): Fields[] =>
    collected.events.flatMap(({ data }) => {
      const { [name]: event } = (data ?? {}) as unknown as Record<string, Fields | undefined>;
      return event ? [event] : [];
    });
  return { events, collected };
}

const CIRCUIT_FIELDS = `{ kind circuitId sessionId terminatorId routerIds linkIds at createdAt
  service { id } identity { id } host { id } circuit { id } }`;

const followCircuits = (on: TestController, token?: string): Subscription =>
  follow(on, 'circuitChanges', `(serviceIds: ["${net.serviceId}"]) ${CIRCUIT_FIELDS}`, token);

/** A subscription has begun when a circuit that was dialed then shows up in all of them. */
async function begun(...subscriptions: readonly Subscription[]): Promise<void> {
  await eventually(async () => {
    made(await net.router.dial(net.dial));
    await eventually(() => {
      for (const { events } of subscriptions) expect(events()).not.toEqual([]);
    }, 2_000);
  });
}

const of = ({ events }: Subscription, circuitId: string): Fields[] =>
  events().filter((event) => event.circuitId === circuitId);

const kindsOf = (subscription: Subscription, circuitId: string): unknown[] =>
  of(subscription, circuitId).map(({ kind }) => kind);

describe('circuitChanges', () => {
  test('tells of a circuit that is created, takes another path and ends, on every controller', async () => {
    const other = await net.newRouter();
    await net.bind(other);
    const first = await link(net.router, other);
    const subscriptions = [net.controller, net.controller, second].map((on) => followCircuits(on));
    await begun(...subscriptions);

    const { circuitId } = made(await net.router.dial(net.dial));
    const spare = await link(net.router, other);
    for (const subscription of subscriptions) {
      await eventually(() => {
        expect(kindsOf(subscription, circuitId)).toEqual(['CREATED']);
      });
    }
    await net.controller.graphql(
      'mutation ($id: ID!) { updateLink(id: $id, input: {down: true}) { id } }',
      { id: first },
    );
    for (const subscription of subscriptions) {
      await eventually(() => {
        expect(kindsOf(subscription, circuitId)).toEqual(['CREATED', 'MOVED']);
      });
    }
    net.router.router.tell(CONTENT.fault, messages.Fault, {
      subject: 'IngressFault',
      id: circuitId,
    });
    const facts = {
      circuitId,
      sessionId: net.dial.id,
      terminatorId: expect.stringMatching(/^terminator-/) as unknown,
      routerIds: [net.router.id, other.id],
      service: { id: net.serviceId },
      identity: { id: net.dialer.identityId },
      host: { id: net.host.identityId },
      at: expect.any(String) as unknown,
      createdAt: expect.any(String) as unknown,
    };
    for (const subscription of subscriptions) {
      await eventually(() => {
        expect(of(subscription, circuitId)).toMatchObject([
          { ...facts, kind: 'CREATED', linkIds: [first] },
          { ...facts, kind: 'MOVED', linkIds: [spare], circuit: { id: circuitId } },
          { ...facts, kind: 'ENDED', linkIds: [spare], circuit: null },
        ]);
      });
    }
  });

  test('tells of a circuit that somebody deletes', async () => {
    await net.bind(net.router);
    const subscription = followCircuits(second);
    await begun(subscription);
    const { circuitId } = made(await net.router.dial(net.dial));
    await eventually(() => {
      expect(kindsOf(subscription, circuitId)).toEqual(['CREATED']);
    });
    await second.graphql('mutation ($id: ID!) { deleteCircuit(id: $id) }', { id: circuitId });
    await eventually(() => {
      expect(kindsOf(subscription, circuitId)).toEqual(['CREATED', 'ENDED']);
    });
  });

  test('leaves out the circuits of other services and clients', async () => {
    await net.bind(net.router);
    const unwanted = follow(
      net.controller,
      'circuitChanges',
      `(identityIds: ["${net.host.identityId}"]) { circuitId }`,
    );
    const ofClient = follow(
      net.controller,
      'circuitChanges',
      `(identityIds: ["${net.dialer.identityId}"]) { circuitId }`,
    );
    const ofService = followCircuits(net.controller);
    await begun(ofClient, ofService);
    const before = net.serviceId;
    await net.newService();
    await net.bind(net.router);
    const { circuitId } = made(await net.router.dial(net.dial));
    await eventually(() => {
      expect(of(ofClient, circuitId)).toHaveLength(1);
    });
    expect(
      new Set(ofService.events().map(({ service }) => (service as { id: string }).id)),
    ).toEqual(new Set([before]));
    expect(unwanted.events()).toEqual([]);
  });

  test('comes as an event stream, too', async () => {
    await net.bind(net.router);
    const stream = await StreamClient.open(
      `https://127.0.0.1:${String(second.port)}`,
      second.token,
      {},
      { query: `subscription { circuitChanges(serviceIds: ["${net.serviceId}"]) { kind } }` },
    );
    stream.read();
    made(await net.router.dial(net.dial));
    await eventually(() => {
      expect(stream.events).toEqual([{ data: { circuitChanges: { kind: 'CREATED' } } }]);
    });
    stream.close();
  });
});

const STATUS_FIELDS = '{ routerId isOnline syncStatus router { name isOnline } }';

const followRouter = (on: TestController, id: string, token?: string): Subscription =>
  follow(on, 'routerStatus', `(routerIds: ["${id}"]) ${STATUS_FIELDS}`, token);

/** Connects a router again and again until all subscriptions tell of it. */
async function reconnected(
  { enrolled }: RoutingRouter,
  ...subscriptions: readonly Subscription[]
): Promise<RoutingRouter> {
  let latest: RoutingRouter | undefined;
  await eventually(async () => {
    await latest?.router.close();
    latest = await RoutingRouter.connect(net.controller, enrolled);
    await eventually(() => {
      for (const { events } of subscriptions) {
        expect(events().at(-1)).toMatchObject({ isOnline: true, routerId: enrolled.id });
      }
    }, 2_000);
  });
  if (!latest) throw new Error('it did not connect');
  return latest;
}

describe('routerStatus', () => {
  test('tells on every controller that a router comes and goes, and that it is deleted', async () => {
    const { id, name } = net.router.enrolled;
    const subscriptions = [net.controller, net.controller, second].map((on) =>
      followRouter(on, id),
    );
    const connected = await reconnected(net.router, ...subscriptions);
    for (const { events } of subscriptions) {
      expect(events().at(-1)).toMatchObject({ router: { name, isOnline: true } });
    }
    await connected.router.close();
    const gone = { routerId: id, isOnline: false, syncStatus: null };
    for (const { events } of subscriptions) {
      await eventually(() => {
        expect(events().at(-1)).toEqual({ ...gone, router: { name, isOnline: false } });
      });
    }
    await RoutingRouter.connect(net.controller, net.router.enrolled);
    for (const { events } of subscriptions) {
      await eventually(() => {
        expect(events().at(-1)).toMatchObject({ isOnline: true });
      });
    }
    await net.controller.rest('DELETE', `/edge-routers/${id}`);
    for (const { events, collected } of subscriptions) {
      await eventually(() => {
        expect(events().at(-1)).toEqual({ ...gone, router: null });
      });
      expect(collected.ended).toBeUndefined();
    }
  });
});

describe('a subscription', () => {
  const READS = ['ops.read', 'router.read', 'service.read', 'identity.read'];

  test.each([
    ['circuitChanges', 'router.read'],
    ['routerStatus', 'ops.read'],
  ] as const)('to %s is refused to those who may only %s', async (name, permission) => {
    const person = await newPerson(net.controller, { permissions: [permission] });
    const { token } = await loggedIn(net.controller, person);
    const stream = await StreamClient.open(
      `https://127.0.0.1:${String(net.controller.port)}`,
      token,
      {},
      { query: `subscription { ${name} { at } }` },
    );
    expect(stream.response.statusCode).toBe(401);
    stream.close();
  });

  test('ends when its permission is withdrawn at another controller', async () => {
    await net.bind(net.router);
    const person = await newPerson(net.controller, { permissions: READS });
    const { token } = await loggedIn(net.controller, person);
    const circuits = followCircuits(net.controller, token);
    const status = followRouter(net.controller, net.router.id, token);
    await begun(circuits);
    const connected = await reconnected(net.router, status);
    const answer = await second.rest('PATCH', `/identities/${person.id}`, {
      permissions: ['service.read'],
    });
    expect(answer.status).toBe(200);
    // An event that comes now is not shown.
    await connected.router.close();
    for (const { collected } of [circuits, status]) {
      await eventually(() => {
        expect(collected.ended).toBeDefined();
        expect(collected.events.at(-1)?.errors?.[0]?.extensions).toMatchObject({
          code: 'UNAUTHORIZED',
          status: 401,
        });
      });
    }
  });

  test('goes on when another controller takes the routers over', async () => {
    await net.bind(net.router);
    const circuits = followCircuits(second);
    const status = followRouter(second, net.router.id);
    await begun(circuits);
    const before = await reconnected(net.router, status);
    const kept = made(await before.dial(net.dial));
    await eventually(() => {
      expect(kindsOf(circuits, kept.circuitId)).toEqual(['CREATED']);
    });
    const ended = net.controller.end();
    await before.router.closed;
    await eventually(() => {
      expect(status.events().at(-1)).toMatchObject({ isOnline: false });
    });
    const { value: again } = await eventually(() =>
      RoutingRouter.connect(second, net.router.enrolled, {
        headers: new Map([[0, textValue('the connection before')]]),
      }),
    );
    await eventually(() => {
      expect(status.events().at(-1)).toMatchObject({ isOnline: true });
    });
    again.router.tell(CONTENT.fault, messages.Fault, {
      subject: 'IngressFault',
      id: kept.circuitId,
    });
    await eventually(() => {
      expect(kindsOf(circuits, kept.circuitId)).toEqual(['CREATED', 'ENDED']);
    });
    await eventually(async () => {
      const { circuitId } = made(await again.dial(net.dial));
      await eventually(() => {
        expect(kindsOf(circuits, circuitId)).toEqual(['CREATED']);
      }, 5_000);
    });
    expect([circuits.collected.ended, status.collected.ended]).toEqual([undefined, undefined]);
    await again.router.close();
    await ended;
  });
});
