import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import { RouterPresence } from '../../../src/network/presence/index.js';
import { eventually } from '../../support/eventually.js';
import { InProcess } from '../../support/in-process.js';
import { storeWith } from '../../support/store-with.js';

/** Questions to routers and controllers at the same time. */

/** Whether the presence has read how far its table goes. */
const isPosition = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'generation' in result;

let controller: InProcess;
beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

test('a process runs eight inspections at a time', async () => {
  const { presence } = controller.parts;
  const detach = presence.attachInspector(() => Promise.resolve({ errors: [], values: [] }));
  const ask = (): ReturnType<typeof presence.inspect> => presence.inspect(['node'], ['links']);
  const running = Array.from({ length: 8 }, ask);
  await expect(ask()).rejects.toMatchObject({ code: 'SERVER_TOO_MANY_REQUESTS' });
  await Promise.all(running);
  await expect(ask()).resolves.toBeInstanceOf(Map);
  detach();
});

test('a question that comes while others are read is asked once', async () => {
  const { presence: asking, sessions, store } = controller.parts;
  const answers: Promise<unknown>[] = [];
  let isNext = false;
  const presence = new RouterPresence({
    store: storeWith(store, {
      readModel: async (call) => {
        const result = await store.readModel(call);
        // The place up to which the presence reads is known; the next question comes after it.
        if (isNext && isPosition(result)) {
          isNext = false;
          answers.push(asking.inspect(['node'], ['late']));
          await eventually(async () => {
            expect(
              await store.query(sql`select from inspection where 'late' = any(names)`),
            ).toHaveLength(1);
          });
        }
        return result;
      },
    }),
    sessions,
    now: () => new Date(),
    onError: (error) => {
      throw error;
    },
  });
  await presence.refresh();
  const asked: string[] = [];
  presence.attachInspector((_, { names }) => {
    asked.push(...names);
    return Promise.resolve({ errors: [], values: [] });
  });
  answers.push(asking.inspect(['node'], ['early']));
  await eventually(async () => {
    expect(await store.query(sql`select from inspection where 'early' = any(names)`)).toHaveLength(
      1,
    );
  });
  isNext = true;
  await presence.refresh();
  await presence.refresh();
  await Promise.all(answers);
  await presence.refresh();
  expect(asked).toEqual(['early', 'late']);
  await presence.stop();
});
