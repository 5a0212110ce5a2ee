import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages, type TunnelService } from '../../../src/network/messages/emitted/messages.js';
import { textValue } from '../../../src/network/control/header-values.js';
import { eventually } from '../../support/eventually.js';
import { codeOf, made, RoutingRouter, Traffic, unique } from './traffic-network.js';

/* A router with a tunneler hosts and dials services in its own name. */

let net: Traffic;
let tunneler: RoutingRouter;
let serviceName: string;

beforeAll(async () => {
  net = await Traffic.start();
});
afterAll(() => net.stop());
beforeEach(async () => {
  await net.begin();
  serviceName = unique('tunneled');
  await net.newService({ name: serviceName, tags: { team: 'red' } });
  tunneler = await newTunneler();
});
afterEach(() => net.end());

/** A router with a tunneler, whose identity may host and dial. */
async function newTunneler(): Promise<RoutingRouter> {
  const router = await net.newRouter({ isTunnelerEnabled: true, roleAttributes: ['open'] });
  await net.controller.rest('PATCH', `/identities/${router.id}`, {
    roleAttributes: ['hosts', 'dialers'],
  });
  return router;
}

const logIn = (at: RoutingRouter, members: object = {}) =>
  at.router.ask(CONTENT.createApiSession, messages.CreateApiSessionRequest.encode(members));

const dial = (at: RoutingRouter, name = serviceName, members: object = {}) =>
  at.router.ask(
    CONTENT.createTunnelCircuit,
    messages.CreateCircuitForServiceRequest.encode({ serviceName: name, ...members }),
  );

async function host(at: RoutingRouter, members: object = {}): Promise<string> {
  const address = unique('terminator');
  const body = messages.CreateTunnelTerminatorRequest.encode({
    serviceName,
    address,
    startTime: 1_234_567_890_123,
    ...members,
  });
  const answer = await at.router.ask(CONTENT.createTunnelTerminator, body);
  if (answer.type !== CONTENT.createTunnelTerminatorResult) throw new Error(answer.body.toString());
  const { terminatorId, startTime, session } = messages.CreateTunnelTerminatorResponse.decode(
    answer.body,
  );
  expect(terminatorId).toBe(address);
  expect(startTime).toBe(1_234_567_890_123);
  expect(session?.sessionId).not.toBe('');
  return address;
}

const terminators = async (): Promise<{ id: string }[]> => {
  const { body } = await net.controller.rest('GET', `/services/${net.serviceId}/terminators`);
  return body.data;
};

test('it logs in as the identity of the router, once', async () => {
  await net.controller.rest('PATCH', `/identities/${tunneler.id}`, {
    defaultHostingCost: 17,
    defaultHostingPrecedence: 'required',
    appData: { room: 'attic' },
    serviceHostingCosts: { [net.serviceId]: 5 },
    serviceHostingPrecedences: { [net.serviceId]: 'failed' },
  });
  const { type, body } = await logIn(tunneler, {
    envInfo: { os: 'linux', hostname: 'attic.example' },
    sdkInfo: { appId: 'router', version: 'v1.6.20' },
  });
  expect(type).toBe(CONTENT.createApiSessionResult);
  const session = messages.CreateApiSessionResponse.decode(body);
  expect(session).toMatchObject({
    identityId: tunneler.id,
    identityName: tunneler.enrolled.name,
    defaultHostingPrecedence: 'Required',
    defaultHostingCost: 17,
    appDataJson: '{"room":"attic"}',
    servicePrecedences: { [net.serviceId]: 'Failed' },
    serviceCosts: { [net.serviceId]: 5 },
  });
  expect(session.refreshIntervalSeconds).toBeGreaterThan(0);
  const again = messages.CreateApiSessionResponse.decode((await logIn(tunneler)).body);
  expect([again.sessionId, again.token]).toEqual([session.sessionId, session.token]);
  const shown = await net.controller.rest('GET', `/identities/${tunneler.id}`);
  expect(shown.body.data).toMatchObject({ envInfo: { os: 'linux', hostname: 'attic.example' } });
});

test('it keeps its session when it connects again', async () => {
  const first = messages.CreateApiSessionResponse.decode((await logIn(tunneler)).body);
  await tunneler.router.close();
  const again = await RoutingRouter.connect(net.controller, tunneler.enrolled);
  net.routers.push(again);
  const second = messages.CreateApiSessionResponse.decode((await logIn(again)).body);
  expect(second.sessionId).toBe(first.sessionId);
});

test('a router is not the identity whose id it was given', async () => {
  // A certificate of the network, and an id that somebody else has.
  const { enrolled } = net.router;
  const { body } = await net.controller.rest('GET', `/fabric/v1/routers/${enrolled.id}`);
  const { fingerprint } = body.data as { fingerprint: string };
  const id = net.host.identityId;
  const registration = { id, name: unique('impostor'), fingerprint, cost: 0, noTraversal: false };
  const answer = await net.controller.rest('POST', '/fabric/v1/routers', registration);
  expect([answer.status, answer.body.error.cause?.field]).toEqual([400, 'id']);

  // The same by a change of the database: a router without a tunneler has no identity.
  const client = new pg.Client({ connectionString: net.controller.databaseUrl });
  await client.connect();
  await client.query(
    `insert into router (id, created_at, updated_at, name, fingerprint, is_verified, is_edge)
     values ($1, now(), now(), $1, $2, true, true)`,
    [id, fingerprint],
  );
  await client.end();
  const impostor = await RoutingRouter.connect(net.controller, { ...enrolled, id });
  net.routers.push(impostor);
  for (const refusal of [await logIn(impostor), await dial(impostor)]) {
    expect([refusal.type, codeOf(refusal)]).toEqual([CONTENT.error, 7]);
  }
});

test('a router without a tunneler is refused', async () => {
  const inModel = await net.router.router.ask(
    CONTENT.createTunnelCircuitV2,
    messages.CreateTunnelCircuitV2Request.encode({ serviceName }),
  );
  for (const answer of [await logIn(net.router), await dial(net.router), inModel]) {
    expect(answer.type).toBe(CONTENT.error);
    expect(codeOf(answer)).toBe(7);
  }
});

test('it lists its services when they have changed', async () => {
  const config = await net.controller.create('configs', {
    name: unique('config'),
    configTypeId: 'NH5p4FpGR',
    data: { protocol: 'tcp', address: '127.0.0.1', port: 80 },
  });
  await net.controller.rest('PATCH', `/services/${net.serviceId}`, { configs: [config] });
  await logIn(tunneler, { configTypes: ['host.v1'] });
  tunneler.router.send(CONTENT.listServices);
  const list = messages.ServicesList.decode((await tunneler.router.next(CONTENT.services)).body);
  const service = list.services.find(({ id }) => id === net.serviceId) as TunnelService;
  expect(service).toMatchObject({ name: serviceName, encryption: false });
  expect([...service.permissions].sort()).toEqual(['Bind', 'Dial']);
  expect(JSON.parse(service.config.toString())).toEqual({
    'host.v1': { protocol: 'tcp', address: '127.0.0.1', port: 80 },
  });
  expect(JSON.parse(service.tags.toString())).toEqual({ team: 'red' });
  expect(list.lastUpdate.length).toBeLessThanOrEqual(50);

  // Nothing has changed: there is no answer.
  tunneler.router.send(CONTENT.listServices, list.lastUpdate);
  await tunneler.router.ask(CONTENT.ping);
  await net.newService();
  await eventually(async () => {
    tunneler.router.send(CONTENT.listServices, list.lastUpdate);
    const frame = await tunneler.router.take(({ type }) => type === CONTENT.services, 500);
    const ids = messages.ServicesList.decode(frame.body).services.map(({ id }) => id);
    expect(ids).toContain(net.serviceId);
  });
});

test('it hosts a service, which clients reach', async () => {
  const address = await host(tunneler, { cost: 3, precedence: 'Required' });
  const { body } = await net.controller.rest('GET', `/terminators/${address}`);
  expect(body.data).toMatchObject({ binding: 'tunnel', cost: 3, precedence: 'required' });
  made(await tunneler.dial(net.dial));
  expect(tunneler.routes.at(-1)?.egress).toMatchObject({ binding: 'tunnel', destination: address });
});

test('it dials a service', async () => {
  const address = await net.bind(net.router);
  await net.bind(tunneler, { cost: 60_000 });
  net.router.router.tell(CONTENT.routerLinks, messages.RouterLinks, {
    links: [{ id: unique('link'), destRouterId: tunneler.id, linkProtocol: 'tls', iteration: 1 }],
  });
  await net.router.router.ask(CONTENT.ping);
  const { type, body } = await dial(tunneler, serviceName, {
    peerData: { 1112: Buffer.from('initiator') },
  });
  expect(type).toBe(CONTENT.createTunnelCircuitResult);
  const circuit = messages.CreateCircuitForServiceResponse.decode(body);
  expect(circuit).toMatchObject({
    tags: { serviceId: net.serviceId, clientId: tunneler.id, hostId: net.host.identityId },
  });
  expect(circuit.session?.token).not.toBe('');
  expect(circuit.circuitId).not.toBe('');
  expect([address, circuit.address]).not.toContain('');
});

test('a service that it may not use, or that does not exist, is refused', async () => {
  await net.controller.rest('PATCH', `/identities/${tunneler.id}`, { roleAttributes: [] });
  for (const name of [serviceName, 'nothing', '']) {
    const answer = await dial(tunneler, name);
    expect([answer.type, codeOf(answer)]).toEqual([CONTENT.error, 6]);
  }
});

test('its terminators are changed, and removed, by itself alone', async () => {
  const address = await host(tunneler);
  const other = await newTunneler();
  const update = messages.UpdateTunnelTerminatorRequest.encode({
    terminatorId: address,
    cost: 9,
    updateCost: true,
  });
  const { updateTunnelTerminator, updateTunnelTerminatorResult } = CONTENT;
  expect((await other.router.ask(updateTunnelTerminator, update)).type).toBe(CONTENT.error);
  const changed = await tunneler.router.ask(updateTunnelTerminator, update);
  expect(changed.type).toBe(updateTunnelTerminatorResult);
  expect(await terminators()).toEqual([expect.objectContaining({ id: address, cost: 9 })]);
  const health = new Map([
    [1022, textValue(address)],
    [1023, Buffer.from([0])],
  ]);
  tunneler.router.send(CONTENT.tunnelHealthEvent, undefined, health);
  await eventually(async () => {
    expect(await terminators()).toEqual([expect.objectContaining({ precedence: 'failed' })]);
  });
  await other.router.ask(CONTENT.removeTunnelTerminator, textValue(address));
  expect(await terminators()).toHaveLength(1);
  const removed = await tunneler.router.ask(CONTENT.removeTunnelTerminator, textValue(address));
  expect(removed.type).toBe(CONTENT.removeTunnelTerminatorResult);
  expect(await terminators()).toEqual([]);
});

test('what it hosts ends with its right to', async () => {
  await host(tunneler);
  await net.controller.rest('PATCH', `/identities/${tunneler.id}`, { roleAttributes: [] });
  await eventually(async () => {
    expect(await terminators()).toEqual([]);
  });
});

/** Hosts as a router that follows the data model: it names no session. */
async function hostInModel(at: RoutingRouter, members: object = {}) {
  const address = unique('terminator');
  const body = messages.CreateTunnelTerminatorV2Request.encode({
    serviceId: net.serviceId,
    address,
    startTime: 1_234_567_890_123,
    ...members,
  });
  const answer = await at.router.ask(CONTENT.createTunnelTerminatorV2, body);
  expect(answer.type).toBe(CONTENT.createTunnelTerminatorV2Result);
  return { address, ...messages.CreateTunnelTerminatorV2Response.decode(answer.body) };
}

test('it hosts and dials by the data model, too', async () => {
  const { address, ...result } = await hostInModel(tunneler, { cost: 7 });
  expect(result).toEqual({
    terminatorId: address,
    startTime: 1_234_567_890_123,
    result: 'Success',
    msg: '',
  });
  expect(await terminators()).toEqual([
    expect.objectContaining({ id: address, binding: 'tunnel', cost: 7 }),
  ]);
  const body = messages.CreateTunnelCircuitV2Request.encode({ serviceName });
  const answer = await tunneler.router.ask(CONTENT.createTunnelCircuitV2, body);
  expect(answer.type).toBe(CONTENT.createTunnelCircuitV2Result);
  const circuit = messages.CreateTunnelCircuitV2Response.decode(answer.body);
  expect(circuit.tags).toMatchObject({
    serviceId: net.serviceId,
    clientId: tunneler.id,
    hostId: tunneler.id,
  });
  expect(circuit.address).not.toBe('');
});

test('by the data model it hosts nothing that it may not, and nothing of others', async () => {
  await net.controller.rest('PATCH', `/identities/${tunneler.id}`, { roleAttributes: ['dialers'] });
  for (const members of [{}, { serviceId: 'nothing' }]) {
    const { address, terminatorId, result } = await hostInModel(tunneler, members);
    expect([terminatorId, result]).toEqual([address, 'FailedOther']);
  }
  const { result: withoutTunneler } = await hostInModel(net.router);
  expect(withoutTunneler).toBe('FailedOther');
  const other = await newTunneler();
  const { address } = await hostInModel(other);
  await net.controller.rest('PATCH', `/identities/${tunneler.id}`, { roleAttributes: ['hosts'] });
  const { result: taken } = await hostInModel(tunneler, { address });
  expect(taken).not.toBe('Success');
  expect(await terminators()).toHaveLength(1);
});
