import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Transaction } from '../../../src/kernel/request/store-port.js';
import { originOf } from '../../../src/kernel/write/write.js';
import { InProcess } from '../../support/in-process.js';

/** Two writes that wait for each other: the database rolls one back, which is done again. */

let controller: InProcess;
let ids: [string, string];

beforeAll(async () => {
  controller = await InProcess.start();
  const service = (name: string): Promise<string> =>
    controller.create('Service', { name, encryptionRequired: true });
  ids = [await service('one'), await service('other')];
});
afterAll(() => controller.stop());

/** Resolves for all when so many have come. */
function meeting(count: number): () => Promise<void> {
  let missing = count;
  let open: () => void = () => undefined;
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    missing -= 1;
    if (missing === 0) open();
    return isOpen;
  };
}

describe('a deadlock', () => {
  test('is no fault that a client hears of, and both writes are done once', async () => {
    const { store } = controller.parts;
    const services = controller.catalog.resources.Service;
    const meet = meeting(2);
    let runs = 0;
    let rolledBack = 0;
    const noteVictim = (error: unknown): never => {
      rolledBack += 1;
      throw error;
    };
    const write = ([first, second]: readonly [string, string], tag: string): Promise<void> =>
      store.write(originOf(controller.ctx()), async (tx: Transaction) => {
        runs += 1;
        await tx.lock(services, [first]).catch(noteVictim);
        if (runs <= 2) await meet();
        await tx.lock(services, [second]).catch(noteVictim);
        for (const id of [first, second]) {
          const [row] = await tx.find(services, { id });
          await tx.update(services, id, { tags: { ...(row?.tags as object), [tag]: true } });
        }
      });
    const [one, other] = ids;
    await Promise.all([write([one, other], 'a'), write([other, one], 'b')]);
    // The one that is done again may meet the other once more.
    expect(rolledBack).toBeGreaterThan(0);
    expect(runs).toBe(2 + rolledBack);
    const { services: list } = await controller.read<{
      services: { nodes: { tags: object }[] };
    }>('{ services { nodes { tags } } }');
    expect(list.nodes.map(({ tags }) => tags)).toStrictEqual([
      { a: true, b: true },
      { a: true, b: true },
    ]);
  });

  test.each(['write', 'rehearse'] as const)(
    'that does not end is told as one that passes: %s',
    async (way) => {
      let runs = 0;
      const writing = controller.parts.store[way](originOf(controller.ctx()), () => {
        runs += 1;
        return Promise.reject(Object.assign(new Error('deadlock detected'), { code: '40P01' }));
      });
      await expect(writing).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(runs).toBe(3);
    },
  );
});
