import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { answers, Flow, RealNetwork, transfer, ZITI, ZITI_2 } from '../real-network.js';

/*
 * Real clients of both lines log in over OpenID Connect, since the controller announces it, and dial and
 * host over routers of both lines.
 */

const PATIENCE_MS = 60_000;
const MEGABYTE = 1_000_000;
const LINES = { '1.6': ZITI, '2': ZITI_2 } as const;

(ZITI && ZITI_2 ? describe : describe.skip)('clients over OpenID Connect', () => {
  let controller: TestController & { dataDir: string };
  let net: RealNetwork;

  const policy = (path: string, body: object): Promise<string> =>
    controller.create(path, { name: net.unique('policy'), semantic: 'AnyOf', ...body });

  beforeAll(async () => {
    controller = await startController({
      env: {
        OVERGRAPH_OIDC: 'announce',
        OVERGRAPH_ROUTER_CAPABILITIES: 'data-model,grouped-channels,jwt-sessions',
      },
    });
    net = await RealNetwork.open(controller);
    const config = await controller.create('configs', {
      name: 'echo',
      configTypeId: 'NH5p4FpGR',
      data: { protocol: 'tcp', address: '127.0.0.1', port: await net.echo() },
    });
    await policy('service-edge-router-policies', {
      serviceRoles: ['#all'],
      edgeRouterRoles: ['#all'],
    });
    for (const [line, program] of Object.entries(LINES)) {
      const router = await net.router({ program, roleAttributes: [`line-${line}`] });
      await policy('edge-router-policies', {
        identityRoles: [`#over-${line}`],
        edgeRouterRoles: [`#line-${line}`],
      });
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
      await policy('edge-router-policies', {
        identityRoles: [`#hosts-${line}`],
        edgeRouterRoles: [`#line-${line}`],
      });
      await eventually(async () => {
        expect(await net.stateOf(router)).toMatchObject({ syncStatus: 'SYNC_DONE' });
      }, PATIENCE_MS);
      net.host((await net.identity(`hosts-${line}`)).file, program);
    }
    await policy('service-policies', {
      type: 'Dial',
      identityRoles: ['#over-1.6', '#over-2'],
      serviceRoles: ['#all'],
    });
    await eventually(async () => {
      const { body } = await controller.rest('GET', '/terminators');
      expect(body.data).toHaveLength(2);
    }, PATIENCE_MS);
  }, 300_000);
  afterAll(async () => {
    await net.close();
    await controller.stop();
  });

  /** The OAuth clients of the API sessions of an identity; null for older logins. */
  async function loginsOf(id: string): Promise<unknown> {
    const text = `query ($filter: String) { apiSessions(filter: $filter) { nodes { oidcClient } } }`;
    const { data } = await controller.graphql(text, { filter: `identity = "${id}"` });
    return (data as { apiSessions: { nodes: unknown } }).apiSessions.nodes;
  }

  const ENDS: readonly [string, (id: string) => Promise<unknown>][] = [
    [
      'it is disabled',
      (id) => controller.rest('POST', `/identities/${id}/disable`, { durationMinutes: 0 }),
    ],
    [
      'its API session is deleted',
      async (id) => {
        const { body } = await controller.rest('GET', `/api-sessions?filter=identity="${id}"`);
        for (const session of body.data as { id: string }[]) {
          await controller.rest('DELETE', `/api-sessions/${session.id}`);
        }
      },
    ],
    [
      'it loses its policies',
      (id) => controller.rest('PATCH', `/identities/${id}`, { roleAttributes: [] }),
    ],
  ];

  const combined = ENDS.flatMap(([how, end]) =>
    (
      [
        ['1.6', '1.6', '1.6'],
        ['2', '2', '2'],
        ['2', '1.6', '2'],
        ['1.6', '2', '1.6'],
      ] as const
    ).map(([client, over, at]) => ({ client, over, at, how, end })),
  );

  test.each(combined)(
    'of version $client reach over a router of version $over a service at one of version $at, until $how',
    async ({ client, over, at, how, end }) => {
      const { file, id } = await net.identity(`over-${over}`);
      const port = await net.dial(file, `echo-${at}`, LINES[client]);
      await answers(port);
      expect(await loginsOf(id)).toEqual([{ oidcClient: expect.any(String) as unknown }]);
      await transfer(port, 10 * MEGABYTE);
      const flow = new Flow(port);
      await eventually(() => {
        expect(flow.received).toBeGreaterThan(MEGABYTE);
      }, PATIENCE_MS);
      const begin = performance.now();
      await end(id);
      await eventually(() => {
        expect(flow.isCut).toBe(true);
      }, PATIENCE_MS);
      const millis = Math.round(performance.now() - begin);
      process.stderr.write(`${client} over ${over} to ${at}: ${how}: ${String(millis)} ms\n`);
      expect(millis).toBeLessThan(1_000);
    },
    180_000,
  );

  test('the command line of version 2 works for the administrator', async () => {
    await net.logIn(ZITI_2);
    const name = net.unique('by-cli');
    await net.run(ZITI_2, ['edge', 'create', 'identity', name, '-a', 'made-by-cli']);
    expect(await net.run(ZITI_2, ['edge', 'list', 'identities', `name="${name}"`])).toContain(name);
    await net.run(ZITI_2, ['edge', 'delete', 'identity', name]);
  }, 60_000);
});
