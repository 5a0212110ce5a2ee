import { describe, expect, test } from '@jest/globals';
import {
  apiSessionEvents,
  entityChangeEvents,
  fabricEvent,
  loginEvent,
  routerConnectEvent,
  SdkEvents,
  sessionEvents,
} from '../../../src/network/events/index.js';
import { textOfEvent, type NetworkEvent } from '../../../src/network/events/network-event.js';
import type { SingleFact } from '../../../src/network/events/fabric-events.js';
import type { Link } from '../../../src/data/rows/fabric/index.js';
import type { Circuit } from '../../../src/network/fabric/index.js';
import { catalog } from '../../../src/resources/index.js';
import { AT, changeOf } from './support.js';

/** The published layouts, with the order of their members. */

const text = (event: NetworkEvent | undefined, namespace = String(event?.type)): string => {
  if (!event) throw new Error('there is no event');
  return textOfEvent(event, namespace, 'ctrl');
};

const ofFact = (fact: SingleFact): string => text(fabricEvent(fact, AT));

const HEAD = '"event_src_id":"ctrl","timestamp":"2026-01-02T03:04:05.678000000Z"';

describe('sessions and logins', () => {
  const login = {
    at: AT,
    requestId: 'r',
    method: 'password',
    address: '10.0.0.1',
    refusal: 'WRONG_PASSWORD',
    identityId: 'i',
    authenticatorId: 'a',
    signerId: '',
    authPolicyId: 'default',
    isChainImproper: false,
  } as const;

  test('a refused login says why', () => {
    expect(text(loginEvent(login))).toBe(
      `{"namespace":"authentication",${HEAD},"event_type":"fail","type":"password","authenticator_id":"a",` +
        '"external_jwt_signer_id":"","identity_id":"i","auth_policy_id":"default","remote_address":"10.0.0.1",' +
        '"success":false,"reason":"the password is wrong","improper_client_cert_chain":false}',
    );
  });

  test('a login that succeeds has no reason', () => {
    const { kind, members } = loginEvent({ ...login, refusal: undefined });
    expect([kind, members.event_type, members.success, members.reason]).toStrictEqual([
      'success',
      'success',
      true,
      '',
    ]);
  });

  test('an API session has an empty token', () => {
    const after = { identityId: 'i', ipAddress: '10.0.0.1' };
    const [event] = apiSessionEvents(changeOf({ resource: 'ApiSession', id: 's', after }));
    expect(text(event, 'edge.apiSessions')).toBe(
      `{"namespace":"edge.apiSessions",${HEAD},"event_type":"created","id":"s","type":"legacy","token":"",` +
        '"identity_id":"i","ip_address":"10.0.0.1"}',
    );
  });

  test('a session has no token', () => {
    const before = { identityId: 'i', apiSessionId: 's', serviceId: 'v', type: 'Dial' } as const;
    const ended = changeOf({ resource: 'Session', id: 'x', operation: 'delete', before });
    expect(text(sessionEvents(ended)[0])).toBe(
      `{"namespace":"session",${HEAD},"event_type":"deleted","session_type":"Dial","provider":"legacy","id":"x",` +
        '"api_session_id":"s","identity_id":"i","service_id":"v"}',
    );
  });

  test('an update of a session is no event', () => {
    const update = { operation: 'update', before: {}, after: {} } as const;
    expect(apiSessionEvents(changeOf({ resource: 'ApiSession', ...update }))).toStrictEqual([]);
    expect(sessionEvents(changeOf({ resource: 'Session', ...update }))).toStrictEqual([]);
  });
});

describe('changes of entities', () => {
  const base = {
    id: 'v',
    createdAt: '2026-01-02T03:04:05.678Z',
    updatedAt: '2026-01-02T03:04:05.678Z',
    tags: {},
    isSystem: false,
  };
  const service = {
    ...base,
    name: 'wiki',
    configs: ['c'],
    revision: 1,
    roleAttributes: ['web'],
    maxIdleTimeMillis: 1500,
    terminatorStrategy: 'smartrouting',
    encryptionRequired: true,
  };
  const by = { actorId: 'i', actor: { id: 'i', name: 'ada' }, requestId: 'r', address: '10.0.0.1' };

  test('have the stored form before and after, then say that they are committed', () => {
    const change = changeOf({ id: 'v', after: service, ...by });
    expect(
      entityChangeEvents(change, { catalog, version: 'v1' }).map((event) => text(event)),
    ).toStrictEqual([
      `{"namespace":"entityChange",${HEAD},"eventId":"place","eventType":"created",` +
        '"metadata":{"author":{"type":"identity","id":"i","name":"ada"},' +
        '"source":{"type":"rest","auth":"edge","remoteAddr":"10.0.0.1"},"version":"v1"},' +
        '"entityType":"services","initialState":null,"finalState":{"id":"v",' +
        '"createdAt":"2026-01-02T03:04:05.678Z","updatedAt":"2026-01-02T03:04:05.678Z","tags":{},' +
        '"isSystem":false,"name":"wiki","maxIdleTime":1500000000,"terminatorStrategy":"smartrouting",' +
        '"roleAttributes":["web"],"configs":["c"],"encryptionRequired":true}}',
      `{"namespace":"entityChange",${HEAD},"eventId":"place","eventType":"committed"}`,
    ]);
  });

  test('of the controller itself name it', () => {
    const [event] = entityChangeEvents(changeOf({ operation: 'delete', before: service }), {
      catalog,
      version: 'v1',
    });
    expect(event?.members).toMatchObject({
      eventType: 'deleted',
      metadata: { author: { type: 'controller' }, version: 'v1' },
      finalState: null,
    });
    expect(event?.members.metadata).not.toHaveProperty('source');
  });

  test('by a router come over its channel', () => {
    const [event] = entityChangeEvents(changeOf({ after: service, actorId: 'i' }), {
      catalog,
      version: 'v1',
    });
    expect(event?.members.metadata).toStrictEqual({
      author: { type: 'identity', id: 'i' },
      source: { type: 'ctrl.channel' },
      version: 'v1',
    });
  });

  test.each([
    ['EdgeRouter', { fingerprint: 'f' }, 'routers', { fingerprint: 'f' }],
    ['TransitRouter', { cost: 3 }, 'routers', { cost: 3 }],
    ['Config', { configTypeId: 't', data: {} }, 'configs', { type: 't', data: {} }],
    [
      'Authenticator',
      { method: 'cert', identityId: 'i', fingerprint: 'f', certPem: 'p', isIssuedByNetwork: true },
      'authenticators',
      {
        type: 'cert',
        identityId: 'i',
        subType: { fingerprint: 'f', pem: 'p', isIssuedByNetwork: true },
      },
    ],
    [
      'Authenticator',
      { method: 'updb', username: 'ada' },
      'authenticators',
      { type: 'updb', subType: { username: 'ada' } },
    ],
    [
      'PostureCheck',
      { typeId: 'MAC', version: 1, macAddresses: ['a'], domains: null },
      'postureChecks',
      { typeId: 'MAC', version: 1, subType: { macAddresses: ['a'] } },
    ],
    [
      'AuthPolicy',
      {
        primary: { cert: {}, updb: {}, extJwt: { allowed: true, allowedSigners: ['s'] } },
        secondary: { requireTotp: true, requireExtJwtSigner: null },
      },
      'authPolicies',
      {
        primary: { cert: {}, updb: {}, extJwt: { allowed: true, allowedExtJwtSigners: ['s'] } },
        secondary: { requireTotp: true, requiredExtJwtSigner: null },
      },
    ],
    [
      'Terminator',
      { serviceId: 'v', routerId: 'r', identity: 'one' },
      'terminators',
      { service: 'v', router: 'r', instanceId: 'one' },
    ],
    ['Enrollment', { method: 'ott' }, 'enrollments', { token: '', method: 'ott' }],
  ])('of %s %j are %s %j', (resource, state, type, stored) => {
    const [event] = entityChangeEvents(changeOf({ resource, after: state }), {
      catalog,
      version: 'v1',
    });
    expect(event?.members.entityType).toBe(type);
    expect(event?.members.finalState).toStrictEqual(stored);
  });
});

describe('the fabric', () => {
  const circuit: Circuit = {
    id: 'c',
    sessionId: 's',
    serviceId: 'v',
    identityId: 'i',
    hostId: 'h',
    terminatorId: 't',
    instanceId: '',
    binding: 'edge',
    routerIds: ['r1', 'r2'],
    linkIds: ['l'],
    ingress: 'in',
    egress: 'out',
    createdAt: AT,
  };
  const HEAD_OF_CIRCUIT = `{"namespace":"circuit",${HEAD},"version":2`;
  const IDS =
    '"circuit_id":"c","client_id":"s","service_id":"v","terminator_id":"t","instance_id":""';
  const PATH = '"path":{"nodes":["r1","r2"],"links":["l"],"ingress_id":"in","egress_id":"out"}';
  const TAGS = '"tags":{"serviceId":"v","clientId":"i","hostId":"h"}';

  test('a new circuit has its costs and the time of its making', () => {
    expect(ofFact({ kind: 'circuitCreated', circuit, millis: 12, pathCost: 30 })).toBe(
      `${HEAD_OF_CIRCUIT},"event_type":"created",${IDS},"creation_timespan":12000000,${PATH},"link_count":1,"path_cost":30,${TAGS}}`,
    );
  });

  test('a circuit without links has none', () => {
    const short = { ...circuit, routerIds: ['r1'], linkIds: [] };
    expect(ofFact({ kind: 'circuitMoved', circuit: short, pathCost: 10 })).toBe(
      `${HEAD_OF_CIRCUIT},"event_type":"pathUpdated",${IDS},"path":{"nodes":["r1"],"links":null,"ingress_id":"in","egress_id":"out"},"link_count":0,"path_cost":10,${TAGS}}`,
    );
  });

  test('an ended circuit has its duration', () => {
    expect(ofFact({ kind: 'circuitEnded', circuit, millis: 2000 })).toBe(
      `${HEAD_OF_CIRCUIT},"event_type":"deleted",${IDS},${PATH},"link_count":1,"duration":2000000000,${TAGS}}`,
    );
  });

  test('a circuit that could not be made has the cause', () => {
    const ids = { circuitId: 'c', sessionId: 's', serviceId: 'v', instanceId: 'one' };
    expect(ofFact({ kind: 'circuitFailed', ...ids, failure: 'no answer', millis: 5 })).toBe(
      `${HEAD_OF_CIRCUIT},"event_type":"failed","circuit_id":"c","client_id":"s","service_id":"v","terminator_id":"","instance_id":"one",` +
        '"creation_timespan":5000000,"path":{"nodes":null,"links":null,"ingress_id":"","egress_id":""},"link_count":0,' +
        '"failure_cause":"ROUTER_RESPONSE_TIMEOUT","tags":null}',
    );
  });

  const link: Link = {
    id: 'l',
    sourceId: 'r1',
    destinationId: 'r2',
    iteration: 1,
    protocol: 'tls',
    dialAddress: 'tls:x:1',
    connections: [{ type: 'single', source: 'a:1', dest: 'b:2' }],
    staticCost: 1,
    isDown: false,
    sourceLatency: 2,
    destinationLatency: 3,
    createdAt: AT,
  };

  test('a link has its routers, cost and connections', () => {
    const fact = { kind: 'linkReported', link, isNew: true, isDestinationConnected: true } as const;
    expect(ofFact(fact)).toBe(
      `{"namespace":"link",${HEAD},"event_type":"routerLinkNew","link_id":"l","src_router_id":"r1","dst_router_id":"r2",` +
        '"protocol":"tls","dial_address":"tls:x:1","cost":6,"connections":[{"id":"single","local_addr":"a:1","remote_addr":"b:2"}]}',
    );
  });

  test.each<[string, SingleFact]>([
    ['routerLinkKnown', { kind: 'linkReported', link, isNew: false, isDestinationConnected: true }],
    [
      'routerLinkDisconnectedDest',
      { kind: 'linkReported', link, isNew: true, isDestinationConnected: false },
    ],
    ['fault', { kind: 'linkFault', link, isDuplicate: false }],
    ['duplicate', { kind: 'linkFault', link, isDuplicate: true }],
    ['connectionsChanged', { kind: 'linkConnections', link }],
  ])('a link is %s', (type, fact) => {
    expect(fabricEvent(fact, AT).members.event_type).toBe(type);
  });

  test('events of routers have the time before the controller', () => {
    expect(ofFact({ kind: 'routerOnline', routerId: 'r' })).toBe(
      '{"namespace":"router","timestamp":"2026-01-02T03:04:05.678000000Z","event_src_id":"ctrl",' +
        '"event_type":"router-online","router_id":"r","router_online":true}',
    );
    expect(fabricEvent({ kind: 'routerOffline', routerId: 'r' }, AT).members).toStrictEqual({
      event_type: 'router-offline',
      router_id: 'r',
      router_online: false,
    });
  });

  test('a router connects from an address to an address', () => {
    const connect = { routerId: 'r', routerAddress: 'a:1', controllerAddress: 'b:2' };
    expect(text(routerConnectEvent(connect, { at: AT, controllerId: 'ctrl' }))).toBe(
      `{"namespace":"connect",${HEAD},"src_type":"router","dst_type":"ctrl","src_id":"r","src_addr":"a:1","dst_id":"ctrl","dst_addr":"b:2"}`,
    );
  });

  test('an identity is online as long as any router has a client of it', () => {
    const told: unknown[] = [];
    const clients = new SdkEvents(
      (event) => {
        told.push(event.members);
      },
      () => AT,
    );
    const came = { identityId: 'i', isConnected: true };
    const left = { identityId: 'i', isConnected: false };
    clients.report('r1', [came], true);
    clients.report('r2', [came], false);
    clients.report('r1', [left], false);
    clients.routerLost('r2');
    clients.report('r2', [came], true);
    clients.report('r2', [], true);
    expect(told).toStrictEqual(
      ['sdk-online', 'sdk-status-unknown', 'sdk-online', 'sdk-offline'].map((event_type) => ({
        event_type,
        identity_id: 'i',
      })),
    );
  });
});
