import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ChangeStream, type ChangeFollower } from '../../../src/data/changes/index.js';
import type { ChangeLog, LoggedChange } from '../../../src/kernel/request/store-port.js';
import { ChangeFeed } from '../../../src/data/store/change-feed.js';
import { StoredChangeLog } from '../../../src/data/store/change-log.js';
import { eventually } from '../../support/eventually.js';
import { InProcess } from '../../support/in-process.js';
import { commit, openTransaction, pruneUpTo, settled } from './support.js';

/** Following the log at one's own pace: every change once, in order, whatever happens beside it. */

let first: InProcess;
let second: InProcess;
const ends: (() => Promise<void>)[] = [];
const feeds: ChangeFeed[] = [];
const faults: unknown[] = [];

beforeAll(async () => {
  first = await InProcess.start();
  second = await InProcess.start(first);
});
afterAll(async () => {
  for (const end of ends) await end();
  await second.stop();
  await first.stop();
  expect(faults).toStrictEqual([]);
});

/** A controller's stream, fed from its database. */
async function streamOf(on: InProcess, stallMillis?: number): Promise<ChangeStream> {
  const { database } = on.parts;
  const log = new StoredChangeLog(database);
  const start = await log.horizon();
  const stream = new ChangeStream(log, start, stallMillis);
  const feed = new ChangeFeed(
    database,
    log,
    start,
    (changes) => {
      stream.append(changes);
    },
    (error) => faults.push(error),
  );
  await feed.start();
  feeds.push(feed);
  ends.push(() => feed.stop());
  return stream;
}

const services = ({ resource }: LoggedChange): boolean => resource === 'Service';

let count = 0;
const newService = (on = first): Promise<string> =>
  on.create('Service', { name: `service ${String(++count)}`, encryptionRequired: true });

async function take(follower: ChangeFollower, number: number): Promise<LoggedChange[]> {
  const taken: LoggedChange[] = [];
  while (taken.length < number) {
    const { value } = await follower.next();
    if (!value) throw new Error('it ended');
    taken.push(value);
  }
  return taken;
}

const ids = (changes: readonly LoggedChange[]): string[] => changes.map(({ id }) => id);

describe('a follower', () => {
  test('gets what is committed from now on, whichever controller wrote it', async () => {
    const stream = await streamOf(first);
    const before = await newService();
    await settled(first, before);
    const follower = await stream.follow({ wants: services });
    const written = [];
    for (const on of [first, second, second, first]) written.push(await newService(on));
    expect(ids(await take(follower, 4))).toStrictEqual(written);
    follower.end();
  });

  test('gets a late commit before what was written after it', async () => {
    const stream = await streamOf(second);
    const expected = new Set(['early']);
    const follower = await stream.follow({ wants: ({ id }) => expected.has(id) });
    const early = await openTransaction(first.url, 'early');
    // The log tells it only after the early transaction has ended.
    const late = await newService();
    expected.add(late);
    const both = take(follower, 2);
    await commit(early);
    expect(ids(await both)).toStrictEqual(['early', late]);
    follower.end();
  });

  test('resumes between two changes of one transaction, on another controller', async () => {
    const [one, other] = [await streamOf(first), await streamOf(second)];
    const follower = await one.follow({ wants: () => true });
    await commit(await openTransaction(first.url, 'a', 'b', 'c'));
    const [a] = await take(follower, 1);
    expect(a?.id).toBe('a');
    const resumed = await other.follow({ since: String(a?.cursor), wants: () => true });
    expect(ids(await take(resumed, 2))).toStrictEqual(['b', 'c']);
    expect(ids(await take(follower, 2))).toStrictEqual(['b', 'c']);
    follower.end();
    resumed.end();
  });

  test('resumes far behind what is held in memory, without loss or repetition', async () => {
    const stream = await streamOf(first);
    const marker = await newService();
    const [change] = await settled(first, marker);
    await first.parts.database.pool.query(
      `insert into change (epoch, at, entity_type, entity_id, operation, revision)
       select 1, now(), 'Config', 'bulk ' || i, 'delete', 2 from generate_series(1, 2500) i`,
    );
    await settled(first, 'bulk 2500');
    const follower = await stream.follow({ since: String(change?.id), wants: () => true });
    const taken = await take(follower, 1_200);
    // More comes while it reads.
    const later = await newService();
    taken.push(...(await take(follower, 1_301)));
    expect(ids(taken)).toStrictEqual([
      ...Array.from({ length: 2500 }, (_, i) => `bulk ${String(i + 1)}`),
      later,
    ]);
    follower.end();
  });

  test('is refused a place that is not kept, at the start and on the way', async () => {
    const stream = await streamOf(first);
    await expect(stream.follow({ since: '0'.repeat(36), wants: () => true })).rejects.toMatchObject(
      { code: 'HISTORY_NOT_KEPT' },
    );
    const [change] = await settled(first, await newService());
    const follower = await stream.follow({ since: String(change?.id), wants: () => true });
    await first.parts.database.pool.query(
      `insert into change (epoch, at, entity_type, entity_id, operation, revision)
       select 1, now(), 'Config', 'more ' || i, 'delete', 2 from generate_series(1, 1500) i`,
    );
    const [last] = await settled(first, 'more 1500');
    await take(follower, 1);
    // Controllers do not prune what they have not read.
    await eventually(() => {
      expect(feeds.every(({ position }) => position >= String(last?.id))).toBe(true);
    });
    await pruneUpTo(first, String(last?.id));
    await expect(take(follower, 1500)).rejects.toMatchObject({ code: 'HISTORY_NOT_KEPT' });
    expect(await follower.next()).toStrictEqual({ done: true, value: undefined });
  });

  test('that takes nothing for too long is cut off with the place to resume from', async () => {
    const stream = await streamOf(first, 30);
    const stalled: unknown[] = [];
    const follower = await stream.follow({
      wants: services,
      onStalled: (error) => stalled.push(error),
    });
    const written = [await newService(), await newService(), await newService()];
    const [taken] = await take(follower, 1);
    expect(taken?.id).toBe(written[0]);
    await eventually(() => {
      expect(stalled).toHaveLength(1);
    });
    const error = await follower.next().catch((fault: unknown) => fault);
    expect(error).toMatchObject({
      code: 'SUBSCRIBER_TOO_SLOW',
      detail: { kind: 'resume', cursor: taken?.cursor },
    });
    expect(await follower.next()).toStrictEqual({ done: true, value: undefined });
    const resumed = await stream.follow({ since: String(taken?.cursor), wants: services });
    expect(ids(await take(resumed, 2))).toStrictEqual(written.slice(1));
    resumed.end();
  });

  test('that waits for nothing in particular is not cut off', async () => {
    const stream = await streamOf(first, 30);
    const follower = await stream.follow({ wants: services });
    const waiting = take(follower, 1);
    await newService(second);
    await settled(first, await first.create('ConfigType', { name: 'beside' }));
    expect((await waiting)[0]?.resource).toBe('Service');
    await follower.return();
  });

  test('that waits ends at once when it is ended', async () => {
    const stream = await streamOf(first);
    const [left, stopped] = [
      await stream.follow({ wants: () => false }),
      await stream.follow({ wants: () => false }),
    ];
    const waiting = [left.next(), stopped.next()];
    await left.return();
    stream.stop();
    expect(await Promise.all(waiting)).toStrictEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  });
});

describe('what is held in memory', () => {
  test('serves those who are up to date without a statement', async () => {
    let reads = 0;
    const log: ChangeLog = {
      horizon: () => Promise.resolve('5'),
      following: () => {
        reads += 1;
        return Promise.resolve([]);
      },
    };
    const stream = new ChangeStream(log, '5');
    const change = (cursor: string, size = 1): LoggedChange =>
      ({ cursor, id: cursor, size }) as unknown as LoggedChange;
    const follower = await stream.follow({ wants: () => true });
    stream.append([change('6'), change('7')]);
    expect(ids(await take(follower, 2))).toStrictEqual(['6', '7']);
    expect(reads).toBe(0);
    // Whatever is too large for memory is read again.
    const waiting = follower.next();
    stream.append([change('8', 100 * 1024 * 1024)]);
    await eventually(() => {
      expect(reads).toBe(1);
    });
    follower.end();
    await waiting;
  });
});
