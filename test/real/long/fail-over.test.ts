import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  freePort,
  startControllerProcess,
  type ControllerProcess,
} from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { Balancer } from '../balancer.js';
import { answers, Flow, RealNetwork, transfer, ZITI, ZITI_2 } from '../real-network.js';

/*
 * Clients with the Go SDK over two controllers of one network, the first of which crashes: they log in, renew
 * their tokens and dial at the other one.
 */

const PATIENCE_MS = 60_000;
const MEGABYTE = 1_000_000;
/** An SDK renews a token ten seconds before its end. */
const ACCESS_SECONDS = 40;

/**
 * Identities enroll with the program of version 1.6. Its own SDK, 1.6.0, panics over a file that names several
 * controllers.
 */
const LINES = [
  { line: '1.6', program: ZITI, canNameSeveral: false },
  { line: '2', program: ZITI_2, canNameSeveral: true },
];

for (const { line, program, canNameSeveral } of LINES) {
  (ZITI && program ? describe : describe.skip)(`clients of version ${line}`, () => {
    type Running = ControllerProcess & { dataDir: string };
    let first: Running;
    let second: Running;
    let balancer: Balancer;
    let net: RealNetwork;
    /** A client that began at the first controller. */
    let early: { readonly id: string; readonly port: number };

    const policy = (path: string, body: object): Promise<string> =>
      second.create(path, { name: net.unique('policy'), semantic: 'AnyOf', ...body });

    beforeAll(async () => {
      const [port, otherPort] = [await freePort(), await freePort()];
      balancer = await Balancer.open([port, otherPort]);
      const env = {
        OVERGRAPH_OIDC: 'announce',
        OVERGRAPH_OIDC_ACCESS_LIFETIME: `${String(ACCESS_SECONDS)}s`,
        // Routers have one address; clients are told of both controllers.
        OVERGRAPH_CTRL_ADDRESS: `tls:localhost:${String(balancer.port)}`,
      };
      first = await startControllerProcess({ env, port });
      second = await startControllerProcess({ env, port: otherPort, with: first });
      net = await RealNetwork.open(first);
      const router = await net.router({ program, controllers: balancer.port });
      const everyRouter = { edgeRouterRoles: ['#all'] };
      await policy('edge-router-policies', { identityRoles: ['#all'], ...everyRouter });
      await policy('service-edge-router-policies', { serviceRoles: ['#all'], ...everyRouter });
      // Somebody who may bind hosts as well, and would answer its own dials.
      for (const [type, who] of Object.entries({ Bind: 'hosts', Dial: 'clients' })) {
        const roles = { serviceRoles: ['#all'], identityRoles: [`#${who}`] };
        await policy('service-policies', { type, ...roles });
      }
      const data = { protocol: 'tcp', address: '127.0.0.1', port: await net.echo() };
      const config = { name: 'echo', configTypeId: 'NH5p4FpGR', data };
      const configs = [await first.create('configs', config)];
      await first.create('services', { name: 'echo', configs, encryptionRequired: true });
      await eventually(async () => {
        expect(await net.stateOf(router)).toMatchObject({
          isOnline: true,
          syncStatus: 'SYNC_DONE',
        });
      }, PATIENCE_MS);
      net.host((await net.identity('hosts')).file, program);
      const { file, id } = await net.identity('clients');
      early = { id, port: await net.dial(file, 'echo', program) };
      await answers(early.port);
    });
    afterAll(async () => {
      await net.close();
      balancer.close();
      await second.stop();
      await first.stop();
    });

    /** The API sessions of an identity, with the client of their logins. */
    async function sessionsOf(id: string): Promise<readonly { readonly id: string }[]> {
      const text = `query ($filter: String) { apiSessions(filter: $filter) { nodes { id oidcClient } } }`;
      const { data } = await second.graphql(text, { filter: `identity = "${id}"` });
      return (data as { apiSessions: { nodes: { id: string }[] } }).apiSessions.nodes;
    }

    test('go on at the controller that is left', async () => {
      const sessions = await sessionsOf(early.id);
      expect(sessions).toEqual([{ id: expect.any(String), oidcClient: 'native' }]);
      const flow = new Flow(early.port);
      await eventually(() => {
        expect(flow.received).toBeGreaterThan(MEGABYTE);
      }, PATIENCE_MS);

      const crashedAt = Date.now();
      first.child.kill('SIGKILL');
      await once(first.child, 'exit');
      const { tookMs } = await answers(early.port);
      process.stderr.write(`a dial after the crash: ${String(tookMs)} ms\n`);
      net.controller = second;

      // A client that logs in for the first time.
      const { file } = await net.identity('clients');
      const ports = canNameSeveral ? [first.port, second.port] : [second.port];
      await net.setControllers(file, ports);
      const late = await net.dial(file, 'echo', program);
      await answers(late);
      await transfer(late, 10 * MEGABYTE);

      // A request with a token that has ended is none of the session.
      await eventually(async () => {
        expect(await lastRequestOf(early.id)).toBeGreaterThan(
          crashedAt + 2 * ACCESS_SECONDS * 1000,
        );
      }, 3 * PATIENCE_MS);
      await answers(early.port);
      expect(await sessionsOf(early.id)).toEqual(sessions);
      // The bytes that flowed before the crash have flowed all the time.
      expect(await flow.end()).toBeGreaterThan(MEGABYTE);
    });

    /** When the only API session of an identity was last used, in milliseconds. */
    async function lastRequestOf(id: string): Promise<number> {
      const text = `query ($filter: String) { apiSessions(filter: $filter) { nodes { cachedLastActivityAt } } }`;
      const { data } = await second.graphql(text, { filter: `identity = "${id}"` });
      const { nodes } = (data as { apiSessions: { nodes: { cachedLastActivityAt: string }[] } })
        .apiSessions;
      return Date.parse(nodes[0]?.cachedLastActivityAt ?? '');
    }
  });
}
