import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EmbeddedController } from '../../faults/embedded-controller.js';
import { eventually } from '../../support/eventually.js';
import { hasProcesses, processesWith } from '../processes.js';

/** The built controller, with the times that it has by default. */

const MINUTE = 60_000;
const withProcesses = hasProcesses ? describe : describe.skip;

withProcesses('a PostgreSQL whose controller was killed', () => {
  let controller: EmbeddedController;
  beforeAll(async () => {
    controller = await EmbeddedController.start();
  }, 2 * MINUTE);
  afterAll(() => controller.stop());

  test(
    'ends by itself within a minute, and what watched over it too',
    async () => {
      const cluster = await controller.processes();
      const { child } = controller.program;
      child.kill('SIGKILL');
      await controller.program.end();
      const { tookMs } = await eventually(async () => {
        expect(await processesWith(controller.folder)).toStrictEqual([]);
      }, MINUTE);
      expect(cluster.length).toBeGreaterThan(1);
      // Time for a restart, which goes on with it.
      expect(tookMs).toBeGreaterThan(20_000);
    },
    2 * MINUTE,
  );
});
