import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiError } from '../../src/base/errors.js';
import type { Row } from '../../src/base/row.js';
import { sql } from '../../src/base/sql.js';
import { circuitsIn } from '../../src/network/fabric/stored-circuits.js';
import { CircuitStream } from '../../src/network/fabric/index.js';
import type { Subscriptions } from '../../src/graph/index.js';
import { unique } from '../trust/auth/client.js';
import { eventually } from '../support/eventually.js';
import { InProcess } from '../support/in-process.js';
import { subscriptionsOf } from '../support/subscriptions.js';

/* The subscription to circuits, as the doors run it. */

let controller: InProcess;
let subscriptions: Subscriptions;
const faults: unknown[] = [];

beforeAll(async () => {
  controller = await InProcess.start();
  const { store } = controller.parts;
  const onError = (error: unknown): void => {
    faults.push(error);
  };
  // All contexts have these modules; subscribers are cut off sooner than in a controller.
  Object.assign(controller.ctx().modules, {
    circuitStream: new CircuitStream({ store, onError, pollMillis: 5, stallMillis: 100 }),
  });
  subscriptions = subscriptionsOf(controller, onError);
});
afterAll(async () => {
  subscriptions.stop();
  await controller.stop();
  expect(faults).toEqual([]);
});

/** Starts a subscription of somebody with these permissions; `cutOffs` gets the reason of a cut. */
async function begin(permissions: readonly string[], selection: string, cutOffs: ApiError[] = []) {
  const identityId = await controller.create('Identity', {
    name: unique('follower'),
    type: 'Default',
    isAdmin: false,
    permissions,
  });
  const { token } = await controller.openSession(identityId);
  return subscriptions.start(
    { headers: { 'zt-session': token }, rawHeaders: [], socket: {} } as never,
    {
      query: `subscription { circuitChanges { ${selection} } }`,
      variables: {},
      operationName: undefined,
    },
    (error) => cutOffs.push(error),
  );
}

async function next(running: Awaited<ReturnType<typeof begin>>): Promise<Row> {
  const { value } = await running.next();
  return JSON.parse(JSON.stringify(value ?? null)) as Row;
}

let count = 0;
async function newCircuit(serviceId = 'service'): Promise<string> {
  const id = `circuit ${String((count += 1))}`;
  const common = { sessionId: 's', serviceId, identityId: 'i', hostId: '', terminatorId: 't' };
  const path = {
    instanceId: '',
    binding: 'edge',
    routerIds: ['a'],
    linkIds: [],
    ingress: 'in',
    egress: 'out',
  };
  await circuitsIn(controller.parts.store).put([{ ...common, ...path, id, createdAt: new Date() }]);
  return id;
}

test('its events show entities to those who may read them', async () => {
  const serviceId = await controller.create('Service', {
    name: unique('service'),
    encryptionRequired: true,
  });
  const selection = 'circuitId circuit { id } service { id } host { id }';
  const powerful = await begin(['ops.read', 'service.read', 'identity.read'], selection);
  const bounded = await begin(['ops.read'], selection);
  const id = await newCircuit(serviceId);
  const shown = { circuitId: id, circuit: { id }, service: { id: serviceId }, host: null };
  expect(await next(powerful)).toEqual({ data: { circuitChanges: shown } });
  expect(await next(bounded)).toEqual({ data: { circuitChanges: { ...shown, service: null } } });
  for (const running of [powerful, bounded]) await running.return?.();
});

describe('a subscriber', () => {
  test('that reads nothing any more is cut off', async () => {
    const cutOffs: ApiError[] = [];
    const running = await begin(['ops.read'], 'circuitId', cutOffs);
    const id = await newCircuit();
    expect(await next(running)).toEqual({ data: { circuitChanges: { circuitId: id } } });
    await eventually(() => {
      expect(cutOffs).toMatchObject([{ code: 'SUBSCRIBER_TOO_SLOW', status: 429 }]);
    });
    expect(await next(running)).toMatchObject({
      errors: [{ extensions: { code: 'SUBSCRIBER_TOO_SLOW', status: 429 } }],
    });
    expect(await running.next()).toEqual({ done: true, value: undefined });
  });

  test('that would miss events is told so', async () => {
    await newCircuit();
    const running = await begin(['ops.read'], 'circuitId');
    const result = next(running);
    await controller.parts.store.query(sql`update circuit_event_version set version = version + 1`);
    expect(await result).toMatchObject({
      errors: [{ extensions: { code: 'UNAVAILABLE', status: 503 } }],
    });
    expect(await running.next()).toEqual({ done: true, value: undefined });
  });
});
