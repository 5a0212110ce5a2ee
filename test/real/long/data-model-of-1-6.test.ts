import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startControllerProcess, type ControllerProcess } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { areInStep, membersAt, modelIndex, policyMembers } from '../model-members.js';
import { RandomEdits } from '../random-edits.js';
import { answers, Flow, RealNetwork, transfer, ZITI, type RealRouter } from '../real-network.js';

/*
 * Real routers of version 1.6 when the controller begins to announce the data model, and when it ceases to: they
 * carry on as they have started, and do as announced from their next start. `OVERGRAPH_ZITI` names the program.
 */

const PATIENCE_MS = 60_000;
const MEGABYTE = 1_000_000;
const ANNOUNCED = 'data-model,grouped-channels,jwt-sessions';
const NOT_ANNOUNCED = 'grouped-channels,jwt-sessions';

(ZITI === undefined ? describe.skip : describe)('routers of version 1.6', () => {
  let controller: ControllerProcess & { dataDir: string };
  let net: RealNetwork;
  let hosting: RealRouter;
  let dialing: RealRouter;
  let tunneler: RealRouter;
  let port: number;
  const routers = (): RealRouter[] => [hosting, dialing, tunneler];

  const policy = (path: string, body: object): Promise<string> =>
    net.controller.create(path, { name: net.unique('policy'), semantic: 'AnyOf', ...body });

  const isOnline = (router: RealRouter): Promise<unknown> =>
    eventually(async () => {
      expect(await net.stateOf(router)).toMatchObject({ isOnline: true, syncStatus: 'SYNC_DONE' });
    }, PATIENCE_MS);

  const onlineSince = async ({ id }: RealRouter): Promise<string | null> => {
    const text = 'query ($id: ID!) { edgeRouter(id: $id) { onlineSince } }';
    const { data } = await net.controller.graphql(text, { id });
    return (data as { edgeRouter: { onlineSince: string | null } }).edgeRouter.onlineSince;
  };

  /** Starts the controller again, and waits for the routers: the same processes, with new connections. */
  const announce = async (capabilities: string): Promise<void> => {
    const before = await Promise.all(routers().map(onlineSince));
    await net.controller.end();
    net.controller = await startControllerProcess({
      port: controller.port,
      with: controller,
      env: { OVERGRAPH_ROUTER_CAPABILITIES: capabilities },
    });
    for (const [i, router] of routers().entries()) {
      await eventually(async () => {
        expect([null, before[i]]).not.toContain(await onlineSince(router));
      }, PATIENCE_MS);
      await isOnline(router);
    }
  };

  /** Something that all routers with the model learn of. */
  const newService = (): Promise<string> =>
    net.controller.create('services', { name: net.unique('service'), encryptionRequired: true });

  const openFlow = async (): Promise<Flow> => {
    const flow = new Flow(port);
    await eventually(() => {
      expect(flow.received).toBeGreaterThan(0);
    }, PATIENCE_MS);
    return flow;
  };

  const restart = async (router: RealRouter): Promise<void> => {
    await router.kill();
    router.start();
    // It may seem to be online until its lost connection is noticed.
    await answers(port);
    await isOnline(router);
  };

  beforeAll(async () => {
    controller = await startControllerProcess({
      env: { OVERGRAPH_ROUTER_CAPABILITIES: NOT_ANNOUNCED },
    });
    net = await RealNetwork.open(controller);
    hosting = await net.router({ roleAttributes: ['hosting'] });
    dialing = await net.router({ roleAttributes: ['dialing'] });
    tunneler = await net.router({ tunneler: ['      mode: host'] });
    const config = await controller.create('configs', {
      name: 'echo',
      configTypeId: 'NH5p4FpGR',
      data: { protocol: 'tcp', address: '127.0.0.1', port: await net.echo() },
    });
    for (const name of ['echo', 'echo-tunneler']) {
      const service = { name, configs: [config], encryptionRequired: true, roleAttributes: [name] };
      await controller.create('services', service);
    }
    await policy('service-policies', {
      type: 'Bind',
      identityRoles: ['#hosts'],
      serviceRoles: ['#echo'],
    });
    await policy('service-policies', {
      type: 'Dial',
      identityRoles: ['#dialers'],
      serviceRoles: ['#all'],
    });
    for (const [identities, edgeRouter] of [
      ['#hosts', '#hosting'],
      ['#dialers', '#dialing'],
    ]) {
      await policy('edge-router-policies', {
        identityRoles: [identities],
        edgeRouterRoles: [edgeRouter],
      });
    }
    await policy('service-edge-router-policies', {
      serviceRoles: ['#all'],
      edgeRouterRoles: ['#all'],
    });
    for (const router of routers()) await isOnline(router);
    net.host((await net.identity('hosts')).file);
    port = await net.dial((await net.identity('dialers')).file, 'echo');
    await answers(port);
  }, 240_000);
  afterAll(async () => {
    await net.close();
    await net.controller.stop();
    await controller.stop();
  });

  test('run on without a model, and their traffic goes on, when it is announced', async () => {
    const flow = await openFlow();
    await announce(ANNOUNCED);
    await newService();
    await answers(port);
    await announce(ANNOUNCED);
    for (const router of routers()) {
      expect(router.isRunning()).toBe(true);
      expect(await modelIndex(net, router)).toBe(0);
    }
    expect(await flow.end()).toBeGreaterThan(MEGABYTE);
  }, 300_000);

  test('follow it from their next start, each at its own time', async () => {
    await restart(dialing);
    await areInStep(net, [dialing]);
    expect(await modelIndex(net, hosting)).toBe(0);
    await transfer(port, 10 * MEGABYTE);
    await restart(hosting);
    await restart(tunneler);
    await newService();
    await areInStep(net, routers());
    await transfer(port, 10 * MEGABYTE);
  }, 300_000);

  test('host in their own name by the model', async () => {
    await policy('service-policies', {
      type: 'Bind',
      identityRoles: [`@${tunneler.id}`],
      serviceRoles: ['#echo-tunneler'],
    });
    const other = await net.dial((await net.identity('dialers')).file, 'echo-tunneler');
    await answers(other, 2 * PATIENCE_MS);
    await transfer(other, 10 * MEGABYTE);
  }, 300_000);

  test('have the members that policies say, after many changes and a restart', async () => {
    const edits = await RandomEdits.begin(net.controller);
    for (let i = 0; i < 300; i += 1) await edits.next();
    expect(await membersAt(net, dialing)).toEqual(await policyMembers(net));
    await dialing.kill();
    for (let i = 0; i < 50; i += 1) await edits.next();
    dialing.start();
    expect(await membersAt(net, dialing)).toEqual(await policyMembers(net));
    await answers(port);
  }, 300_000);

  test('run on with it, and their traffic goes on, when it is announced no more', async () => {
    const flow = await openFlow();
    await announce(NOT_ANNOUNCED);
    await newService();
    await areInStep(net, routers());
    for (const router of routers()) expect(router.isRunning()).toBe(true);
    expect(await flow.end()).toBeGreaterThan(MEGABYTE);
  }, 300_000);

  test('follow it no more from their next start', async () => {
    await restart(dialing);
    const index = await modelIndex(net, dialing);
    await newService();
    await areInStep(net, [hosting]);
    expect(await modelIndex(net, dialing)).toBe(index);
    await transfer(port, 10 * MEGABYTE);
  }, 300_000);
});
