import { checkPassword, hashPassword } from '../auth/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { failure, invalidField } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import type { ValuesOf } from '../../kernel/declare/rows.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { insertIn, originOf } from '../../kernel/write/write.js';
import type { KeyMaterial } from '../pki/index.js';
import { certifyKey } from './certify-key.js';
import { isOutstanding, memberOf, consumeEnrollment } from './take-enrollment.js';

/** Certificates of an enrollment, as PEM. */
export interface EnrolledCertificates {
  /** The authorities to trust. */
  readonly ca: string;
  /** The certificate with its intermediates. */
  readonly cert: string;
  readonly serverCert?: string;
}

/** The login that an enrollment gives. */
export interface EnrolledPassword {
  readonly username: string;
}

/** Enrolls an identity by one-time token: certifies its key. */
export async function enrollOtt(
  ctx: RequestContext,
  keys: KeyMaterial,
  token: string,
  csr: string | undefined,
): Promise<EnrolledCertificates> {
  return ctx.store.write(originOf(ctx), async (tx) => {
    const enrollment = await consumeEnrollment(ctx, tx, token, 'ott');
    if (csr === undefined || csr === '') throw failure('MISSING_OR_INVALID_CSR');
    return certify(ctx, tx, keys, memberOf(enrollment, 'identityId'), csr);
  });
}

/** Issues a certificate for an identity and makes it its authenticator. */
export async function certify(
  ctx: RequestContext,
  tx: Transaction,
  keys: KeyMaterial,
  identityId: string,
  csr: string,
): Promise<EnrolledCertificates> {
  const issued = await certifyKey(ctx, tx, keys, {
    csrPem: csr,
    profile: { kind: 'identity', identityId },
    holder: { type: 'Identity', id: identityId },
  });
  await addAuthenticator(ctx, tx, {
    identityId,
    method: 'cert',
    fingerprint: issued.fingerprint,
    certPem: issued.certificatePem,
    isIssuedByNetwork: true,
  });
  return { ca: keys.caBundlePem, cert: issued.chainPem };
}

/** Adds an authenticator; each identity has at most one of each method. */
export async function addAuthenticator(
  ctx: RequestContext,
  tx: Transaction,
  values: ValuesOf<'Authenticator'> & {
    readonly identityId: string;
    readonly method: 'cert' | 'updb';
  },
): Promise<void> {
  const authenticators = ctx.catalog.resources.Authenticator;
  const { identityId, method } = values;
  const [existing] = await tx.find(authenticators, { identityId, method });
  if (existing) throw failure('ENROLLMENT_IDENTITY_ALREADY_ENROLLED');
  await insertIn(tx, authenticators, { id: newId(), ...values });
}

/**
 * Enrolls an identity by one-time token with a password. The enrollment has the username, which
 * clients take from the answer for their login.
 */
export async function enrollUpdb(
  ctx: RequestContext,
  token: string,
  password: string | undefined,
): Promise<EnrolledPassword> {
  if (password === undefined || password === '') {
    throw invalidField('password', 'password in body is required', '');
  }
  // Hashing is expensive, so an invented token is refused first.
  if (!(await isOutstanding(ctx, token))) throw failure('INVALID_ENROLLMENT_TOKEN');
  const passwordHash = await hashPassword(password);
  return ctx.store.write(originOf(ctx), async (tx) => {
    const enrollment = await consumeEnrollment(ctx, tx, token, 'updb');
    const identityId = memberOf(enrollment, 'identityId');
    await checkAgainstPolicy(ctx, tx, identityId, password);
    const username = memberOf(enrollment, 'username');
    await addAuthenticator(ctx, tx, { identityId, method: 'updb', username, passwordHash });
    return { username };
  });
}

async function checkAgainstPolicy(
  ctx: RequestContext,
  tx: Transaction,
  id: string,
  password: string,
): Promise<void> {
  const [identity] = await tx.find(ctx.catalog.resources.Identity, { id });
  if (!identity) return;
  const [policy] = await tx.find(ctx.catalog.resources.AuthPolicy, { id: identity.authPolicyId });
  if (policy) checkPassword(policy.primary.updb, password);
}
