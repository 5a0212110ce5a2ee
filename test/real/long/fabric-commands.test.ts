import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { RealNetwork, ZITI, ZITI_2, type RealRouter } from '../real-network.js';

/*
 * `ziti fabric inspect`, `validate` and `stream` of both lines, with a router of each. `OVERGRAPH_ZITI`
 * names the `ziti` program of a version 1.6, `OVERGRAPH_ZITI_2` that of a version 2.
 */

const BOTH = ZITI !== undefined && ZITI_2 !== undefined;
const PATIENCE_MS = 60_000;

/** Values that each router tells. */
const ROUTER_VALUES = [
  ...['stackdump', 'metrics', 'config', 'links', 'sdk-terminators', 'router-circuits'],
  ...['router-edge-circuits', 'router-sdk-circuits', 'router-data-model'],
  ...['router-data-model-index', 'router-controllers', 'identity-connection-statuses'],
];
/** Values that the controller tells. */
const CONTROLLER_VALUES = [
  ...['config', 'connected-routers', 'router-data-model-index', 'terminator-costs'],
];

let controller: TestController & { dataDir: string };
let net: RealNetwork;
let routers: RealRouter[];
let controllerId: string;

(BOTH ? describe : describe.skip)('ziti fabric', () => {
  beforeAll(async () => {
    controller = await startController({ env: { OVERGRAPH_WORKERS: '2' } });
    net = await RealNetwork.open(controller);
    routers = [await net.router({ program: ZITI }), await net.router({ program: ZITI_2 })];
    const [first, second] = routers as [RealRouter, RealRouter];
    await eventually(async () => {
      expect(await net.linksBetween(first, second)).toHaveLength(1);
    }, PATIENCE_MS);
    const { body } = await controller.rest('GET', '/controllers');
    controllerId = (body.data as unknown as [{ id: string }])[0].id;
  }, 300_000);
  afterAll(async () => {
    await net.close();
    await controller.stop();
  });

  describe.each([
    ['1.6', ZITI],
    ['2', ZITI_2],
  ])('of version %s', (_, program) => {
    const fabric = (...args: string[]): Promise<string> => net.run(program, ['fabric', ...args]);
    const stream = (...args: string[]) => net.follow(program, ['fabric', 'stream', ...args]);

    beforeAll(() => net.logIn(program), 60_000);

    test.each(ROUTER_VALUES)(
      'inspect %s: of routers of both lines',
      async (name) => {
        const text = await fabric('inspect', name, '.*');
        for (const { id } of routers) expect(text).toContain(`${id}.${name}`);
      },
      60_000,
    );

    test.each(CONTROLLER_VALUES)(
      'inspect %s: of the controller',
      async (name) => {
        expect(await fabric('inspect', name, '.*')).toContain(`${controllerId}.${name}`);
      },
      60_000,
    );

    test.each([
      ['circuits', 2],
      ['identity-connection-statuses', 2],
      ['router-data-model', 3],
      ['router-ert-terminators', 2],
      ['router-links', 2],
      ['router-sdk-terminators', 2],
      ['terminators', 0],
    ])(
      'validate %s',
      async (name, count) => {
        // The command fails with what it has printed.
        const text = await fabric('validate', name).catch(
          (error: unknown) => (error as { stdout: string }).stdout,
        );
        expect(text).toMatch(new RegExp(`^started validation of ${String(count)} `));
        if (count > 0) expect(text).toMatch(/^0 errors found$/m);
      },
      90_000,
    );

    test('stream events', async () => {
      const { output } = stream('events');
      await eventually(async () => {
        await controller.create('config-types', {
          name: net.unique('type'),
          schema: { type: 'object' },
        });
        expect(output()).toContain('"entityType":"configTypes"');
      }, PATIENCE_MS);
    }, 90_000);

    test('stream traces: of the control channels and links that are switched on', async () => {
      const traces = stream('traces');
      await eventually(async () => {
        const toggled = await fabric('stream', 'traces', 'toggle', 'pipe', 'on');
        expect(toggled).toContain('tracing enabled successfully');
        for (const { id } of routers) expect(toggled).toContain(`App ${id} matched? true`);
        expect(toggled).toContain('New trace state: true');
      }, PATIENCE_MS);
      await eventually(async () => {
        // Routers are asked, and each traces the question.
        await fabric('inspect', 'links', '.*');
        for (const { id } of routers) expect(traces.output()).toContain(id);
      }, PATIENCE_MS);
      expect(await fabric('stream', 'traces', 'toggle', 'pipe', 'off')).not.toContain('failed');
    }, 150_000);

    test('stream traces: of one type of messages', async () => {
      const traces = stream('traces', 'MetricsType');
      await fabric('stream', 'traces', 'toggle', 'pipe', 'on', routers[0]?.id ?? '', 'ctrl');
      await eventually(() => {
        expect(traces.output()).toContain('Metrics');
      }, PATIENCE_MS);
      expect(traces.output()).not.toContain('Heartbeat');
      await fabric('stream', 'traces', 'toggle', 'pipe', 'off');
    }, 150_000);
  });
});
