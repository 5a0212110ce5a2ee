import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startControllerProcess, type ControllerProcess } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import {
  answers,
  Flow,
  RealNetwork,
  transfer,
  ZITI,
  ZITI_2,
  type RealRouter,
} from '../real-network.js';

/*
 * Real routers and tunnelers carry traffic. `OVERGRAPH_ZITI` names the `ziti` program, of a version
 * 1.6; without it these tests are skipped. `OVERGRAPH_ZITI_2` names one of a version 2, for a router
 * that carries traffic of others.
 */

const MEGABYTE = 1_000_000;

/** Prints a figure; the tests measure on the way. */
const told = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

(ZITI === undefined ? describe.skip : describe)('real programs', () => {
  let controller: ControllerProcess & { dataDir: string };
  let net: RealNetwork;
  let first: RealRouter;
  let second: RealRouter;
  let hostName: string;
  let hostFile: string;
  let port: number;
  let dialPolicyId: string;
  let serviceId: string;

  const policy = (path: string, body: object): Promise<string> =>
    controller.create(path, { name: net.unique('policy'), semantic: 'AnyOf', ...body });

  const isOnline = async (router: RealRouter): Promise<void> => {
    expect(await net.stateOf(router)).toMatchObject({ isOnline: true, syncStatus: 'SYNC_DONE' });
  };

  const allowDial = (): Promise<string> =>
    policy('service-policies', {
      type: 'Dial',
      identityRoles: ['#dialers'],
      serviceRoles: ['#all'],
    });

  beforeAll(async () => {
    controller = await startControllerProcess({ env: { OVERGRAPH_WORKERS: '2' } });
    net = await RealNetwork.open(controller);
    // The host uses one router, the dialer another one.
    first = await net.router({ roleAttributes: ['dialing'] });
    second = await net.router({ roleAttributes: ['hosting'] });
    const config = await controller.create('configs', {
      name: 'echo',
      configTypeId: 'NH5p4FpGR',
      data: { protocol: 'tcp', address: '127.0.0.1', port: await net.echo() },
    });
    serviceId = await controller.create('services', {
      name: 'echo',
      configs: [config],
      encryptionRequired: true,
    });
    await policy('service-policies', {
      type: 'Bind',
      identityRoles: ['#hosts'],
      serviceRoles: ['#all'],
    });
    dialPolicyId = await allowDial();
    for (const [identities, routers] of [
      ['#hosts', '#hosting'],
      ['#dialers', '#dialing'],
    ]) {
      await policy('edge-router-policies', {
        identityRoles: [identities],
        edgeRouterRoles: [routers],
      });
    }
    await policy('service-edge-router-policies', {
      serviceRoles: ['#all'],
      edgeRouterRoles: ['#all'],
    });
    for (const router of [first, second]) await eventually(() => isOnline(router), 30_000);
    hostFile = (await net.identity('hosts')).file;
    hostName = net.host(hostFile);
    port = await net.dial((await net.identity('dialers')).file, 'echo');
    await answers(port);
  }, 180_000);
  afterAll(async () => {
    await net.close();
    await net.controller.stop();
    await controller.stop();
  });

  /** The number of routers that each circuit crosses. */
  const crossed = async (): Promise<number[]> => {
    const text = '{ circuits { nodes { path { routers { name } } } } }';
    const { data } = await net.controller.graphql(text);
    const { circuits } = data as { circuits: { nodes: { path: { routers: unknown[] } }[] } };
    return circuits.nodes.map(({ path }) => path.routers.length);
  };

  /** Transfers 100 MB over so many routers. */
  const cross = async (routers: number, through: number): Promise<void> => {
    const transferring = transfer(through, 100 * MEGABYTE);
    await eventually(async () => {
      expect(await crossed()).toContain(routers);
    });
    const millis = await transferring;
    told(
      `100 MB there and back over ${String(routers)} router(s): ${String(Math.round(millis))} ms`,
    );
  };

  test('100 MB cross two routers and the link between them', async () => {
    await cross(2, port);
  }, 120_000);

  test('its bytes are counted once, for the service and the hour', async () => {
    const usage = async (): Promise<{ sentBytes: number; receivedBytes: number }> => {
      const text = `query ($id: ID) { usage(serviceId: $id, per: []) { sentBytes receivedBytes } }`;
      const { data } = await controller.graphql(text, { id: serviceId });
      const [sum] = (data as { usage: { sentBytes: number; receivedBytes: number }[] }).usage;
      return sum ?? { sentBytes: 0, receivedBytes: 0 };
    };
    const counted = await eventually(async () => {
      const sum = await usage();
      expect(Math.min(sum.sentBytes, sum.receivedBytes)).toBeGreaterThanOrEqual(100 * MEGABYTE);
      return sum;
    });
    // Encryption adds a little.
    const { sentBytes, receivedBytes } = counted.value;
    expect(Math.max(sentBytes, receivedBytes)).toBeLessThan(102 * MEGABYTE);
    told(`bytes counted: ${String(sentBytes)} sent, ${String(receivedBytes)} received`);
  }, 120_000);

  test('100 MB cross a single router', async () => {
    await policy('service-policies', {
      type: 'Dial',
      identityRoles: ['#neighbours'],
      serviceRoles: ['#all'],
    });
    await policy('edge-router-policies', {
      identityRoles: ['#neighbours'],
      edgeRouterRoles: ['#hosting'],
    });
    const neighbour = await net.dial((await net.identity('neighbours')).file, 'echo');
    await answers(neighbour);
    await cross(1, neighbour);
  }, 120_000);

  const middle: [string, string | undefined][] = [
    ['1.6', ZITI],
    ['2', ZITI_2],
  ];
  const named = middle.filter(([, program]) => program !== undefined);

  test.each(named)(
    '100 MB cross three routers, one of version %s between',
    async (_, program) => {
      const third = await net.router({ program });
      await eventually(() => isOnline(third), 30_000);
      const close = async (down: boolean): Promise<void> => {
        const text = `mutation ($id: ID!, $down: Boolean!) { updateLink(id: $id, input: { down: $down }) { id } }`;
        for (const id of await net.linksBetween(first, second)) {
          const { errors } = await controller.graphql(text, { id, down });
          expect(errors).toBeUndefined();
        }
      };
      await eventually(async () => {
        expect(await net.linksBetween(first, third)).not.toEqual([]);
        expect(await net.linksBetween(second, third)).not.toEqual([]);
      });
      // The outer ones have a shorter way otherwise.
      await close(true);
      await answers(port);
      await cross(3, port);
      await close(false);
      await third.kill();
      await controller.rest('DELETE', `/edge-routers/${third.id}`);
    },
    180_000,
  );

  test('the command line shows what routers tell of their links', async () => {
    await net.logIn();
    // The links of the third router end with it.
    const { value: links } = await eventually(async () => {
      const { body } = await controller.rest('GET', '/fabric/v1/links');
      const ids = (body.data as { id: string }[]).map(({ id }) => id);
      expect(ids).toEqual(await net.linksBetween(first, second));
      return ids;
    });
    const text = await net.ziti('fabric', 'inspect', `^${first.name}$`, 'links', 'router-circuits');
    expect(text).toContain(`${first.id}.links`);
    expect(text).toContain(links[0]);
    expect(text).toContain(`${first.id}.router-circuits`);
    const ofController = await net.ziti('fabric', 'inspect', 'connected-routers');
    expect(ofController).toContain(second.id);
  }, 60_000);

  test('200 dials at a time', async () => {
    const begin = performance.now();
    await Promise.all(Array.from({ length: 200 }, () => transfer(port, 10_000)));
    told(`200 dials: ${String(Math.round(performance.now() - begin))} ms`);
  }, 120_000);

  test('a transfer ends within a second of its policy', async () => {
    const running = transfer(port, 10_000 * MEGABYTE).then(
      () => 'it was complete',
      () => 'cut',
    );
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const begin = performance.now();
    await controller.rest('DELETE', `/service-policies/${dialPolicyId}`);
    expect(await running).toBe('cut');
    const millis = performance.now() - begin;
    told(`cut after ${String(Math.round(millis))} ms`);
    expect(millis).toBeLessThan(1_000);
    dialPolicyId = await allowDial();
    await answers(port);
  }, 120_000);

  test('a host and a router that were killed serve again', async () => {
    await net.kill(hostName);
    hostName = net.host(hostFile);
    await answers(port);
    await second.kill();
    second.start();
    const { tookMs } = await answers(port);
    told(`after the restart of a router: ${String(tookMs)} ms`);
    const { body } = await controller.rest('GET', `/services/${serviceId}/terminators`);
    expect(body.data).toHaveLength(1);
  }, 180_000);

  test('a router with a tunneler hosts in its own name', async () => {
    const tunneler = await net.router({
      roleAttributes: ['hosting'],
      tunneler: ['      mode: host'],
    });
    await controller.rest('PATCH', `/identities/${tunneler.id}`, { roleAttributes: ['hosts'] });
    await net.kill(hostName);
    await eventually(async () => {
      const { body } = await controller.rest('GET', `/services/${serviceId}/terminators`);
      expect(body.data).toEqual([expect.objectContaining({ binding: 'tunnel' })]);
    }, 60_000);
    await answers(port);
    await transfer(port, 10 * MEGABYTE);
    await tunneler.kill();
    hostName = net.host(hostFile);
    await controller.rest('DELETE', `/edge-routers/${tunneler.id}`);
    await answers(port);
  }, 180_000);

  test('traffic outlives its controller, and another one takes over', async () => {
    // At a pace that leaves room for dials: a link that is full delays them, whoever controls it.
    const flow = new Flow(port);
    await eventually(() => {
      expect(flow.received).toBeGreaterThan(MEGABYTE);
    });
    controller.child.kill('SIGKILL');
    const begin = performance.now();
    net.controller = await startControllerProcess({
      with: controller,
      port: controller.port,
      env: { OVERGRAPH_WORKERS: '2' },
    });
    for (const router of [first, second]) await eventually(() => isOnline(router), 60_000);
    await answers(port);
    const millis = performance.now() - begin;
    told(`new dials ${String(Math.round(millis))} ms after the end of a controller`);
    expect(millis).toBeLessThan(60_000);
    told(`meanwhile ${String(await flow.end())} bytes came back`);
    const { body } = await net.controller.rest('GET', `/services/${serviceId}/terminators`);
    expect(body.data).toHaveLength(1);
  }, 300_000);
});
