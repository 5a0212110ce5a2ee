import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startControllerProcess, type ControllerProcess } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { membersAt, policyMembers } from '../model-members.js';
import { RandomEdits } from '../random-edits.js';
import { answers, RealNetwork, transfer, ZITI, ZITI_2, type RealRouter } from '../real-network.js';

/*
 * Real routers of both lines in one network. `OVERGRAPH_ZITI_2` names the `ziti` program of a version
 * 2, `OVERGRAPH_ZITI` that of a version 1.6; what has no program is skipped.
 */

const PATIENCE_MS = 60_000;

(ZITI_2 === undefined ? describe.skip : describe)('a real router of version 2', () => {
  let controller: ControllerProcess & { dataDir: string };
  let net: RealNetwork;
  let router: RealRouter;

  const isOnline = (at: RealRouter): Promise<unknown> =>
    eventually(async () => {
      expect(await net.stateOf(at)).toMatchObject({ isOnline: true, syncStatus: 'SYNC_DONE' });
    }, PATIENCE_MS);

  beforeAll(async () => {
    controller = await startControllerProcess();
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
    net.controller = await startControllerProcess({ port: controller.port, with: controller });
    await eventually(async () => {
      expect([null, before]).not.toContain(await onlineSince());
    }, PATIENCE_MS);
    await isOnline(router);
  }, 150_000);
});

const BOTH = ZITI !== undefined && ZITI_2 !== undefined;
const MEGABYTE = 1_000_000;

(BOTH ? describe : describe.skip)('routers of both lines', () => {
  let controller: ControllerProcess & { dataDir: string };
  let net: RealNetwork;
  const routers: RealRouter[] = [];
  const dialPolicies = new Map<string, string>();

  const policy = (path: string, body: object): Promise<string> =>
    controller.create(path, { name: net.unique('policy'), semantic: 'AnyOf', ...body });

  /** Somebody with this attribute uses the routers of a line. */
  const over = (attribute: string, line: string): Promise<string> =>
    policy('edge-router-policies', {
      identityRoles: [`#${attribute}`],
      edgeRouterRoles: [`#line-${line}`],
    });

  beforeAll(async () => {
    controller = await startControllerProcess();
    net = await RealNetwork.open(controller);
    for (const [line, program] of [
      ['1.6', ZITI],
      ['2', ZITI_2],
    ] as const) {
      routers.push(await net.router({ program, roleAttributes: [`line-${line}`] }));
    }
    const config = await controller.create('configs', {
      name: 'echo',
      configTypeId: 'NH5p4FpGR',
      data: { protocol: 'tcp', address: '127.0.0.1', port: await net.echo() },
    });
    for (const line of ['1.6', '2']) {
      await controller.create('services', {
        name: `echo-${line}`,
        configs: [config],
        encryptionRequired: true,
        roleAttributes: [`on-${line}`],
      });
      await policy('service-policies', {
        type: 'Bind',
        identityRoles: [`#hosts-${line}`],
        serviceRoles: [`#on-${line}`],
      });
      await over(`hosts-${line}`, line);
      await over(`dialers-${line}`, line);
      dialPolicies.set(
        line,
        await policy('service-policies', {
          type: 'Dial',
          identityRoles: [`#dialers-${line}`],
          serviceRoles: ['#all'],
        }),
      );
    }
    await policy('service-edge-router-policies', {
      serviceRoles: ['#all'],
      edgeRouterRoles: ['#all'],
    });
    for (const router of routers) {
      await eventually(async () => {
        expect(await net.stateOf(router)).toMatchObject({ isOnline: true });
      }, PATIENCE_MS);
    }
    for (const line of ['1.6', '2']) net.host((await net.identity(`hosts-${line}`)).file);
  }, 240_000);
  afterAll(async () => {
    await net.close();
    await controller.stop();
  });

  test.each([
    ['1.6', '2'],
    ['2', '1.6'],
    ['2', '2'],
  ])(
    'a client of a router of version %s reaches a host of one of version %s, until its policy ends',
    async (from, to) => {
      const dialer = (await net.identity(`dialers-${from}`)).file;
      const port = await net.dial(dialer, `echo-${to}`);
      await answers(port);
      await transfer(port, 10 * MEGABYTE);
      const running = transfer(port, 10_000 * MEGABYTE).then(
        () => 'it was complete',
        () => 'cut',
      );
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const begin = performance.now();
      await controller.rest('DELETE', `/service-policies/${String(dialPolicies.get(from))}`);
      expect(await running).toBe('cut');
      const millis = performance.now() - begin;
      process.stderr.write(`${from} to ${to}: cut after ${String(Math.round(millis))} ms\n`);
      expect(millis).toBeLessThan(1_000);
      dialPolicies.set(
        from,
        await policy('service-policies', {
          type: 'Dial',
          identityRoles: [`#dialers-${from}`],
          serviceRoles: ['#all'],
        }),
      );
    },
    240_000,
  );

  test('a router of version 2 with a tunneler hosts in its own name', async () => {
    const tunneler = await net.router({
      program: ZITI_2,
      roleAttributes: ['line-2'],
      tunneler: ['      mode: host'],
    });
    const config = await controller.create('configs', {
      name: 'echo of a tunneler',
      configTypeId: 'NH5p4FpGR',
      data: { protocol: 'tcp', address: '127.0.0.1', port: await net.echo() },
    });
    const service = await controller.create('services', {
      name: 'echo-tunneler',
      configs: [config],
      encryptionRequired: true,
    });
    await policy('service-policies', {
      type: 'Bind',
      identityRoles: [`@${tunneler.id}`],
      serviceRoles: [`@${service}`],
    });
    await eventually(async () => {
      const { body } = await controller.rest('GET', `/services/${service}/terminators`);
      expect(body.data).toEqual([expect.objectContaining({ binding: 'tunnel' })]);
    }, PATIENCE_MS);
    const port = await net.dial((await net.identity('dialers-1.6')).file, 'echo-tunneler');
    await answers(port);
    await transfer(port, MEGABYTE);
  }, 240_000);

  test('a router of version 2 has the members that policies say, after many changes and a restart', async () => {
    const [, second] = routers;
    if (!second) throw new Error('no router');
    const writes = await RandomEdits.begin(controller);
    for (let i = 0; i < 300; i += 1) await writes.next();
    expect(await membersAt(net, second)).toEqual(await policyMembers(net));
    await second.kill();
    for (let i = 0; i < 50; i += 1) await writes.next();
    second.start();
    expect(await membersAt(net, second)).toEqual(await policyMembers(net));
  }, 300_000);
});
