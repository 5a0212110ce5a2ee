import { verifyExternalJwt, type ExternalSigners, type JwksKeys } from '../auth/index.js';
import { checkStorable } from '../kernel/check-input.js';
import type { RequestContext } from '../kernel/context.js';
import { failure } from '../kernel/errors.js';
import { newId } from '../kernel/ids.js';
import { isObject, textsOf, type Row } from '../kernel/row.js';
import type { Transaction } from '../kernel/store-port.js';
import { insertIn, originOf } from '../kernel/write.js';
import type { KeyMaterial } from '../pki/index.js';
import { normaliseAttributes } from '../policy/index.js';
import { certify, type EnrolledCertificates } from './enroll-identity.js';
import { oneJoinsAtATime } from './take-enrollment.js';

export interface JwtEnrollmentParts {
  readonly keys: KeyMaterial;
  readonly signers: ExternalSigners;
  readonly jwks: JwksKeys;
}

/**
 * Joins an identity that does not exist yet, by the JWT of an external signer that allows it: with a
 * request for a certificate, or to log in with such JWTs from then on.
 */
export async function enrollByJwt(
  ctx: RequestContext,
  { keys, signers, jwks }: JwtEnrollmentParts,
  signerId: string | undefined,
  csr: string | undefined,
): Promise<EnrolledCertificates | undefined> {
  const [token] = ctx.credentials.bearers;
  const known = (await signers.all()).filter((s) => signerId === undefined || s.id === signerId);
  const verified = await verifyExternalJwt(token, known, { keys: jwks, clock: ctx.now });
  if (!verified.ok) throw failure('UNAUTHORIZED');
  return ctx.store.write(originOf(ctx), async (tx) => {
    const [row] = await tx.find(ctx.catalog.get('ExternalJwtSigner'), { id: verified.signer.id });
    const isAllowed = csr === undefined ? row?.enrollToTokenEnabled : row?.enrollToCertEnabled;
    if (!row || isAllowed !== true) throw failure('INVALID_ENROLLMENT_NOT_ALLOWED');
    const id = await addIdentity(ctx, tx, row, verified);
    return csr === undefined ? undefined : certify(ctx, tx, keys, id, csr);
  });
}

async function addIdentity(
  ctx: RequestContext,
  tx: Transaction,
  signer: Row,
  { claim, claims }: { readonly claim: string; readonly claims: unknown },
): Promise<string> {
  await oneJoinsAtATime(tx);
  const identities = ctx.catalog.get('Identity');
  checkStorable(claim, 'externalId');
  const [existing] = await tx.find(identities, { externalId: claim });
  if (existing) throw failure('ENROLLMENT_IDENTITY_ALREADY_ENROLLED');
  const id = newId();
  const claimed = claimAt(claims, signer.enrollNameClaimsSelector);
  const name = typeof claimed === 'string' && claimed !== '' ? claimed : claim;
  checkStorable(name, 'name');
  const attributes = claimAt(claims, signer.enrollAttributeClaimsSelector);
  await insertIn(tx, identities, {
    id,
    name,
    externalId: claim,
    typeId: 'Default',
    authPolicyId: signer.enrollAuthPolicyId ?? 'default',
    roleAttributes: normaliseAttributes('roleAttributes', attributeTexts(attributes)),
  });
  return id;
}

const attributeTexts = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : textsOf(value);

/** The value at a JSON pointer (RFC 6901), whose leading slash may be left out. */
function claimAt(claims: unknown, selector: unknown): unknown {
  if (typeof selector !== 'string' || selector === '') return undefined;
  const path = selector.startsWith('/') ? selector.slice(1) : selector;
  return path
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), claims);
}
