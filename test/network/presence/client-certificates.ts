import type { Row } from '../../../src/base/row.js';
import type { RequestContext } from '../../../src/kernel/request/context.js';
import { fingerprint, parseCertificatePem } from '../../../src/trust/pki/index.js';
import { newAuthority, newCsr, newKey, newLeaf } from '../../trust/auth/certificates.js';
import { inSession } from '../../trust/auth/in-process-logins.js';
import { COMMON_NAME_CLAIM } from '../../support/auth-settings.js';
import type { InProcess } from '../../support/in-process.js';

/* Each way in which a client comes to a certificate, and the login with it. */

/** A session, and the certificate that its client shows to the controller and to routers. */
export interface CertifiedSession {
  readonly id: string;
  readonly token: string;
  readonly identityId: string;
  /** As PEM, with its chain. */
  readonly chain: string;
}

export const fingerprintOf = (chain: string): string => fingerprint(parseCertificatePem(chain)[0]);

let count = 0;
const next = (): string => `client ${String((count += 1))}`;

const showing = (chain: string): RequestContext['credentials'] => ({
  bearers: [],
  clientChain: () => parseCertificatePem(chain).map(({ raw }) => raw),
});

/** A request over a connection with this certificate. */
const over = (on: InProcess, chain: string): RequestContext =>
  on.parts.contexts.make('127.0.0.1', undefined, { credentials: showing(chain) });

/** Logs in with the certificate. */
export async function logInWith(on: InProcess, chain: string): Promise<CertifiedSession> {
  const { authenticate } = await on.read<{ authenticate: Omit<CertifiedSession, 'chain'> }>(
    'mutation { authenticate(method: "cert", input: {}) { id token identityId } }',
    {},
    over(on, chain),
  );
  return { ...authenticate, chain };
}

const ENROLL = `mutation ($method: String!, $input: EnrollInput!) {
  enroll(method: $method, input: $input) { cert } }`;

interface Invitation {
  readonly method: 'ott' | 'ottca';
  readonly caId?: string;
}

async function invite(on: InProcess, invitation: Invitation): Promise<string> {
  const identityId = await on.create('Identity', {
    name: next(),
    type: 'Default',
    isAdmin: false,
  });
  const { createEnrollment } = await on.read<{ createEnrollment: { token: string } }>(
    'mutation ($input: CreateEnrollmentInput!) { createEnrollment(input: $input) { token } }',
    { input: { identityId, expiresAt: '2999-01-01T00:00:00Z', ...invitation } },
  );
  return createEnrollment.token;
}

/** Enrolls a new identity with a certificate of the network. */
export async function enrolled(on: InProcess): Promise<string> {
  const input = { token: await invite(on, { method: 'ott' }), clientCsr: await newCsr(newKey()) };
  const { enroll } = await on.read<{ enroll: { cert: string } }>(
    ENROLL,
    { method: 'ott', input },
    on.anonymous(),
  );
  return enroll.cert;
}

/** Replaces the certificate of a session's identity by a new one, and confirms it. */
export async function extended(on: InProcess, session: CertifiedSession): Promise<string> {
  const caller = await inSession(on, session.token);
  const ctx = { ...caller, credentials: showing(session.chain) };
  const { authenticators } = await on.read<{ authenticators: { nodes: { id: string }[] } }>(
    'query ($identity: String!) { authenticators(where: { identityId: { eq: $identity } }) { nodes { id } } }',
    { identity: session.identityId },
  );
  const id = authenticators.nodes[0]?.id;
  const { made } = await on.read<{ made: { clientCert: string } }>(
    'mutation ($id: ID!, $csr: String!) { made: extendCurrentAuthenticator(id: $id, csr: $csr) { clientCert } }',
    { id, csr: await newCsr(newKey()) },
    ctx,
  );
  await on.read(
    'mutation ($id: ID!, $pem: String!) { confirmCurrentAuthenticator(id: $id, certificate: $pem) }',
    { id, pem: made.clientCert },
    ctx,
  );
  return made.clientCert;
}

/** A verified authority of others. */
export class OtherAuthority {
  private constructor(
    readonly id: string,
    private readonly issuer: Awaited<ReturnType<typeof newAuthority>>,
  ) {}

  static async add(on: InProcess, settings: Row = {}): Promise<OtherAuthority> {
    const issuer = await newAuthority(next());
    const input = {
      name: next(),
      certPem: issuer.cert.toString(),
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: true,
      isOttCaEnrollmentEnabled: true,
      identityRoles: [],
      ...settings,
    };
    const { made } = await on.read<{ made: { id: string; verificationToken: string } }>(
      `mutation ($input: CreateCertificateAuthorityInput!) {
        made: createCertificateAuthority(input: $input) { id verificationToken } }`,
      { input },
    );
    await on.read(
      'mutation ($id: ID!, $pem: String!) { verifyCertificateAuthority(id: $id, certificate: $pem) }',
      { id: made.id, pem: (await newLeaf(made.verificationToken, issuer)).cert },
    );
    return new OtherAuthority(made.id, issuer);
  }

  static naming(on: InProcess): Promise<OtherAuthority> {
    return OtherAuthority.add(on, { externalIdClaim: COMMON_NAME_CLAIM });
  }

  async leaf(commonName = next()): Promise<string> {
    return (await newLeaf(commonName, this.issuer)).cert;
  }
}

/** A certificate whose common name is the external id of a new identity. */
export async function externallyNamed(on: InProcess): Promise<string> {
  const externalId = next();
  await on.create('Identity', { name: next(), type: 'Default', isAdmin: false, externalId });
  return (await OtherAuthority.naming(on)).leaf(externalId);
}

/** Enrolls with a certificate of another authority. */
async function enrollShowing(
  on: InProcess,
  chain: string,
  method: 'ottca' | 'ca',
  input: Row,
): Promise<string> {
  await on.read(ENROLL, { method, input }, over(on, chain));
  return chain;
}

/** The ways to a certificate that logs in; each gives the certificate. */
export const WAYS: readonly (readonly [string, (on: InProcess) => Promise<string>])[] = [
  ['enrolled by a one-time token', enrolled],
  ['extended', async (on) => extended(on, await logInWith(on, await enrolled(on)))],
  [
    'enrolled by a one-time token with a certificate of another authority',
    async (on) => {
      const authority = await OtherAuthority.add(on);
      const token = await invite(on, { method: 'ottca', caId: authority.id });
      return enrollShowing(on, await authority.leaf(), 'ottca', { token });
    },
  ],
  ['named by another authority with its external id', externallyNamed],
  [
    'enrolled automatically by another authority',
    async (on) => {
      const authority = await OtherAuthority.add(on);
      return enrollShowing(on, await authority.leaf(), 'ca', { name: next() });
    },
  ],
  [
    'enrolled automatically by another authority that names external ids',
    async (on) => {
      const authority = await OtherAuthority.naming(on);
      return enrollShowing(on, await authority.leaf(), 'ca', { name: next() });
    },
  ],
];
