import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { InProcess } from '../support/in-process.js';

/** Questions to routers and controllers at the same time. */

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
