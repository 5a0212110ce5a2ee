import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { answers, Flow, RealNetwork, ZITI, ZITI_2, type RealRouter } from '../real-network.js';

/*
 * What ends the traffic of a client, and how soon, and what does not: bytes flow over a real router of each
 * line while somebody edits. `OVERGRAPH_ZITI` and `OVERGRAPH_ZITI_2` name the `ziti` programs.
 */

const PATIENCE_MS = 60_000;
const MAX_MS = 1_000;
const HOST_V1 = 'NH5p4FpGR';

const WITH_MODEL = { OVERGRAPH_ROUTER_CAPABILITIES: 'data-model,grouped-channels,jwt-sessions' };
const LINES: [string, string | undefined, Record<string, string>][] = [
  ['1.6', ZITI, {}],
  ['1.6 that follows the data model', ZITI, WITH_MODEL],
  ['2', ZITI_2, {}],
];
// Every line needs tunnelers, which are those of version 1.6.
const named = LINES.filter(([, program]) => program !== undefined && ZITI !== undefined);

/** A client whose bytes flow over a service of its own, and the policy that lets it. */
interface Client {
  readonly identity: string;
  readonly service: string;
  readonly policy: string;
  readonly port: number;
}

const CASES = ['policy', 'role', 'posture', 'identity', 'service', 'edits'] as const;
type Case = (typeof CASES)[number];

(named.length === 0 ? describe.skip : describe).each(named)(
  'over a real router of version %s',
  (_, program, env) => {
    let controller: TestController;
    let net: RealNetwork;
    let router: RealRouter;
    let failingCheck: string;
    const clients = new Map<Case, Client>();

    const policy = (path: string, body: object): Promise<string> =>
      controller.create(path, { name: net.unique('policy'), semantic: 'AnyOf', ...body });

    const change = async (method: string, path: string, body?: object): Promise<void> => {
      const { status, text } = await controller.rest(method, path, body);
      if (status !== 200) throw new Error(`${method} ${path}: ${text}`);
    };

    const newService = async (name: string, config: string): Promise<string> =>
      controller.create('services', { name, configs: [config], encryptionRequired: true });

    const addClient = async (name: Case, service: string): Promise<void> => {
      const { file, id } = await net.identity(name);
      const dial = await policy('service-policies', {
        type: 'Dial',
        identityRoles: [`#${name}`],
        serviceRoles: [`@${service}`],
      });
      clients.set(name, {
        identity: id,
        service,
        policy: dial,
        port: await net.dial(file, `for-${name}`),
      });
    };

    const of = (name: Case): Client => {
      const client = clients.get(name);
      if (!client) throw new Error(`no client: ${name}`);
      return client;
    };

    /** Waits until more bytes have come back. */
    const goesOn = async (flow: Flow): Promise<void> => {
      const { received } = flow;
      await eventually(() => {
        expect(flow.isCut || flow.received > received + 300_000).toBe(true);
      }, PATIENCE_MS);
      expect(flow.isCut).toBe(false);
    };

    beforeAll(async () => {
      controller = await startController({ env });
      net = await RealNetwork.open(controller);
      router = await net.router({ program });
      await policy('edge-router-policies', {
        identityRoles: ['#all'],
        edgeRouterRoles: ['#all'],
      });
      await policy('service-edge-router-policies', {
        serviceRoles: ['#all'],
        edgeRouterRoles: ['#all'],
      });
      await policy('service-policies', {
        type: 'Bind',
        identityRoles: ['#hosts'],
        serviceRoles: ['#all'],
      });
      const data = { protocol: 'tcp', address: '127.0.0.1', port: await net.echo() };
      const config = await controller.create('configs', {
        name: 'echo',
        configTypeId: HOST_V1,
        data,
      });
      failingCheck = await controller.create('posture-checks', {
        name: 'a device of others',
        typeId: 'MAC',
        macAddresses: ['00:11:22:33:44:55'],
      });
      const services = new Map<Case, string>();
      for (const name of CASES) services.set(name, await newService(`for-${name}`, config));
      await eventually(async () => {
        expect(await net.stateOf(router)).toMatchObject({
          isOnline: true,
          syncStatus: 'SYNC_DONE',
        });
      }, PATIENCE_MS);
      net.host((await net.identity('hosts')).file);
      for (const [name, service] of services) await addClient(name, service);
      for (const { port } of clients.values()) await answers(port);
    }, 300_000);
    afterAll(async () => {
      await net.close();
      await controller.stop();
    });

    test.each<[string, Case, () => Promise<void>]>([
      ['its policy', 'policy', () => change('DELETE', `/service-policies/${of('policy').policy}`)],
      [
        'its role',
        'role',
        () => change('PATCH', `/identities/${of('role').identity}`, { roleAttributes: [] }),
      ],
      [
        'its posture',
        'posture',
        () =>
          change('PATCH', `/service-policies/${of('posture').policy}`, {
            postureCheckRoles: [`@${failingCheck}`],
          }),
      ],
      [
        'its identity',
        'identity',
        () =>
          change('POST', `/identities/${of('identity').identity}/disable`, { durationMinutes: 0 }),
      ],
      ['its service', 'service', () => change('DELETE', `/services/${of('service').service}`)],
    ])(
      'bytes of a client that loses %s end within a second',
      async (_what, name, lose) => {
        const flow = new Flow(of(name).port);
        await goesOn(flow);
        const begin = performance.now();
        await lose();
        await eventually(() => {
          expect(flow.isCut).toBe(true);
        }, PATIENCE_MS);
        const millis = performance.now() - begin;
        process.stderr.write(`lost ${name}: cut after ${String(Math.round(millis))} ms\n`);
        expect(millis).toBeLessThan(MAX_MS);
      },
      120_000,
    );

    test('bytes go on through edits that take no access away', async () => {
      const { identity, service, policy: dial, port } = of('edits');
      const flow = new Flow(port);
      await goesOn(flow);
      const edits: (() => Promise<unknown>)[] = [
        () => change('PATCH', `/identities/${identity}`, { name: 'somebody' }),
        () => change('PATCH', `/services/${service}`, { name: 'for-edits-renamed' }),
        () => change('PATCH', `/service-policies/${dial}`, { name: 'renamed' }),
        () => change('PATCH', `/edge-routers/${router.id}`, { name: 'renamed' }),
        // The same members by another role, and back.
        () => change('PATCH', `/service-policies/${dial}`, { identityRoles: [`@${identity}`] }),
        () => change('PATCH', `/service-policies/${dial}`, { identityRoles: ['#edits'] }),
        // The same access by another policy, while the first one takes and gives back.
        () =>
          policy('service-policies', {
            type: 'Dial',
            identityRoles: [`@${identity}`],
            serviceRoles: [`@${service}`],
          }),
        () => change('DELETE', `/service-policies/${dial}`),
        // Access of others.
        () =>
          policy('service-policies', {
            type: 'Dial',
            identityRoles: ['#nobody'],
            serviceRoles: ['#all'],
            postureCheckRoles: [`@${failingCheck}`],
          }),
      ];
      for (const edit of edits) {
        await edit();
        await goesOn(flow);
      }
      await flow.end();
    }, 180_000);
  },
);
