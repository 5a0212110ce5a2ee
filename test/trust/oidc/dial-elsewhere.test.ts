import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { startControllerProcess, type ControllerProcess } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import {
  openNetwork,
  RoutingRouter,
  unique,
  type ServiceSession,
} from '../../network/control/traffic-network.js';
import { runSql } from '../auth/client.js';
import { newDevice, type Device } from './device.js';
import { PoolClient } from './pool-client.js';

/* The controller that serves the routers ends after clients have got their sessions from it. */

const ENV = {
  OVERGRAPH_LOGIN_LIMIT: '0',
  OVERGRAPH_OIDC: 'announce',
  OVERGRAPH_ROUTER_CAPABILITIES: 'data-model,grouped-channels,jwt-sessions',
};

let first: ControllerProcess & { dataDir: string };
let second: ControllerProcess;
let router: RoutingRouter;
let serviceId: string;
const clients: PoolClient[] = [];

beforeAll(async () => {
  first = await startControllerProcess({ env: ENV });
  second = await startControllerProcess({ with: first, env: ENV });
  await openNetwork(first);
  router = await RoutingRouter.start(first);
  serviceId = await first.create('services', { name: 'svc', encryptionRequired: false });
});
afterAll(async () => {
  for (const client of clients) client.close();
  await router.router.close();
  await second.stop();
  await first.stop();
});

interface Client {
  readonly client: PoolClient;
  readonly session: ServiceSession;
}

async function newClient(role: string, type: 'Dial' | 'Bind', isOlder = false): Promise<Client> {
  const { certificate }: Device = await newDevice(first, { roleAttributes: [role] });
  // On a busy machine signs of life may be late.
  await runSql(first, 'update controller set last_seen_at = now()');
  const url = `https://localhost:${String(first.port)}/edge/client/v1`;
  const client = new PoolClient({ urls: [url], certificate });
  clients.push(client);
  await (isOlder ? client.logInByOlderWay() : client.logIn());
  const { body } = await client.api('POST', '/sessions', { serviceId, type });
  const { id, token } = body.data as ServiceSession;
  return { client, session: { id, token, apiToken: apiTokenOf(client) } };
}

const apiTokenOf = ({ tokens, ztSession }: PoolClient): string =>
  ztSession ?? tokens?.access_token ?? '';

/** The token of the session goes along, as when a client asks for the routers again. */
async function routersOf({ client, session }: Client): Promise<number> {
  const headers = { 'session-token': session.token };
  const path = `/services/${serviceId}/edge-routers`;
  const { status, body } = await client.api('GET', path, undefined, headers);
  expect(status).toBe(200);
  return (body.data as { readonly edgeRouters: readonly unknown[] }).edgeRouters.length;
}

test('their tokens count at dials over the next controller, as before', async () => {
  const host = await newClient('hosts', 'Bind');
  const bound = await router.bind(host.session, { address: unique('terminator') });
  expect(messages.CreateTerminatorV2Response.decode(bound.body).result).toBe('Success');
  const dialers = [await newClient('dialers', 'Dial'), await newClient('dialers', 'Dial', true)];

  const ended = once(first.child, 'exit');
  first.child.kill('SIGKILL');
  await ended;
  // A router connects again until another controller serves it.
  const { value } = await eventually(() => RoutingRouter.connect(second, router.enrolled));
  router = value;

  for (const dialer of dialers) {
    expect(await routersOf(dialer)).toBe(1);
    expect(dialer.client.active).toContain(String(second.port));
    const { type } = await router.dial(dialer.session);
    expect(type).toBe(CONTENT.createCircuitResult);
  }
  const [dialer] = dialers;
  if (!dialer) throw new Error('no dialer');
  await dialer.client.refresh();
  const apiToken = apiTokenOf(dialer.client);
  const { type } = await router.dial({ ...dialer.session, apiToken });
  expect(type).toBe(CONTENT.createCircuitResult);
});
