import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { pino } from 'pino';
import { loadConfig } from '../../../src/programs/configuration.js';
import { startHeartbeat } from '../../../src/programs/controller/heartbeat.js';
import { parseCertificatePem } from '../../../src/trust/pki/index.js';
import type { Row } from '../../../src/base/row.js';
import { newCsr, newKey } from '../../trust/auth/certificates.js';
import { newUser } from '../../trust/auth/in-process-logins.js';
import { beginFactor } from '../../trust/auth/in-process-mfa.js';
import { oneTimeCode } from '../../trust/auth/one-time-code.js';
import { OutsideSigner } from '../../trust/auth/signers.js';
import type { TwoControllers } from '../../network/presence/two-controllers.js';
import { PLAIN_PASSWORDS } from '../../support/auth-settings.js';
import { InProcessRest, type InProcess, type RestAnswer } from '../../support/in-process.js';
import type { AnswerName } from './client-reads.js';

/* The answers that clients read, of a network in which each list has an entry. */

const CLIENT = '/edge/client/v1';
const MINUTE = 60_000;

/** The answers, and the metas of those that are pages. */
export interface ClientAnswers {
  readonly answers: Readonly<Record<AnswerName, unknown>>;
  readonly pages: Readonly<Record<string, unknown>>;
  /** As it is written in the answer to an enrollment. */
  readonly contentType: string | undefined;
}

type Send = (method: string, path: string, body?: unknown) => Promise<RestAnswer>;

/** A client with a session. */
interface Client {
  readonly id: string;
  readonly token: string;
  readonly send: Send;
}

class Clients {
  constructor(
    readonly network: TwoControllers,
    readonly rest: InProcessRest,
  ) {}

  get on(): InProcess {
    return this.network.first;
  }

  /** Requests of a client; without a token it has no session yet. */
  readonly sending =
    (token = '', headers: Record<string, string> = {}): Send =>
    (method, path, body) =>
      this.rest.send(method, `${CLIENT}${path}`, body, { 'zt-session': token, ...headers });

  async client(identity: Row = {}): Promise<Client> {
    const id = await this.on.create('Identity', {
      name: this.network.unique('client'),
      type: 'Default',
      isAdmin: false,
      roleAttributes: ['clients'],
      defaultHostingCost: 7,
      appData: { site: 'Berlin' },
      ...identity,
    });
    const { token } = await this.on.openSession(id);
    return { id, token, send: this.sending(token) };
  }

  async enrollment(method: 'ott' | 'updb'): Promise<{ token: string; jwt: string }> {
    const { id } = await this.client();
    const input = { identityId: id, method, expiresAt: '2999-01-01T00:00:00Z' };
    const username = method === 'updb' ? { username: this.network.unique('user') } : {};
    const { made } = await this.on.read<{ made: { token: string; jwt: string } }>(
      'mutation ($input: CreateEnrollmentInput!) { made: createEnrollment(input: $input) { token jwt } }',
      { input: { ...input, ...username } },
    );
    return made;
  }
}

const data = ({ status, body }: RestAnswer): never => {
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body.data;
};
const refusal = ({ status, body }: RestAnswer): unknown => {
  if (status < 400) throw new Error(`status ${String(status)}`);
  return body.error;
};

/** A service with checks of every type, a router and a terminator, for clients and by them. */
async function addService({ on, network }: Clients): Promise<string> {
  const checks: Row[] = [
    { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: [] }] },
    { typeId: 'DOMAIN', domains: ['example.com'] },
    { typeId: 'MAC', macAddresses: ['00:11:22:33:44:55'] },
    { typeId: 'MFA', timeoutSeconds: 600, promptOnWake: true },
    { typeId: 'PROCESS', process: { osType: 'Linux', path: '/bin/a', hashes: [] } },
    {
      typeId: 'PROCESS_MULTI',
      semantic: 'AnyOf',
      processes: [{ osType: 'Linux', path: '/bin/a', hashes: [], signerFingerprints: [] }],
    },
  ];
  for (const check of checks) {
    const name = network.unique('check');
    await on.create('PostureCheck', { name, roleAttributes: ['checks'], ...check });
  }
  const configId = await on.create('Config', {
    name: network.unique('config'),
    configTypeId: 'NH5p4FpGR',
    data: { protocol: 'tcp', address: 'localhost', port: 80 },
  });
  const serviceId = await on.create('Service', {
    name: network.unique('service'),
    encryptionRequired: true,
    configs: [configId],
  });
  const policy = (resource: string, input: Row): Promise<string> =>
    on.create(resource, { name: network.unique('policy'), semantic: 'AnyOf', ...input });
  for (const type of ['Dial', 'Bind']) {
    await policy('ServicePolicy', {
      type,
      identityRoles: ['#clients'],
      serviceRoles: ['#all'],
      postureCheckRoles: type === 'Dial' ? ['#checks'] : [],
    });
  }
  const edgeRouterRoles = ['#all'];
  await policy('EdgeRouterPolicy', { identityRoles: ['#all'], edgeRouterRoles });
  await policy('ServiceEdgeRouterPolicy', { serviceRoles: ['#all'], edgeRouterRoles });
  const router = await network.router();
  await on.parts.presence.connect({ ...router });
  await on.create('Terminator', {
    service: serviceId,
    router: router.routerId,
    binding: 'edge',
    address: 'terminator-1',
    identity: 'instance-1',
  });
  return serviceId;
}

/** What a client reads at its start, and on its way to a service. */
async function ofServices(
  clients: Clients,
  serviceId: string,
): Promise<{ answers: Partial<Record<AnswerName, unknown>>; pages: Record<string, unknown> }> {
  const { id, send } = await clients.client({ serviceHostingCosts: { [serviceId]: 3 } });
  const pages: Record<string, unknown> = {};
  const page = async (name: string, path: string, by = send): Promise<unknown> => {
    const answer = await by('GET', path);
    pages[name] = answer.body.meta;
    return data(answer);
  };
  const signer = await OutsideSigner.create('issuer-of-signers');
  await clients.on.create('ExternalJwtSigner', { ...signer.settings, enrollToCertEnabled: true });
  const session: { readonly id: string } = data(
    await send('POST', '/sessions', { serviceId, type: 'Bind' }),
  );
  const answers = {
    'GET /version': data(await clients.sending()('GET', '/version')),
    'GET /current-api-session': data(await send('GET', '/current-api-session')),
    'GET /current-identity': data(await send('GET', '/current-identity')),
    'GET /current-identity/edge-routers': await page(
      'routers',
      '/current-identity/edge-routers?limit=25&offset=0',
    ),
    'GET /current-api-session/service-updates': data(
      await send('GET', '/current-api-session/service-updates'),
    ),
    'GET /services': await page('services', '/services?configTypes=all&limit=25&offset=0'),
    'GET /services/{id}/edge-routers': data(
      await send('GET', `/services/${serviceId}/edge-routers`),
    ),
    'GET /services/{id}/terminators': await page(
      'terminators',
      `/services/${serviceId}/terminators`,
    ),
    'POST /sessions': data(await send('POST', '/sessions', { serviceId, type: 'Bind' })),
    'GET /sessions/{id}': data(await send('GET', `/sessions/${session.id}`)),
    'GET /controllers': await page('controllers', '/controllers'),
    'GET /external-jwt-signers': await page('signers', '/external-jwt-signers', clients.sending()),
    'GET /network-jwts': data(await clients.sending()('GET', '/network-jwts')),
    'POST /posture-response': data(
      await send('POST', '/posture-response', { id: '0', typeId: 'ENDPOINT_STATE', woken: true }),
    ),
    'a refusal for a member': refusal(await send('POST', '/sessions', { type: 'Dial' })),
    'a refusal of a service': refusal(await send('POST', '/sessions', { serviceId: id })),
  };
  return { answers, pages };
}

/** Logins, and the certificates that clients ask for. */
async function ofLogins(clients: Clients): Promise<Partial<Record<AnswerName, unknown>>> {
  const { on, network, sending } = clients;
  const user = await newUser(on, network.unique('user'));
  const authPolicyId = await on.create('AuthPolicy', {
    name: network.unique('policy'),
    primary: {
      cert: { allowed: false, allowExpiredCerts: false },
      extJwt: { allowed: false, allowedSigners: [] },
      updb: PLAIN_PASSWORDS,
    },
    secondary: { requireTotp: true, requireExtJwtSigner: null },
  });
  const careful = await newUser(on, network.unique('user'), { authPolicyId });
  const logIn = ({ username, password }: typeof user): Promise<RestAnswer> =>
    sending()('POST', '/authenticate?method=password', { username, password });
  const { send } = await clients.client();
  return {
    'POST /authenticate': data(await logIn(user)),
    'POST /authenticate, with a second factor to come': data(await logIn(careful)),
    'a refusal of a login': refusal(await logIn({ ...user, password: 'another one' })),
    'POST /current-api-session/certificates': data(
      await send('POST', '/current-api-session/certificates', { csr: await newCsr(newKey()) }),
    ),
  };
}

/** The second factor from its beginning to its recovery codes. */
async function ofSecondFactor(clients: Clients): Promise<Partial<Record<AnswerName, unknown>>> {
  const { send, token } = await clients.client();
  const { secret } = await beginFactor(clients.on, token);
  const pending = data(await send('GET', '/current-identity/mfa'));
  const { clock } = clients.network;
  const nextCode = (): string => {
    clock.advance(MINUTE);
    return oneTimeCode(secret, clock.now());
  };
  data(await send('POST', '/current-identity/mfa/verify', { code: nextCode() }));
  const withCode = clients.sending(token, { 'mfa-validation-code': nextCode() });
  return {
    'GET /current-identity/mfa': pending,
    'GET /current-identity/mfa, verified': data(await send('GET', '/current-identity/mfa')),
    'GET /current-identity/mfa/recovery-codes': data(
      await withCode('GET', '/current-identity/mfa/recovery-codes'),
    ),
  };
}

async function ofEnrollments(
  clients: Clients,
): Promise<{ answers: Partial<Record<AnswerName, unknown>>; contentType: string | undefined }> {
  const { on, sending } = clients;
  const [ott, updb] = [await clients.enrollment('ott'), await clients.enrollment('updb')];
  const clientCsr = await newCsr(newKey());
  const enrolled = await sending()('POST', `/enroll?method=ott&token=${ott.token}`, { clientCsr });
  const signer = await OutsideSigner.create('issuer-of-enrollments');
  await on.create('ExternalJwtSigner', { ...signer.settings, enrollToCertEnabled: true });
  const authorization = `Bearer ${await signer.jwt('a-subject')}`;
  const { cert }: { readonly cert: string } = data(enrolled);
  const answers = {
    'POST /enroll, ott': data(enrolled),
    'POST /enroll, updb': data(
      await sending()('POST', `/enroll?method=updb&token=${updb.token}`, {
        password: 'a long one',
      }),
    ),
    'POST /enroll/token': data(
      await sending('', { authorization })('POST', '/enroll/token', { clientCsr }),
    ),
    'the claims of an enrollment token': decodeJwt(ott.jwt),
    'a refusal of an enrollment': refusal(
      await sending()('POST', `/enroll?method=ott&token=${randomUUID()}`, { clientCsr }),
    ),
    'POST /current-identity/authenticators/{id}/extend': await extension(clients, cert),
  };
  return { answers, contentType: enrolled.headers['content-type'] };
}

/** A client extends the certificate with which it logs in. */
async function extension({ rest, sending }: Clients, cert: string): Promise<unknown> {
  [rest.certificate] = parseCertificatePem(cert);
  const session: { readonly token: string; readonly authenticatorId: string } = data(
    await sending()('POST', '/authenticate?method=cert', {}),
  );
  const path = `/current-identity/authenticators/${session.authenticatorId}/extend`;
  const body = { clientCertCsr: await newCsr(newKey()) };
  const answer = await sending(session.token)('POST', path, body);
  rest.certificate = undefined;
  return data(answer);
}

/** Registers the controller, as its start does. */
async function register({ folder, parts }: InProcess): Promise<void> {
  const { stop } = await startHeartbeat({
    store: parts.store,
    now: () => new Date(),
    config: loadConfig({ OVERGRAPH_DATA_DIR: folder }),
    log: pino({ level: 'silent' }),
    keys: () => parts.keys,
    vitals: () => ({ version: 'v1.6.20', processCount: 1, feedSilenceMillis: 0 }),
  });
  await stop();
}

/** Asks for all answers. */
export async function clientAnswers(network: TwoControllers): Promise<ClientAnswers> {
  const rest = await InProcessRest.listen(network.first, await network.first.defaultAdminId());
  try {
    await register(network.first);
    const clients = new Clients(network, rest);
    const services = await ofServices(clients, await addService(clients));
    const enrollments = await ofEnrollments(clients);
    const answers = {
      ...services.answers,
      ...(await ofLogins(clients)),
      ...(await ofSecondFactor(clients)),
      ...enrollments.answers,
    } as Record<AnswerName, unknown>;
    return { answers, pages: services.pages, contentType: enrollments.contentType };
  } finally {
    await rest.stop();
  }
}
