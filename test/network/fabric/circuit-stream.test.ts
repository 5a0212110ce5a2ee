import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiError } from '../../../src/base/errors.js';
import { sql } from '../../../src/base/sql.js';
import type { Circuit } from '../../../src/network/fabric/circuit.js';
import { circuitsIn } from '../../../src/network/fabric/stored-circuits.js';
import type { CircuitEvent } from '../../../src/data/rows/fabric/index.js';
import { CircuitStream, type CircuitFollower } from '../../../src/network/fabric/index.js';
import { testCircuit } from '../../support/test-circuit.js';
import { eventually } from '../../support/eventually.js';
import type { Store } from '../../../src/kernel/request/store-port.js';
import { InProcess } from '../../support/in-process.js';
import { storeWith } from '../../support/store-with.js';

/* What happens to circuits, as subscribers of any controller follow it. */

const POLL_MILLIS = 5;

let owner: InProcess;
let other: InProcess;
const faults: unknown[] = [];

beforeAll(async () => {
  owner = await InProcess.start();
  other = await InProcess.start(owner);
});
afterAll(async () => {
  await other.stop();
  await owner.stop();
  expect(faults).toEqual([]);
});
beforeEach(() => owner.parts.store.query(sql`delete from circuit`));

const streamOf = (
  on: InProcess = other,
  limits: { readonly stallMillis?: number; readonly mostUnread?: number } = {},
): CircuitStream =>
  new CircuitStream({
    store: counted(on),
    onError: (error) => faults.push(error),
    pollMillis: POLL_MILLIS,
    ...limits,
  });

/** The statements of the streams of each controller, which has others of its own. */
const statements = new Map<InProcess, number>();
const counted = (on: InProcess): Store => {
  const { store } = on.parts;
  const count = (): void => void statements.set(on, (statements.get(on) ?? 0) + 1);
  return storeWith(store, {
    query: (statement) => {
      count();
      return store.query(statement);
    },
    readModel: (call) => {
      count();
      return store.readModel(call);
    },
  });
};

const ALL = { wants: () => true };

let count = 0;
const circuit = (values: Partial<Circuit> = {}): Circuit =>
  testCircuit({
    id: `circuit ${String((count += 1))}`,
    routerIds: ['a', 'b'],
    linkIds: ['a-b'],
    ...values,
  });

const put = (...circuits: readonly Circuit[]): Promise<void> =>
  circuitsIn(owner.parts.store).put(circuits);
const remove = (...circuits: readonly Circuit[]): Promise<void> =>
  circuitsIn(owner.parts.store).remove(circuits);

async function take(follower: CircuitFollower, number: number): Promise<CircuitEvent[]> {
  const taken: CircuitEvent[] = [];
  while (taken.length < number) {
    const { value } = await follower.next();
    if (!value) throw new Error('it ended');
    taken.push(value);
  }
  return taken;
}

const shown = (events: readonly CircuitEvent[]): unknown[] =>
  events.map(({ kind, circuitId }) => [kind, circuitId]);

describe('a follower', () => {
  test('hears of a circuit that is created, moved and ended, with its facts', async () => {
    const follower = await streamOf().follow(ALL);
    const one = circuit();
    const moved = { ...one, routerIds: ['a', 'c', 'b'], linkIds: ['a-c', 'c-b'] };
    await put(one);
    await put(moved);
    await remove(moved);
    const { id, instanceId, binding, ingress, egress, ...facts } = one;
    const path = { routerIds: moved.routerIds, linkIds: moved.linkIds };
    const common = {
      ...facts,
      circuitId: id,
      version: expect.any(BigInt),
      at: expect.any(Date),
    };
    expect([instanceId, binding, ingress, egress]).toEqual(['', 'edge', 'in', 'out']);
    expect(await take(follower, 3)).toEqual([
      { ...common, kind: 'CREATED' },
      { ...common, ...path, kind: 'MOVED' },
      { ...common, ...path, kind: 'ENDED' },
    ]);
    follower.end();
  });

  test('hears of circuits from the moment at which it follows, in their order', async () => {
    const early = circuit();
    await put(early);
    const follower = await streamOf().follow(ALL);
    const circuits = [circuit(), circuit(), circuit()];
    await put(...circuits);
    await remove(early);
    expect(shown(await take(follower, 4))).toEqual([
      ...circuits.map(({ id }) => ['CREATED', id]),
      ['ENDED', early.id],
    ]);
    follower.end();
  });

  test('hears of the end of a circuit whose row somebody has deleted', async () => {
    const follower = await streamOf().follow(ALL);
    const one = circuit();
    await put(one);
    await owner.parts.store.query(sql`delete from circuit where id = ${one.id}::text`);
    await remove(one);
    expect(shown(await take(follower, 2))).toEqual([
      ['CREATED', one.id],
      ['ENDED', one.id],
    ]);
    follower.end();
  });

  test('sees the state that an event tells of', async () => {
    const follower = await streamOf().follow(ALL);
    const one = circuit();
    void put(one);
    await take(follower, 1);
    const rows = await other.parts.store.query(
      sql<{ id: string }>`select id from circuit where id = ${one.id}::text`,
    );
    expect(rows).toEqual([{ id: one.id }]);
    follower.end();
  });

  test('gets what it wants', async () => {
    const follower = await streamOf().follow({ wants: ({ serviceId }) => serviceId === 'wanted' });
    const wanted = circuit({ serviceId: 'wanted' });
    await put(circuit(), wanted, circuit());
    expect(shown(await take(follower, 1))).toEqual([['CREATED', wanted.id]]);
    follower.end();
  });

  test('hears of the circuits of a new owner of the fabric', async () => {
    const follower = await streamOf(owner).follow(ALL);
    const [first, second] = [circuit(), circuit()];
    await put(first);
    await circuitsIn(other.parts.store).remove([first]);
    await circuitsIn(other.parts.store).put([second]);
    expect(shown(await take(follower, 3))).toEqual([
      ['CREATED', first.id],
      ['ENDED', first.id],
      ['CREATED', second.id],
    ]);
    follower.end();
  });

  test('hears of thousands at once, as long as it reads', async () => {
    const follower = await streamOf(other, { mostUnread: 5_000 }).follow(ALL);
    const circuits = Array.from({ length: 5_000 }, () => circuit());
    await put(...circuits);
    expect(shown(await take(follower, 5_000))).toEqual(circuits.map(({ id }) => ['CREATED', id]));
    follower.end();
  });
});

test('two owners that write at once get versions of their own', async () => {
  const follower = await streamOf().follow(ALL);
  const circuits = Array.from({ length: 40 }, () => circuit());
  await Promise.all(
    circuits.map((one, i) => circuitsIn((i % 2 ? owner : other).parts.store).put([one])),
  );
  const events = await take(follower, 40);
  expect(new Set(events.map(({ circuitId }) => circuitId)).size).toBe(40);
  expect(events.map(({ version }) => version - (events[0]?.version ?? 0n))).toEqual(
    Array.from({ length: 40 }, (_, i) => BigInt(i)),
  );
  follower.end();
});

describe('the database', () => {
  const polls = (): number => statements.get(other) ?? 0;
  /** Waits for so many polls. */
  const polled = (number: number): Promise<unknown> => {
    const before = polls();
    return eventually(() => {
      expect(polls() - before).toBeGreaterThanOrEqual(number);
    });
  };

  test('is asked by one poll for all followers, and by none without followers', async () => {
    const stream = streamOf();
    const followers = [await stream.follow(ALL)];
    await polled(3);
    const before = polls();
    for (let i = 0; i < 50; i += 1) followers.push(await stream.follow(ALL));
    // The others neither asked where the stream is, nor poll by themselves.
    expect(polls() - before).toBeLessThan(50);
    const one = circuit();
    await put(one);
    for (const follower of followers) {
      expect(shown(await take(follower, 1))).toEqual([['CREATED', one.id]]);
    }
    for (const follower of followers) await follower.return();
    // A poll may be under way.
    const later = await streamOf(owner).follow(ALL);
    await put(circuit());
    await take(later, 1);
    later.end();
    const after = polls();
    const witness = await streamOf(owner).follow(ALL);
    for (let i = 0; i < 3; i += 1) {
      await put(circuit());
      await take(witness, 1);
    }
    witness.end();
    expect(polls()).toBe(after);
    const again = await stream.follow(ALL);
    await put(circuit());
    await take(again, 1);
    again.end();
  });

  test('keeps the latest events', async () => {
    await owner.parts.store.query(sql`update circuit_event_version set version = version + 60000`);
    const one = circuit();
    await remove(one);
    const rows = await owner.parts.store.query(
      sql<{ circuit_id: string }>`select circuit_id from circuit_event`,
    );
    expect(rows).toEqual([{ circuit_id: one.id }]);
  });
});

describe('a follower is cut off', () => {
  test('when it reads nothing for too long', async () => {
    const reasons: ApiError[] = [];
    const stream = streamOf(other, { stallMillis: 1 });
    const follower = await stream.follow({ ...ALL, onStalled: (error) => reasons.push(error) });
    await put(circuit());
    await take(follower, 1);
    await eventually(() => {
      expect(reasons).toMatchObject([{ code: 'SUBSCRIBER_TOO_SLOW', status: 429 }]);
    });
    await expect(follower.next()).rejects.toBe(reasons[0]);
  });

  test('when it leaves too much unread, without harm to others', async () => {
    const reasons: ApiError[] = [];
    const stream = streamOf(other, { mostUnread: 10 });
    const reading = await stream.follow(ALL);
    await stream.follow({ ...ALL, onStalled: (error) => reasons.push(error) });
    for (let i = 0; i < 3; i += 1) {
      await put(...Array.from({ length: 5 }, () => circuit()));
      await take(reading, 5);
    }
    await eventually(() => {
      expect(reasons).toMatchObject([
        { code: 'SUBSCRIBER_TOO_SLOW', detail: { message: 'more than 10 events were not taken' } },
      ]);
    });
    await put(circuit());
    await take(reading, 1);
    reading.end();
  });

  test.each([
    ['are missing', sql`update circuit_event_version set version = version + 1`],
    ['were lost with the volatile tables', sql`truncate circuit_event_version, circuit_event`],
  ])('with a reason when events %s', async (_, damage) => {
    await put(circuit());
    const stream = streamOf();
    const follower = await stream.follow(ALL);
    const next = follower.next();
    await owner.parts.store.query(damage);
    await expect(next).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 });
    const again = await stream.follow(ALL);
    const one = circuit();
    await put(one);
    expect(shown(await take(again, 1))).toEqual([['CREATED', one.id]]);
    again.end();
  });
});
