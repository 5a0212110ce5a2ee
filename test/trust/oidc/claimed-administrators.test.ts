import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { authPolicy, unique } from '../auth/client.js';
import { OutsideSigner } from '../auth/signers.js';
import { LoginClient, type Tokens } from './login-client.js';

/* Company tokens of administrators and of people without an identity, over OpenID Connect and at two controllers. */

const ENV = { OVERGRAPH_LOGIN_LIMIT: '0', OVERGRAPH_OIDC: 'announce' };

let controller: TestController & { dataDir: string };
let other: TestController & { dataDir: string };
let signer: OutsideSigner;
let signerId: string;
let identityId: string;

beforeAll(async () => {
  controller = await startController({ env: { ...ENV, OVERGRAPH_WORKERS: '2' } });
  other = await startController({ with: controller, env: ENV });
});
afterAll(async () => {
  await other.stop();
  await controller.stop();
});

const RULE = { claim: 'groups', values: ['admins'], isAdmin: true };
const ADMIN = { groups: ['admins'] };

async function graph<T>(query: string, variables: object): Promise<T> {
  const { body } = await controller.send<{ data: T; errors?: unknown }>('POST', '/graphql', {
    body: JSON.stringify({ query, variables }),
    headers: { 'content-type': 'application/json', 'zt-session': controller.token },
  });
  expect(body.errors).toBeUndefined();
  return body.data;
}

const setRules = (adminClaims: readonly object[]): Promise<unknown> =>
  graph(
    `mutation ($id: ID!, $input: UpdateExternalJwtSignerInput!) {
      updateExternalJwtSigner(id: $id, input: $input) { id } }`,
    { id: signerId, input: { adminClaims } },
  );

beforeEach(async () => {
  signer = await OutsideSigner.create(unique('company'));
  signerId = await controller.create('external-jwt-signers', signer.settings);
  identityId = await controller.create('identities', {
    ...{ name: unique('ada'), type: 'Default', isAdmin: false },
  });
  await setRules([RULE]);
});

async function logIn(claims: Record<string, unknown>, at = controller): Promise<Tokens> {
  const client = new LoginClient(at, { bearers: [await signer.jwt(identityId, claims)] });
  const id = await client.begin({ method: 'ext-jwt' });
  return client.tokens(await client.ask('POST', '/oidc/login/ext-jwt', { form: { id } }));
}

/** Whether an access token is that of an administrator; its status when it does not count. */
async function isAdmin(token: string, at: TestController = controller): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'zt-session': '' };
  const path = '/edge/management/v1/current-identity';
  const { status, body } = await at.send<{ data: { isAdmin: boolean } }>('GET', path, { headers });
  if (status !== 200) return status;
  const listed = await at.send('GET', '/edge/management/v1/identities?limit=1', { headers });
  expect(listed.status === 200).toBe(body.data.isAdmin);
  return body.data.isAdmin;
}

const refresh = (tokens: Tokens, at: TestController = controller) =>
  new LoginClient(at).refresh(tokens.refresh_token);

const exchange = (tokens: Tokens) =>
  new LoginClient(controller).token({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: tokens.refresh_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:refresh_token',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  });

test('has the rights at each controller, after a refresh and an exchange as well', async () => {
  const tokens = await logIn(ADMIN);
  expect(await isAdmin(tokens.access_token)).toBe(true);
  expect(await isAdmin(tokens.access_token, other)).toBe(true);
  const exchanged = await exchange(tokens);
  expect(exchanged.status).toBe(200);
  expect(await isAdmin(String(exchanged.body.access_token))).toBe(true);
  const refreshed = await refresh(tokens, other);
  expect(await isAdmin(String(refreshed.body.access_token), other)).toBe(true);
});

test('has those of the last token that its login sent, while a code is missing', async () => {
  const policy = authPolicy({ secondary: { requireTotp: true } });
  const authPolicyId = await controller.create('auth-policies', policy);
  const person = { name: unique('ada'), type: 'Default', isAdmin: false, authPolicyId };
  identityId = await controller.create('identities', person);
  const client = new LoginClient(controller);
  const id = await client.begin({ method: 'ext-jwt' });
  for (const claims of [ADMIN, {}, ADMIN, ADMIN]) {
    const authorization = `Bearer ${await signer.jwt(identityId, claims)}`;
    const call = { form: { id }, headers: { authorization, accept: 'application/json' } };
    expect((await client.ask('POST', '/oidc/login/ext-jwt', call)).status).toBe(200);
    const { apiSessions } = await graph<{ apiSessions: { nodes: readonly object[] } }>(
      'query ($filter: String!) { apiSessions(filter: $filter) { nodes { grantedAdmin } } }',
      { filter: `identity = "${identityId}"` },
    );
    expect(apiSessions.nodes).toEqual([{ grantedAdmin: claims === ADMIN }]);
  }
});

test('a token without the claim gives none', async () => {
  const tokens = await logIn({ groups: ['staff'] });
  expect(await isAdmin(tokens.access_token)).toBe(false);
});

test('loses them with the rule, at all processes at once and at another controller soon', async () => {
  const tokens = await logIn(ADMIN);
  expect(await isAdmin(tokens.access_token, other)).toBe(true);
  await setRules([]);
  for (let i = 0; i < 6; i += 1) expect(await isAdmin(tokens.access_token)).toBe(401);
  await eventually(async () => {
    expect(await isAdmin(tokens.access_token, other)).toBe(401);
  });
  expect((await refresh(tokens)).status).toBe(400);
  expect((await refresh(tokens, other)).status).toBe(400);
  expect((await exchange(tokens)).status).toBe(400);
});

test('loses them with a later login elsewhere that does not claim them', async () => {
  const tokens = await logIn(ADMIN);
  expect(await isAdmin(tokens.access_token)).toBe(true);
  const later = await logIn({}, other);
  expect(await isAdmin(later.access_token, other)).toBe(false);
  await eventually(async () => {
    expect(await isAdmin(tokens.access_token)).toBe(401);
  });
});

test('first logins at two controllers at once create one identity', async () => {
  const outside = await OutsideSigner.create(unique('newcomers'));
  const id = await controller.create('external-jwt-signers', {
    ...outside.settings,
    useExternalId: true,
  });
  await graph(
    `mutation ($id: ID!) {
      updateExternalJwtSigner(id: $id, input: { createsIdentities: true }) { id } }`,
    { id },
  );
  signer = outside;
  identityId = unique('newcomer');
  const logins = await Promise.all([logIn({}), logIn({}, other), logIn({}, other), logIn({})]);
  const { identities } = await graph<{ identities: { nodes: readonly object[] } }>(
    'query ($filter: String!) { identities(filter: $filter) { nodes { externalId name } } }',
    { filter: `createdBySignerId = "${id}"` },
  );
  expect(identities.nodes).toEqual([{ externalId: identityId, name: identityId }]);
  for (const { access_token: token } of logins) expect(await isAdmin(token)).toBe(false);
});
