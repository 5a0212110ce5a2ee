import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import {
  codeOf,
  link,
  made,
  openNetwork,
  RoutingRouter,
  unique,
  type ServiceSession,
} from '../../network/control/traffic-network.js';
import { textValue } from '../../../src/network/control/header-values.js';
import { enrollRouter, helloOfVersion2 } from '../../support/test-router.js';
import { newPerson, PASSWORD } from '../auth/client.js';
import { ask, claimsOf, LoginClient, type Tokens } from './login-client.js';

/* Clients that logged in over OpenID Connect dial and host over routers, which send their access tokens. */

let controller: TestController;
let router: RoutingRouter;
let serviceId: string;
let host: Client;
let dialer: Client;

interface Client {
  readonly id: string;
  readonly tokens: Tokens;
  readonly session: ServiceSession;
}

beforeAll(async () => {
  const env = {
    OVERGRAPH_WORKERS: '2',
    OVERGRAPH_OIDC: 'announce',
    OVERGRAPH_ROUTER_CAPABILITIES: 'data-model,grouped-channels,jwt-sessions',
  };
  controller = await startController({ env });
  await openNetwork(controller);
  router = await RoutingRouter.start(controller);
  serviceId = await controller.create('services', { name: 'svc', encryptionRequired: false });
  host = await newClient('hosts', 'Bind');
  dialer = await newClient('dialers', 'Dial');
  expect(await hosting(host.tokens.access_token)).toBe('Success');
});
afterAll(async () => {
  await router.router.close();
  await controller.stop();
});

async function newClient(
  role: string,
  type: 'Dial' | 'Bind',
  service = serviceId,
): Promise<Client> {
  const person = await newPerson(controller, { roleAttributes: [role] });
  const tokens = await new LoginClient(controller).logInByPassword(person.username, PASSWORD);
  const { status, text, body } = await ask(controller.port, 'POST', '/edge/client/v1/sessions', {
    headers: { authorization: `Bearer ${tokens.access_token}` },
    json: { serviceId: service, type },
  });
  if (status !== 201) throw new Error(text);
  return { id: person.id, tokens, session: body.data as unknown as ServiceSession };
}

async function hosting(
  apiToken: string,
  { token }: ServiceSession = host.session,
  at = router,
): Promise<string> {
  const session = { id: '', token, apiToken };
  const { body } = await at.bind(session, { address: unique('terminator') });
  return messages.CreateTerminatorV2Response.decode(body).result;
}

/** The code of the refusal of a dial; undefined for a circuit. */
async function dialing(
  apiToken: string,
  { token } = dialer.session,
  at = router,
): Promise<number | undefined> {
  const answer = await at.dial({ id: '', token, apiToken });
  return answer.type === CONTENT.createCircuitResult ? undefined : codeOf(answer);
}

const NO_SESSION = 3;

test.each(['/edge/client/v1/version', '/edge/management/v1/version', '/version'])(
  '%s tells clients to log in over OpenID Connect, and where',
  async (path) => {
    const { body } = await ask(controller.port, 'GET', path);
    const base = `https://localhost:${String(controller.port)}/oidc`;
    expect(body.data).toMatchObject({
      capabilities: ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR'],
      apiVersions: { 'edge-oidc': { v1: { path: '/oidc', apiBaseUrls: [base] } } },
    });
    // Tunnelers ask there, by the name in the address.
    const discovery = `${new URL(base).pathname}/.well-known/openid-configuration`;
    expect((await ask(controller.port, 'GET', discovery)).body.issuer).toBe(base);
  },
);

test('an access token counts at a dial, after its refresh as well', async () => {
  const { access_token, refresh_token } = dialer.tokens;
  expect(await dialing(access_token)).toBeUndefined();
  const { body } = await new LoginClient(controller).refresh(refresh_token);
  expect(await dialing(String(body.access_token))).toBeUndefined();
});

const altered = (token: string): string => {
  const [header, , signature] = token.split('.');
  const claims = Buffer.from(JSON.stringify({ ...claimsOf(token), exp: 4_000_000_000 }));
  return [header, claims.toString('base64url'), signature].join('.');
};

describe('other texts do not count', () => {
  test.each([
    ['the access token of somebody else', () => host.tokens.access_token],
    ['the refresh token', () => dialer.tokens.refresh_token],
    ['the ID token', () => dialer.tokens.id_token],
    ['an altered access token', () => altered(dialer.tokens.access_token)],
    ['a token that nobody signed', () => 'e30.e30.'],
    ['the token of the session for the service', () => dialer.session.token],
    ['the id of the API session', () => String(claimsOf(dialer.tokens.access_token).z_asid)],
  ])('%s', async (_name, tokenOf) => {
    expect(await dialing(tokenOf())).toBe(NO_SESSION);
  });

  test('the access token of the dialer for a host', async () => {
    expect(await hosting(dialer.tokens.access_token)).toBe('FailedInvalidSession');
  });
});

test('a logout ends the circuits of the session, and its tokens', async () => {
  const client = await newClient('dialers', 'Dial');
  const { access_token: apiToken } = client.tokens;
  const { circuitId } = made(await router.dial({ ...client.session, apiToken }));
  await ask(controller.port, 'DELETE', '/edge/client/v1/current-api-session', {
    headers: { authorization: `Bearer ${apiToken}` },
  });
  await eventually(() => {
    expect(router.unroutes).toContainEqual({ circuitId, now: true });
  });
  expect(await dialing(apiToken, client.session)).toBe(NO_SESSION);
});

test('a heartbeat names the API session, and keeps it active', async () => {
  const apiSessionId = String(claimsOf(dialer.tokens.access_token).z_asid);
  const tokens = [apiSessionId, 'nobody'];
  router.router.tell(CONTENT.apiSessionHeartbeat, messages.ApiSessionHeartbeat, { tokens });
  const { body } = await router.router.take(({ type }) => type === CONTENT.apiSessionRemoved);
  expect(messages.ApiSessionRemoved.decode(body).tokens).toEqual(['nobody']);
  const { body: identity } = await controller.rest('GET', `/identities/${dialer.id}`);
  expect(identity.data).toMatchObject({ hasEdgeRouterConnection: true });
});

describe('a service that only devices of a domain may use', () => {
  let guarded: string;
  /** It judges posture by itself, and clients tell it theirs. */
  let newer: RoutingRouter;

  beforeAll(async () => {
    guarded = await controller.create('services', { name: 'guarded', encryptionRequired: false });
    const check = await controller.create('posture-checks', {
      name: 'domain',
      typeId: 'DOMAIN',
      domains: ['example.com'],
    });
    for (const type of ['Dial', 'Bind']) {
      await controller.create('service-policies', {
        name: unique('policy'),
        type,
        semantic: 'AnyOf',
        identityRoles: ['#members'],
        serviceRoles: [`@${guarded}`],
        postureCheckRoles: [`@${check}`],
      });
    }
    const enrolled = await enrollRouter(controller, { roleAttributes: ['open'] });
    newer = await RoutingRouter.connect(controller, enrolled, helloOfVersion2());
    // The service has a host at each router.
    const other = await newClient('members', 'Bind', guarded);
    expect(await hosting(other.tokens.access_token, other.session, newer)).toBe('Success');
  });
  afterAll(() => newer.router.close());

  const tell = async ({ tokens }: Client, domain: string): Promise<void> => {
    const { status } = await ask(controller.port, 'POST', '/edge/client/v1/posture-response', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
      json: { id: 'any', typeId: 'DOMAIN', domain },
    });
    expect(status).toBe(201);
  };

  test('is dialed over an older router once the controller knows the domain, until it is another', async () => {
    const client = await newClient('members', 'Dial', guarded);
    const { access_token: apiToken } = client.tokens;
    const session = { ...client.session, apiToken };
    await link(router, newer);
    expect(await dialing(apiToken, session)).toBe(NO_SESSION);
    await tell(client, 'example.com');
    const overOlder = made(await router.dial(session));
    const overNewer = made(await newer.dial(session));
    await tell(client, 'example.org');
    await eventually(() => {
      expect(router.unroutes).toContainEqual({ circuitId: overOlder.circuitId, now: true });
    });
    expect(await dialing(apiToken, session)).toBe(NO_SESSION);
    // The newer router has been told otherwise, perhaps: it ends what it does not allow.
    expect(await dialing(apiToken, session, newer)).toBeUndefined();
    expect(newer.unroutes.map(({ circuitId }) => circuitId)).not.toContain(overNewer.circuitId);
  });

  test('is hosted at an older router for as long as the controller knows the domain', async () => {
    const client = await newClient('members', 'Bind', guarded);
    const { access_token: apiToken } = client.tokens;
    const hostedBy = async (): Promise<number> => {
      const filter = encodeURIComponent(`hostId = "${client.id}"`);
      const { body } = await controller.rest('GET', `/terminators?filter=${filter}`);
      return (body.data as unknown[]).length;
    };
    expect(await hosting(apiToken, client.session)).toBe('FailedOther');
    await tell(client, 'example.com');
    expect(await hosting(apiToken, client.session)).toBe('Success');
    expect(await hosting(apiToken, client.session, newer)).toBe('Success');
    expect(await hostedBy()).toBe(2);
    await tell(client, 'example.org');
    await eventually(async () => {
      expect(await hostedBy()).toBe(1);
    });
  });

  test('is not dialed over an older router that comes back after the domain was lost', async () => {
    const client = await newClient('members', 'Dial', guarded);
    await tell(client, 'example.com');
    const session = { ...client.session, apiToken: client.tokens.access_token };
    const older = await RoutingRouter.start(controller);
    await link(older, newer);
    const { circuitId } = made(await older.dial(session));
    await older.router.close();
    await tell(client, 'example.org');
    const headers = new Map([[0, textValue('the connection before')]]);
    const back = await RoutingRouter.connect(controller, older.enrolled, { headers });
    await eventually(() => {
      expect(back.unroutes).toContainEqual({ circuitId, now: true });
    });
    await back.router.close();
  });
});
