import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { eventually } from '../../support/eventually.js';
import { MfaHolder } from '../../trust/auth/mfa-holder.js';
import { oneTimeCode } from '../../trust/auth/one-time-code.js';
import { newCsr, newKey } from '../../trust/auth/certificates.js';
import { PASSWORD } from '../../trust/auth/client.js';
import { LoginClient } from '../../trust/oidc/login-client.js';
import { certificatePem } from './certificates.js';
import type { SampleNetwork } from './network.js';
import type { RestRow } from '../../../rest-compat/index.js';
import type { SampleRequest } from './requests.js';

type Making = (network: SampleNetwork, row: RestRow) => Promise<Partial<SampleRequest>>;

/** Of somebody whose second factor is set up, with a code of now. */
const withFactor: Making = async ({ controller }) => {
  const holder = await MfaHolder.create(controller);
  const { recoveryCodes } = await holder.complete();
  // A one-time code works once, and the last one completed the factor.
  return { token: holder.token, body: { code: recoveryCodes[0] } };
};

const withOneTimeCode: Making = async ({ controller }) => {
  const holder = await MfaHolder.create(controller);
  const { secret } = await holder.complete();
  return { token: holder.token, body: { code: oneTimeCode(secret, new Date(), 1) } };
};

const withAccessToken: Making = async ({ controller }) => {
  const holder = await MfaHolder.create(controller);
  const client = new LoginClient(controller);
  const tokens = await client.logInByPassword(holder.person.username, PASSWORD);
  const { secret } = await holder.complete();
  return { token: tokens.access_token, body: { code: oneTimeCode(secret, new Date(), 1) } };
};

const withPendingFactor: Making = async ({ controller }) => {
  const holder = await MfaHolder.create(controller);
  const { secret } = await holder.begin();
  return { token: holder.token, body: { code: oneTimeCode(secret) } };
};

const withoutBody =
  (making: Making): Making =>
  async (network, row) => {
    const { token } = await making(network, row);
    return token === undefined ? {} : { token };
  };

const withSessionCertificate: Making = async ({ controller }) => {
  const { token } = await MfaHolder.create(controller);
  const csr = await newCsr(newKey());
  const path = '/edge/client/v1/current-api-session/certificates';
  const { body } = await controller.rest('POST', path, { csr }, { 'zt-session': token });
  return { token, path: { id: (body.data as { id: string }).id } };
};

const withPassword =
  (input: Record<string, unknown>): Making =>
  async ({ controller }) => {
    const { token, person } = await MfaHolder.create(controller);
    return {
      token,
      path: { id: person.authenticatorId },
      body: { currentPassword: PASSWORD, username: person.username, ...input },
    };
  };

const withCertificate: Making = async (network) => {
  const identityId = await network.create('Identity');
  const certPem = await certificatePem(network.unique());
  const id = await network.controller.create('authenticators', {
    identityId,
    method: 'cert',
    certPem,
  });
  return { path: { id }, body: {} };
};

/** The token of an enrollment that waits for a new identity or router. */
async function invited(
  { controller, unique }: SampleNetwork,
  collection: string,
  input: Record<string, unknown>,
): Promise<{ id: string; token: string }> {
  const id = await controller.create(collection, { name: unique(), ...input });
  const { body } = await controller.rest('GET', `/${collection}/${id}`);
  const { enrollment, enrollmentToken } = body.data as {
    enrollment?: Record<string, { token: string }>;
    enrollmentToken?: string;
  };
  return { id, token: enrollmentToken ?? Object.values(enrollment ?? {})[0]?.token ?? '' };
}

const PERSON = { type: 'Default', isAdmin: false };

const byToken: Making = async (network) => {
  const { token } = await invited(network, 'identities', { ...PERSON, enrollment: { ott: true } });
  return { query: { token }, body: { clientCsr: await newCsr(newKey()) } };
};

const byPassword: Making = async (network) => {
  const enrollment = { updb: network.unique() };
  const { token } = await invited(network, 'identities', { ...PERSON, enrollment });
  return { query: { token }, body: { password: PASSWORD } };
};

const asRouter: Making = async (network) => {
  const { id, token } = await invited(network, 'edge-routers', { isTunnelerEnabled: false });
  const csr = await newCsr(newKey(), `CN=${id}`);
  return { query: { token }, body: { certCsr: csr, serverCertCsr: csr } };
};

const challenge: Making = async ({ controller }) => {
  const { body } = await controller.rest('GET', '/edge/client/v1/enroll/jwks');
  const [key] = (body as unknown as { keys: { kid: string }[] }).keys;
  return { body: { keyId: key?.kid, nonce: randomUUID() } };
};

/** One run at a time: the one of another row has to end first. */
const afterTheRun: Making = async ({ controller }) => {
  await eventually(async () => {
    const { body } = await controller.rest('GET', '/database/data-integrity-results');
    if ((body.data as { inProgress: boolean }).inProgress) throw new Error('it still runs');
  });
  return {};
};

/** As if the last one were a minute ago. */
const afterAMinute: Making = async ({ controller }) => {
  const client = new pg.Client({ connectionString: controller.databaseUrl });
  await client.connect();
  await client.query("delete from lease where name = 'snapshot'");
  await client.end();
  return {};
};

/** The management interface has rows of the same path, which any session in the network serves. */
const dialled: Making = async (network, row) => {
  if (!row.on.includes('client')) return {};
  const { id, token } = await network.dial();
  return { token, path: { id } };
};

const report = { id: 'some-check', typeId: 'OS', type: 'Linux', version: '6.1.0', build: '1' };

interface Requester {
  readonly token: string;
  readonly offerId: string;
}

/** Somebody logged in, with an offer. */
async function requester(network: SampleNetwork, approval = 'REQUIRED'): Promise<Requester> {
  const { token, identityId } = await network.login();
  const offerId = await network.controller.create('access-offers', {
    ...{ name: network.unique(), roleAttribute: network.unique(), approval },
    ...{ requesterRoles: [`@${identityId}`], approverRoles: [], maxMinutes: 60 },
  });
  return { token, offerId };
}

/** A request of somebody. */
async function asked(
  network: SampleNetwork,
  approval?: string,
): Promise<Requester & { readonly id: string }> {
  const { token, offerId } = await requester(network, approval);
  const path = '/edge/client/v1/access-requests';
  const input = { offerId, reason: 'an outage', minutes: 5 };
  const { body } = await network.controller.rest('POST', path, input, { 'zt-session': token });
  return { token, offerId, id: (body.data as { id: string }).id };
}

const OWN = '/current-identity/authenticators/{id}';
const MFA = '/current-identity/mfa';
const SESSIONS = '/sessions';
const CERTIFICATES = '/current-api-session/certificates';

/** Requests that need somebody in a state of its own, by method and path. */
export const OWN_REQUESTS: Readonly<Record<string, Making>> = {
  'POST /database/check-data-integrity': afterTheRun,
  'POST /database/fix-data-integrity': afterTheRun,
  'POST /database': afterAMinute,
  'POST /database/snapshot': afterAMinute,
  'POST /inspections': () =>
    Promise.resolve({ body: { appRegex: '^none$', requestedValues: ['links'] } }),
  'GET /access': (network) =>
    Promise.resolve({
      query: {
        identityId: network.idOf('Identity'),
        serviceId: network.idOf('Service'),
        type: 'Dial',
      },
    }),
  'GET /access-diff': () => Promise.resolve({ query: { from: new Date().toISOString() } }),
  'GET /unused-access': () => Promise.resolve({ query: { since: new Date().toISOString() } }),
  'GET /search': () => Promise.resolve({ query: { text: 'admin' } }),
  'POST /access-requests': async (network) => {
    const { token, offerId } = await requester(network);
    return { token, body: { offerId, reason: 'an outage', minutes: 5 } };
  },
  'GET /access-requests/{id}/effect': async (network) => ({
    path: { id: (await asked(network)).id },
  }),
  'POST /access-requests/{id}/cancel': async (network) => {
    const { token, id } = await asked(network);
    return { token, path: { id } };
  },
  'POST /access-requests/{id}/approve': async (network) => ({
    path: { id: (await asked(network)).id },
    body: {},
  }),
  'POST /access-requests/{id}/deny': async (network) => ({
    path: { id: (await asked(network)).id },
    body: {},
  }),
  'POST /access-requests/{id}/revoke': async (network) => ({
    path: { id: (await asked(network, 'NONE')).id },
    body: {},
  }),
  'POST /access-requests/{id}/review': async (network) => ({
    path: { id: (await asked(network, 'BREAK_GLASS')).id },
    body: {},
  }),
  'POST /access-reviews': (network) => Promise.resolve({ body: { name: network.unique() } }),
  'POST /access-reviews/{id}/decisions': () => Promise.resolve({ body: { decisions: [] } }),
  'POST /access-reviews/{id}/finish': async (network) => {
    const review = { name: network.unique(), identityFilter: 'name = "nobody of this name"' };
    return { path: { id: await network.controller.create('access-reviews', review) } };
  },
  'POST /directories/{id}/delete-with-users': async (network) => ({
    path: { id: await network.create('Directory') },
    body: {},
  }),
  'POST /simulate': () => Promise.resolve({ body: { changes: [] } }),
  'POST /apply-changes': () => Promise.resolve({ body: { changes: [], reason: 'known' } }),
  'POST /revert-changes': () => Promise.resolve({ body: { ids: [] } }),
  'POST /findings/{id}/mute': async (network) => ({
    path: { id: await network.finding() },
    body: { reason: 'known' },
  }),
  'POST /findings/{id}/unmute': async (network) => ({
    path: { id: await network.mutedFinding() },
  }),
  'POST /enroll': byToken,
  'POST /enroll/ott': byToken,
  'POST /enroll/updb': byPassword,
  'POST /enroll/erott': asRouter,
  'POST /enroll/challenge': challenge,
  'POST /sessions': async (network) => {
    const { token, serviceId } = await network.dialler();
    return { token, body: { serviceId, type: 'Dial' } };
  },
  [`GET ${SESSIONS}`]: withoutBody(dialled),
  [`GET ${SESSIONS}/{id}`]: dialled,
  [`DELETE ${SESSIONS}/{id}`]: dialled,
  'POST /posture-response': () => Promise.resolve({ body: report }),
  'POST /posture-response-bulk': () => Promise.resolve({ body: [report] }),
  'POST /authenticate/mfa': withOneTimeCode,
  'POST /current-api-session/totp-token': withAccessToken,
  [`GET ${MFA}`]: withoutBody(withPendingFactor),
  [`POST ${MFA}`]: async (network) => ({ token: (await network.login()).token }),
  [`DELETE ${MFA}`]: withFactor,
  [`POST ${MFA}/verify`]: withPendingFactor,
  [`GET ${MFA}/qr-code`]: withoutBody(withPendingFactor),
  [`GET ${MFA}/recovery-codes`]: withOneTimeCode,
  [`POST ${MFA}/recovery-codes`]: withOneTimeCode,
  [`GET ${CERTIFICATES}`]: withoutBody(withSessionCertificate),
  [`GET ${CERTIFICATES}/{id}`]: withSessionCertificate,
  [`DELETE ${CERTIFICATES}/{id}`]: withSessionCertificate,
  [`POST ${CERTIFICATES}`]: async () => ({ body: { csr: await newCsr(newKey()) } }),
  [`GET ${OWN}`]: async (network, row) => {
    const { token, path } = await withPassword({})(network, row);
    return { token: token ?? '', path: path ?? {} };
  },
  [`PUT ${OWN}`]: withPassword({ password: 'another good password' }),
  [`PATCH ${OWN}`]: withPassword({ password: 'another good password' }),
  [`POST ${OWN}/extend`]: async () => ({ body: { clientCertCsr: await newCsr(newKey()) } }),
  [`POST ${OWN}/extend-verify`]: async () => ({
    body: { clientCert: await certificatePem('extended') },
  }),
  'POST /authenticators/{id}/re-enroll': async (network) => ({
    path: { id: await network.create('Authenticator') },
    body: { expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
  }),
  'POST /authenticators/{id}/request-extend': withCertificate,
};
