import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createHash, X509Certificate } from 'node:crypto';
import {
  keysOf,
  newCsr,
  newKey,
  withKey,
  type ClientCertificate,
} from '../trust/auth/certificates.js';
import { call, unique } from '../trust/auth/client.js';
import { startController, type TestController } from '../support/controller.js';
import { eventually } from '../support/eventually.js';
import { InProcess } from '../support/in-process.js';

/**
 * The life of a client over TLS, once by each door. Routers can not connect yet, so a second
 * controller on the same database reports theirs through the port.
 */

let controller: TestController;
let beside: InProcess;

beforeAll(async () => {
  const started = await startController();
  controller = started;
  const network = { databaseUrl: started.databaseUrl, keys: await keysOf(started) };
  beside = await InProcess.start(undefined, { network });
});
afterAll(async () => {
  await beside.stop();
  await controller.stop();
});

type Json = Record<string, unknown>;

interface ServiceSeen {
  readonly id: string;
  readonly permissions: readonly string[];
  readonly postureQueries: readonly { readonly isPassing: boolean }[];
}

/** What a client and an administrator do, by one of the doors. */
interface Door {
  create(kind: string, input: Json): Promise<string>;
  enroll(token: string, clientCsr: string): Promise<{ cert: string }>;
  enrollRouter(token: string, csr: string): Promise<{ cert: string }>;
  login(certificate: ClientCertificate): Promise<string>;
  services(token: string): Promise<readonly ServiceSeen[]>;
  open(token: string, serviceId: string): Promise<{ code?: string; session?: Json }>;
  submit(token: string, response: Json): Promise<void>;
  lastChange(token: string): Promise<string>;
  sessions(token: string): Promise<readonly { readonly id: string }[]>;
  clearIdentities(policyId: string): Promise<void>;
}

const session = (token: string) => ({ 'zt-session': token });

const rest: Door = {
  create: (kind, input) => controller.create(kind, input),
  enroll: async (token, clientCsr) =>
    (await call(controller, 'POST', '/enroll?method=ott', { body: { token, clientCsr } })).body
      .data,
  enrollRouter: async (token, csr) =>
    (
      await call(controller, 'POST', `/enroll?method=erott&token=${token}`, {
        body: { certCsr: csr, serverCertCsr: csr },
      })
    ).body.data,
  login: async (certificate) =>
    (
      (await call(controller, 'POST', '/authenticate?method=cert', { certificate })).body.data as {
        token: string;
      }
    ).token,
  services: async (token) =>
    (await call(controller, 'GET', '/services', { headers: session(token) })).body.data,
  open: async (token, serviceId) => {
    const headers = session(token);
    const answer = await call(controller, 'POST', '/sessions', { headers, body: { serviceId } });
    const { error, data } = answer.body;
    return answer.status === 201 ? { session: data } : { code: error.code };
  },
  submit: async (token, response) => {
    const headers = session(token);
    const answer = await call(controller, 'POST', '/posture-response', { headers, body: response });
    expect(answer.status).toBe(201);
  },
  lastChange: async (token) =>
    (
      (
        await call(controller, 'GET', '/current-api-session/service-updates', {
          headers: session(token),
        })
      ).body.data as { lastChangeAt: string }
    ).lastChangeAt,
  sessions: async (token) =>
    (await call(controller, 'GET', '/sessions', { headers: session(token) })).body.data,
  clearIdentities: async (policyId) => {
    await controller.rest('PATCH', `/service-policies/${policyId}`, { identityRoles: [] });
  },
};

const SINGULAR: Readonly<Record<string, string>> = {
  identities: 'Identity',
  services: 'Service',
  'edge-routers': 'EdgeRouter',
  'posture-checks': 'PostureCheck',
  'service-policies': 'ServicePolicy',
  'edge-router-policies': 'EdgeRouterPolicy',
  'service-edge-router-policies': 'ServiceEdgeRouterPolicy',
};

interface GraphAnswer {
  readonly data: { readonly result: never } | null;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

async function ask(
  query: string,
  variables: Json,
  { token, certificate }: { token?: string; certificate?: ClientCertificate } = {},
): Promise<GraphAnswer> {
  const headers = token === undefined ? {} : session(token);
  const body = { query, variables };
  return (await call(controller, 'POST', '/graphql', { body, headers, certificate })).body;
}

async function result<T>(...[query, variables, by]: Parameters<typeof ask>): Promise<T> {
  const { data, errors } = await ask(query, variables, by);
  if (!data || errors) throw new Error(JSON.stringify(errors));
  return data.result;
}

interface GraphRouter {
  readonly supportedProtocols: readonly { readonly protocol: string; readonly address: string }[];
}

const asOverRest = (opened: { readonly edgeRouters: readonly GraphRouter[] }): Json => ({
  ...opened,
  edgeRouters: opened.edgeRouters.map(({ supportedProtocols, ...router }) => ({
    ...router,
    supportedProtocols: Object.fromEntries(
      supportedProtocols.map(({ protocol, address }) => [protocol, address]),
    ),
  })),
});

const graph: Door = {
  create: async (kind, input) => {
    const name = SINGULAR[kind] ?? kind;
    const { id } = await result<{ id: string }>(
      `mutation ($input: Create${name}Input!) { result: create${name}(input: $input) { id } }`,
      { input },
      { token: controller.token },
    );
    return id;
  },
  enroll: (token, clientCsr) =>
    result(
      'mutation ($input: EnrollInput!) { result: enroll(method: "ott", input: $input) { cert } }',
      { input: { token, clientCsr } },
    ),
  enrollRouter: (token, csr) =>
    result(
      'mutation ($input: EnrollInput!) { result: enroll(method: "erott", input: $input) { cert } }',
      { input: { token, clientCsr: csr, serverCsr: csr } },
    ),
  login: async (certificate) =>
    (
      await result<{ token: string }>(
        'mutation { result: authenticate(method: "cert", input: {}) { token } }',
        {},
        { certificate },
      )
    ).token,
  services: async (token) =>
    (
      await result<{ services: { nodes: readonly ServiceSeen[] } }>(
        '{ result: currentIdentity { services { nodes { id permissions postureQueries { isPassing } } } } }',
        {},
        { token },
      )
    ).services.nodes,
  open: async (token, serviceId) => {
    const { data, errors } = await ask(
      `mutation ($id: ID!) { result: openSession(input: { serviceId: $id }) { id type token
        edgeRouters { name: routerName isOnline hostname supportedProtocols { protocol address } } } }`,
      { id: serviceId },
      { token },
    );
    if (errors) return { code: errors[0]?.extensions.code ?? '' };
    return data ? { session: asOverRest(data.result) } : {};
  },
  submit: async (token, response) => {
    await result(
      'mutation ($r: [PostureResponseInput!]!) { result: submitPosture(responses: $r) { services { serviceId } } }',
      { r: [response] },
      { token },
    );
  },
  lastChange: async (token) =>
    (
      await result<{ lastChangeAt: string }>(
        '{ result: currentServiceUpdates { lastChangeAt } }',
        {},
        { token },
      )
    ).lastChangeAt,
  sessions: async (token) =>
    (
      await result<{ sessions: { nodes: readonly { id: string }[] } }>(
        '{ result: currentIdentity { sessions { nodes { id } } } }',
        {},
        { token },
      )
    ).sessions.nodes,
  clearIdentities: async (policyId) => {
    await result(
      'mutation ($id: ID!) { result: updateServicePolicy(id: $id, input: { identityRoles: [] }) { id } }',
      { id: policyId },
      { token: controller.token },
    );
  },
};

const invitationOf = async (collection: string, id: string): Promise<string> => {
  const { body } = await controller.rest('GET', `/${collection}/${id}`);
  const { enrollmentToken, enrollment } = body.data as {
    enrollmentToken?: string;
    enrollment?: { ott: { token: string } };
  };
  return enrollmentToken ?? enrollment?.ott.token ?? '';
};

test.each([
  ['REST', rest],
  ['GraphQL', graph],
])('a client lives its life over %s', async (_, door) => {
  const name = unique('life');
  const router = await door.create('edge-routers', { name });
  const routerCsr = await newCsr(newKey(), `CN=${router}`);
  const { cert } = await door.enrollRouter(await invitationOf('edge-routers', router), routerCsr);
  const fingerprint = createHash('sha1').update(new X509Certificate(cert).raw).digest('hex');
  const connection = await beside.parts.presence.connect({
    routerId: router,
    fingerprint,
    versionInfo: null,
    linkListeners: [],
    hostname: 'router.example.com',
    listeners: { tls: 'tls://router.example.com:3022' },
    syncStatus: 'SYNC_DONE',
  });

  const check = await door.create('posture-checks', {
    name,
    typeId: 'DOMAIN',
    domains: ['example.com'],
  });
  const service = await door.create('services', { name, encryptionRequired: true });
  const identity = await door.create('identities', {
    name,
    type: 'Device',
    isAdmin: false,
    enrollment: { ott: true },
  });
  const policy = await door.create('service-policies', {
    name,
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: [`@${identity}`],
    serviceRoles: [`@${service}`],
    postureCheckRoles: [`@${check}`],
  });
  await door.create('edge-router-policies', {
    name,
    semantic: 'AnyOf',
    identityRoles: [`@${identity}`],
    edgeRouterRoles: [`@${router}`],
  });
  await door.create('service-edge-router-policies', {
    name,
    semantic: 'AnyOf',
    serviceRoles: [`@${service}`],
    edgeRouterRoles: [`@${router}`],
  });

  const key = newKey();
  const issued = await door.enroll(await invitationOf('identities', identity), await newCsr(key));
  const token = await door.login(withKey(issued.cert, key));

  expect(await door.services(token)).toMatchObject([
    { id: service, permissions: ['Dial'], postureQueries: [{ isPassing: false }] },
  ]);
  expect(await door.open(token, service)).toStrictEqual({ code: 'INVALID_POSTURE' });

  const before = await door.lastChange(token);
  expect(await door.lastChange(token)).toBe(before);
  await door.submit(token, { id: check, typeId: 'DOMAIN', domain: 'EXAMPLE.com' });
  const submitted = await door.lastChange(token);
  expect(submitted).not.toBe(before);
  expect(await door.services(token)).toMatchObject([{ postureQueries: [{ isPassing: true }] }]);

  await eventually(async () => {
    const { session: opened } = await door.open(token, service);
    expect(opened).toMatchObject({
      type: 'Dial',
      edgeRouters: [
        {
          name,
          isOnline: true,
          hostname: 'router.example.com',
          supportedProtocols: { tls: 'tls://router.example.com:3022' },
        },
      ],
    });
  });
  expect(await door.sessions(token)).toHaveLength(1);

  await door.clearIdentities(policy);
  expect(await door.sessions(token)).toStrictEqual([]);
  expect(await door.services(token)).toStrictEqual([]);
  expect(await door.lastChange(token)).not.toBe(submitted);
  expect(await door.open(token, service)).toStrictEqual({ code: 'NOT_FOUND' });
  await connection.end();
});
