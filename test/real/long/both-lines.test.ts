import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { RealNetwork, ZITI, ZITI_2, type RealRouter } from '../real-network.js';

/*
 * Real routers of both lines in one network. `OVERGRAPH_ZITI_2` names the `ziti` program of a version
 * 2, `OVERGRAPH_ZITI` that of a version 1.6; what has no program is skipped.
 */

const PATIENCE_MS = 60_000;

(ZITI_2 === undefined ? describe.skip : describe)('a real router of version 2', () => {
  let controller: TestController & { dataDir: string };
  let net: RealNetwork;
  let router: RealRouter;

  const isOnline = (at: RealRouter): Promise<unknown> =>
    eventually(async () => {
      expect(await net.stateOf(at)).toMatchObject({ isOnline: true, syncStatus: 'SYNC_DONE' });
    }, PATIENCE_MS);

  beforeAll(async () => {
    controller = await startController();
    net = await RealNetwork.open(controller);
    router = await net.router({ program: ZITI_2 });
  }, 120_000);
  afterAll(async () => {
    await net.close();
    await net.controller.stop();
    await controller.stop();
  });

  test('is online, with what it says about itself', async () => {
    await isOnline(router);
    const address = `tls://127.0.0.1:${String(router.edge)}`;
    expect(await net.stateOf(router)).toMatchObject({
      hostname: '127.0.0.1',
      supportedProtocols: { tls: address },
      versionInfo: { version: expect.stringMatching(/^v2\./) },
    });
  }, 90_000);

  (ZITI === undefined ? test.skip : test)(
    'has a link with a router of version 1.6',
    async () => {
      const other = await net.router();
      await isOnline(other);
      await eventually(async () => {
        expect(await net.linksBetween(router, other)).toHaveLength(1);
      }, PATIENCE_MS);
    },
    150_000,
  );

  test('comes back by itself to a controller that never saw it', async () => {
    const onlineSince = async (): Promise<unknown> => {
      const text = 'query ($id: ID!) { edgeRouter(id: $id) { onlineSince } }';
      const { data } = await net.controller.graphql(text, { id: router.id });
      return (data as { edgeRouter: { onlineSince: string | null } }).edgeRouter.onlineSince;
    };
    const before = await onlineSince();
    controller.child.kill('SIGKILL');
    net.controller = await startController({ port: controller.port, with: controller });
    await eventually(async () => {
      expect([null, before]).not.toContain(await onlineSince());
    }, PATIENCE_MS);
    await isOnline(router);
  }, 150_000);
});
