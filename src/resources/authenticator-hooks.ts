import { checkPassword, hashPassword, type AuthPolicySettings } from '../auth/index.js';
import { failure, invalidField } from '../kernel/errors.js';
import type { Hooks, Write } from '../kernel/resource.js';
import { fingerprint, parseCertificatePem } from '../pki/index.js';

async function validate(write: Write): Promise<void> {
  const { verb, values, current } = write;
  const method = values.method ?? current.method;
  if (method !== 'updb' && method !== 'cert') {
    throw invalidField('method', 'method in body should be one of [updb cert]', method);
  }
  if (verb === 'create') await refuseSecond(write);
  if (method === 'updb') await validatePassword(write);
  else validateCertificate(write);
}

/** Names the two members that every whole body of a password authenticator needs. */
async function validatePassword({ verb, ctx, tx, values, input, current }: Write): Promise<void> {
  const { password } = values;
  if (verb !== 'update') {
    for (const name of ['username', 'password']) {
      if ((input[name] ?? null) === null)
        throw invalidField(name, `${name} in body is required`, '');
    }
  }
  if (values.username === null) delete values.username;
  values.certPem = undefined;
  if (typeof password !== 'string') return;
  const identityId = String(values.identityId ?? current.identityId);
  const [identity] = await tx.find(ctx.catalog.get('Identity'), { id: identityId });
  if (identity) {
    const [policy] = await tx.find(ctx.catalog.get('AuthPolicy'), { id: identity.authPolicyId });
    const primary = policy?.primary as AuthPolicySettings['primary'] | undefined;
    if (primary) checkPassword(primary.updb, password);
  }
  values.passwordHash = await hashPassword(password);
}

function validateCertificate({ verb, values }: Write): void {
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
  values.username = null;
}

/** One authenticator of each method per identity. */
async function refuseSecond({ ctx, tx, values }: Write): Promise<void> {
  const { identityId, method } = values;
  const [other] = await tx.find(ctx.catalog.get('Authenticator'), { identityId, method });
  if (other) throw failure('MAX_AUTHENTICATOR_METHODS_REACHED');
}

export const authenticatorHooks: Hooks = { validate };
