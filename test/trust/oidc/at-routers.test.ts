import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import {
  codeOf,
  made,
  openNetwork,
  RoutingRouter,
  unique,
  type ServiceSession,
} from '../../network/control/traffic-network.js';
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

async function newClient(role: string, type: 'Dial' | 'Bind'): Promise<Client> {
  const person = await newPerson(controller, { roleAttributes: [role] });
  const tokens = await new LoginClient(controller).logInByPassword(person.username, PASSWORD);
  const { status, text, body } = await ask(controller.port, 'POST', '/edge/client/v1/sessions', {
    headers: { authorization: `Bearer ${tokens.access_token}` },
    json: { serviceId, type },
  });
  if (status !== 201) throw new Error(text);
  return { id: person.id, tokens, session: body.data as unknown as ServiceSession };
}

async function hosting(
  apiToken: string,
  { token }: ServiceSession = host.session,
): Promise<string> {
  const session = { id: '', token, apiToken };
  const { body } = await router.bind(session, { address: unique('terminator') });
  return messages.CreateTerminatorV2Response.decode(body).result;
}

/** The code of the refusal of a dial; undefined for a circuit. */
async function dialing(apiToken: string, { token } = dialer.session): Promise<number | undefined> {
  const answer = await router.dial({ id: '', token, apiToken });
  return answer.type === CONTENT.createCircuitResult ? undefined : codeOf(answer);
}

const NO_SESSION = 3;

test.each(['/edge/client/v1/version', '/edge/management/v1/version', '/version'])(
  '%s tells clients to log in over OpenID Connect, and where',
  async (path) => {
    const { body } = await ask(controller.port, 'GET', path);
    const base = `https://localhost:${String(controller.port)}/oidc`;
    expect(body.data).toMatchObject({
      capabilities: ['OIDC_AUTH'],
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
