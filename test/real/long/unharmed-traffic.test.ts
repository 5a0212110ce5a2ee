import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { canRun, ClientNetwork, flowing, goesOn, PATIENCE_MS, LINES } from '../client-network.js';
import { areInStep } from '../model-members.js';
import { answers, transfer } from '../real-network.js';

/*
 * What ends no traffic: bytes flow over a real router of each line through edits that take no access away, the end of
 * the controller, and restarts. `OVERGRAPH_ZITI` and `OVERGRAPH_ZITI_2` name the `ziti` programs.
 */

const CLIENTS = ['edits', 'leaver', 'stayer'];

for (const line of LINES) {
  (canRun(line) ? describe : describe.skip)(`over a real router of version ${line.name}`, () => {
    let network: ClientNetwork;

    beforeAll(async () => {
      network = await ClientNetwork.open(line, CLIENTS);
    }, 300_000);
    afterAll(() => network.close());

    const patch = (path: string, body: object): Promise<void> =>
      network.change('PATCH', path, body);

    /** Waits until the router has each change that it is to know. */
    const isInStep = (): Promise<void> =>
      line.hasModel ? areInStep(network.net, [network.router]) : Promise.resolve();

    test('bytes go on through edits that take no access away', async () => {
      const { identity, service, policy: dial, port } = network.client('edits');
      const { controller, failingCheck, router } = network;
      const flow = await flowing(port);
      const type = await controller.create('config-types', { name: 'notes', schema: {} });
      const note = { name: 'note', configTypeId: type, data: { text: 'one' } };
      const config = await controller.create('configs', note);
      const echo = await network.configsOf(service);
      let other = '';
      const edits: (() => Promise<unknown>)[] = [
        () => patch(`/identities/${identity}`, { name: 'somebody' }),
        () => patch(`/services/${service}`, { name: 'for-edits-renamed' }),
        () => patch(`/service-policies/${dial}`, { name: 'renamed' }),
        () => patch(`/edge-routers/${router.id}`, { name: 'renamed' }),
        // A config that the service gains, another text in it, and its loss.
        () => patch(`/services/${service}`, { configs: [...echo, config] }),
        () => patch(`/configs/${config}`, { data: { text: 'two' } }),
        () =>
          network.change('POST', `/identities/${identity}/service-configs`, [
            { serviceId: service, configId: config },
          ]),
        () =>
          network.change('DELETE', `/identities/${identity}/service-configs`, [
            { serviceId: service, configId: config },
          ]),
        () => patch(`/services/${service}`, { configs: echo }),
        () => network.change('DELETE', `/configs/${config}`),
        // The same members by another role, and back.
        () => patch(`/service-policies/${dial}`, { identityRoles: [`@${identity}`] }),
        () => patch(`/service-policies/${dial}`, { identityRoles: ['#edits'] }),
        // Within one transaction the access goes and comes again.
        () =>
          network.change('POST', '/apply-changes', {
            changes: [[], ['#edits']].map((identityRoles) => ({
              operation: 'update',
              type: 'servicePolicy',
              id: dial,
              input: { identityRoles },
            })),
          }),
        () =>
          network.change('POST', '/apply-changes', {
            changes: [[], ['edits']].map((roleAttributes) => ({
              operation: 'update',
              type: 'identity',
              id: identity,
              input: { roleAttributes },
            })),
          }),
        // The same access by another policy, while the first one takes and gives back.
        () =>
          network.policy('service-policies', {
            type: 'Dial',
            identityRoles: [`@${identity}`],
            serviceRoles: [`@${service}`],
          }),
        () => network.change('DELETE', `/service-policies/${dial}`),
        // Access of others.
        async () => {
          other = await network.policy('service-policies', {
            type: 'Dial',
            identityRoles: ['#nobody'],
            serviceRoles: ['#all'],
            postureCheckRoles: [`@${failingCheck}`],
          });
        },
        () => patch(`/service-policies/${other}`, { identityRoles: ['#others'], type: 'Bind' }),
        () => network.change('DELETE', `/service-policies/${other}`),
      ];
      for (const edit of edits) {
        await edit();
        await isInStep();
        await goesOn(flow);
      }
      await flow.end();
    }, 240_000);

    test('bytes go on while the controller is gone, and others flow as soon as one runs', async () => {
      const { identity, port } = network.client('stayer');
      const sessions = await network.sessionsOf(identity);
      const flow = await flowing(port);
      await network.killController();
      await goesOn(flow);
      // It has to wait: a controller finds the path of each connection.
      const early = answers(port, 2 * PATIENCE_MS);
      await goesOn(flow);
      await network.startController();
      const { tookMs } = await early;
      process.stderr.write(`${line.name}: a dial without a controller: ${String(tookMs)} ms\n`);
      await network.isServing();
      await goesOn(await flowing(port));
      await goesOn(flow);
      expect(await network.sessionsOf(identity)).toEqual(expect.arrayContaining(sessions));
      await flow.end();
    }, 240_000);

    test('bytes go on when the controller crashes while somebody edits', async () => {
      const { identity, service, port } = network.client('stayer');
      const flow = await flowing(port);
      const rename = async (round: number): Promise<void> => {
        await patch(`/identities/${identity}`, { name: `identity ${String(round)}` });
        await patch(`/services/${service}`, { tags: { round } });
      };
      for (const round of [1, 2, 3]) {
        await rename(round);
        await network.restartController();
        await isInStep();
        await goesOn(flow);
      }
      await flow.end();
    }, 300_000);

    test('a router that starts again with its copy serves, and knows who has left', async () => {
      const { policy, port } = network.client('leaver');
      const stayer = network.client('stayer').port;
      await network.router.kill();
      await network.change('DELETE', `/service-policies/${policy}`);
      await patch(`/services/${network.client('stayer').service}`, { tags: { round: 'last' } });
      network.router.start();
      await answers(stayer, 2 * PATIENCE_MS);
      await network.isServing();
      await isInStep();
      const flow = await flowing(stayer);
      await expect(transfer(port, 1_000)).rejects.toThrow();
      await goesOn(flow);
      await flow.end();
    }, 240_000);
  });
}
