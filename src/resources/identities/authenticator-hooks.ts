import { checkPassword, hashPassword } from '../../trust/auth/index.js';
import { failure, invalidField } from '../../base/errors.js';
import type { Hooks, Write } from '../../kernel/declare/resource.js';
import { present } from '../../kernel/declare/rows.js';
import { fingerprint, parseCertificatePem } from '../../trust/pki/index.js';
import { issuingAuthority } from '../trust/issuing-authority.js';

async function validate(write: Write<'Authenticator'>): Promise<void> {
  const { verb, values, current } = write;
  const method = values.method ?? current.method;
  if (method !== 'updb' && method !== 'cert') {
    throw invalidField('method', 'method in body should be one of [updb cert]', method);
  }
  if (verb === 'create') await refuseSecond(write);
  if (method === 'updb') await validatePassword(write);
  else await validateCertificate(write);
}

/** A complete body of a password authenticator needs both members. */
async function validatePassword(write: Write<'Authenticator'>): Promise<void> {
  const { verb, values, input } = write;
  if (verb !== 'update') {
    for (const name of ['username', 'password']) {
      if ((input[name] ?? null) === null) {
        throw invalidField(name, `${name} in body is required`, '');
      }
    }
  }
  if (values.username === null) delete values.username;
  delete values.certPem;
  if (typeof values.password !== 'string') return;
  await checkAgainstPolicy(write, values.password);
  values.passwordHash = await hashPassword(values.password);
}

/** The password rules of the identity's auth policy hold for every writer. */
async function checkAgainstPolicy(
  { ctx, tx, values, current }: Write<'Authenticator'>,
  password: string,
): Promise<void> {
  const { identityId: id } = present({ ...current, ...values }, 'identityId');
  const [identity] = await tx.find(ctx.catalog.resources.Identity, { id });
  if (!identity) return;
  const [policy] = await tx.find(ctx.catalog.resources.AuthPolicy, { id: identity.authPolicyId });
  if (policy) checkPassword(policy.primary.updb, password);
}

async function validateCertificate({
  verb,
  ctx,
  tx,
  values,
}: Write<'Authenticator'>): Promise<void> {
  if (verb !== 'create') throw failure('CAN_NOT_UPDATE_AUTHENTICATOR');
  const pem = values.certPem;
  if (typeof pem !== 'string' || pem === '') {
    throw invalidField('certPem', 'certPem in body is required', '');
  }
  const chain = parseCertificatePem(pem);
  if (chain.length !== 1) {
    throw invalidField('certPem', 'must be exactly one certificate', chain.length);
  }
  values.fingerprint = fingerprint(chain[0]);
  values.caId = (await issuingAuthority(ctx, tx, chain[0])) ?? null;
  values.username = null;
}

/** Each identity has at most one authenticator of each method. */
async function refuseSecond({ ctx, tx, values }: Write<'Authenticator'>): Promise<void> {
  const { identityId, method } = present(values, 'identityId', 'method');
  const [existingAuthenticator] = await tx.find(ctx.catalog.resources.Authenticator, {
    identityId,
    method,
  });
  if (existingAuthenticator) throw failure('MAX_AUTHENTICATOR_METHODS_REACHED');
}

export const authenticatorHooks: Hooks<'Authenticator'> = { validate };
