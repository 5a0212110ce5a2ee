import { expect } from '@jest/globals';
import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { connect } from 'node:tls';
import { x509 } from '../../../src/trust/pki/x509.js';
import { newLeaf } from '../auth/certificates.js';
import { call, outcome, unique } from '../auth/client.js';
import type { CertificateIssuer } from '../../../src/trust/pki/issue-certificate.js';
import type { Answer, Envelope, TestController } from '../../support/controller.js';

/* What clients do to join, and what administrators prepare for it. */

/** An enrollment as an identity shows it. */
export interface Invitation {
  readonly id: string;
  readonly token: string;
  readonly jwt: string;
}

export interface Invited extends Invitation {
  readonly identityId: string;
}

/** A new identity with one enrollment. */
export async function invite(
  controller: TestController,
  enrollment: Readonly<Partial<Record<'ott' | 'ottca' | 'updb', unknown>>>,
  identity: Record<string, unknown> = {},
): Promise<Invited> {
  const identityId = await controller.create('identities', {
    name: unique('device'),
    type: 'Default',
    isAdmin: false,
    enrollment,
    ...identity,
  });
  const shown = await identityOf(controller, identityId);
  const [invitation] = Object.values(shown.enrollment);
  if (!invitation) throw new Error('no enrollment');
  return { ...invitation, identityId };
}

export interface IdentityView {
  readonly id: string;
  readonly name: string;
  readonly typeId: string;
  readonly isAdmin: boolean;
  readonly externalId: string | null;
  readonly roleAttributes: string[] | null;
  readonly enrollment: Readonly<Record<string, Invitation>>;
  readonly authenticators: Readonly<Record<string, Record<string, unknown>>>;
}

export async function identityOf(controller: TestController, id: string): Promise<IdentityView> {
  const { body } = await controller.rest('GET', `/identities/${id}`);
  return body.data;
}

export async function identitiesWhere(
  controller: TestController,
  filter: string,
): Promise<IdentityView[]> {
  const { body } = await controller.rest('GET', `/identities?filter=${encodeURIComponent(filter)}`);
  return body.data;
}

/** A body as text under one of the media types of certificates and requests. */
export const enrollByText = (
  controller: TestController,
  query: string,
  body: string | Buffer,
  contentType = 'text/plain',
): Promise<Answer<Envelope>> =>
  controller.send('POST', `/edge/client/v1/enroll${query}`, {
    body,
    headers: { 'content-type': contentType },
  });

/** Certificates as an enrollment answers them. */
export const issuedIn = (
  answer: Answer<Envelope>,
): { readonly ca: string; readonly cert: string; readonly serverCert: string } => {
  if (answer.status !== 200) throw new Error(`not enrolled: ${answer.text}`);
  return answer.body.data;
};

/** The certificate that the controller shows in its handshake. */
export async function tlsLeaf({ port }: Pick<TestController, 'port'>): Promise<X509Certificate> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const leaf = socket.getPeerX509Certificate();
  socket.destroy();
  if (!leaf) throw new Error('no certificate of the controller');
  return leaf;
}

/** The authorities of the network as PEM, from where clients look for them first. */
export async function wellKnownAuthorities(
  controller: Pick<TestController, 'port'>,
): Promise<string> {
  const { status, text } = await call(controller, 'GET', '/.well-known/est/cacerts', {
    headers: { accept: 'application/pkcs7-mime' },
  });
  if (status !== 200) throw new Error(`no authorities: ${text}`);
  const certificates = new x509.X509Certificates(Buffer.from(text, 'base64'));
  return [...certificates].map((certificate) => certificate.toString('pem')).join('\n');
}

/** A connection that trusts nothing but `ca`. */
export const trusting = (ca: string, certificate: { cert?: string; key?: string } = {}): Agent =>
  new Agent({ ca, maxCachedSessions: 0, ...certificate });

const CA_SETTINGS = {
  identityRoles: [],
  isAuthEnabled: true,
  isAutoCaEnrollmentEnabled: false,
  isOttCaEnrollmentEnabled: false,
};

/** An authority of others that is known and not verified. */
export const addAuthority = (
  controller: TestController,
  { cert }: CertificateIssuer,
  settings: Record<string, unknown> = {},
): Promise<string> =>
  controller.create('cas', {
    name: unique('authority'),
    certPem: cert.toString(),
    ...CA_SETTINGS,
    ...settings,
  });

export const sendProof = (
  controller: TestController,
  id: string,
  pem: string,
): Promise<Answer<Envelope>> =>
  controller.send('POST', `/edge/management/v1/cas/${id}/verify`, {
    body: pem,
    headers: { 'content-type': 'text/plain', 'zt-session': controller.token },
  });

export async function verificationToken(controller: TestController, id: string): Promise<string> {
  const { body } = await controller.rest('GET', `/cas/${id}`);
  return (body.data as { verificationToken: string }).verificationToken;
}

/** An authority of others that may be used. */
export async function addVerified(
  controller: TestController,
  authority: CertificateIssuer,
  settings: Record<string, unknown> = {},
): Promise<string> {
  const id = await addAuthority(controller, authority, settings);
  const proof = await newLeaf(await verificationToken(controller, id), authority);
  const { status, text } = await sendProof(controller, id, proof.cert);
  if (status !== 200) throw new Error(`not verified: ${text}`);
  return id;
}

/** Exactly one of several uses works; gives the outcomes of the others. */
export async function losersOf(
  uses: Promise<Answer<Envelope>>[],
): Promise<[number, string | undefined][]> {
  const answers = await Promise.all(uses);
  const losers = answers.filter(({ status }) => status !== 200).map(outcome);
  expect(losers).toHaveLength(answers.length - 1);
  expect(losers.filter(([status]) => status >= 500)).toEqual([]);
  return losers;
}

/** For uses of one token. */
export async function expectOneToServe(uses: Promise<Answer<Envelope>>[]): Promise<void> {
  const codes = (await losersOf(uses)).map(([, code]) => code);
  expect(new Set(codes)).toEqual(new Set(['INVALID_ENROLLMENT_TOKEN']));
}
