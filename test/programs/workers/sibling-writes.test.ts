import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Change } from '../../../src/kernel/request/store-port.js';
import type { SiblingWrite } from '../../../src/data/store/model-store.js';
import { startTwo, type TwoInProcess } from '../../support/two-in-process.js';

/* The stores of two processes of one controller; the test carries the messages between them. */

let two: TwoInProcess;
const writes: SiblingWrite[] = [];
/** What the listeners of the other process were called with, as `resource operation`. */
let published: string[] = [];

beforeAll(async () => {
  two = await startTwo({});
  const { controller, other } = two;
  controller.parts.store.onWritten = (write) => {
    writes.push(structuredClone(write));
    return Promise.resolve();
  };
  other.parts.store.onWritten = () => Promise.resolve();
  other.parts.store.onChange((changes) => {
    published.push(...changes.map(({ resource, operation }) => `${resource} ${operation}`));
  });
});
afterAll(() => two.stop());
beforeEach(() => {
  published = [];
  writes.length = 0;
});

async function createService(name: string): Promise<{ write: SiblingWrite; feed: Change[] }> {
  await two.controller.create('Service', { name, encryptionRequired: true });
  const [write] = writes.filter(({ changes }) => changes.length > 0);
  if (!write) throw new Error('the write was not told');
  return { write, feed: [...write.changes] };
}

describe('a write of another process', () => {
  test('is published once when the feed brings it later', async () => {
    const { write, feed } = await createService('told first');
    const { store } = two.other.parts;
    store.applyWrite(write);
    expect(published).toEqual(['Service create']);
    await store.deliver(feed);
    expect(published).toEqual(['Service create']);
  });

  test('is published once when the feed has brought it already', async () => {
    const { write, feed } = await createService('delivered first');
    const { store } = two.other.parts;
    await store.deliver(feed);
    store.applyWrite(write);
    expect(published).toEqual(['Service create']);
    // The same change does not come a third time, but a later one of the entity does.
    await store.deliver(feed.map((change) => ({ ...change, revision: change.revision + 1 })));
    expect(published).toEqual(['Service create', 'Service create']);
  });

  test('names the tables whose kept rows are out of date', async () => {
    const { write } = await createService('with its table');
    expect(write.tables).toContain('service');
  });
});
