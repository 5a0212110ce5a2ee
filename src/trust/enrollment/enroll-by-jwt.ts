import {
  allowsSigner,
  claimsPointer,
  observedEnrollment,
  oneJoinsAtATime,
  RefusedLogin,
  loginBySigner,
  verifiedAmong,
  type ExternalSigners,
  type JwksKeys,
  type VerifiedExternalJwt,
} from '../auth/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { failure } from '../../base/errors.js';
import { isUsableAsId, newId } from '../../base/ids.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import { valueAtPointer } from '../../base/json-pointer.js';
import { textsOf } from '../../base/row.js';
import { refuseUnstorable } from '../../base/storable.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { insertIn, nextRevision, originOf } from '../../kernel/write/write.js';
import type { KeyMaterial } from '../pki/index.js';
import { normaliseAttributes } from '../../kernel/policy/index.js';
import { certify, type EnrolledCertificates } from './enroll-identity.js';

export interface JwtEnrollmentDependencies {
  readonly keys: KeyMaterial;
  readonly signers: ExternalSigners;
  readonly jwks: JwksKeys;
}

/**
 * Enrolls a new identity by the JWT of an external signer that allows it: with a request for a
 * certificate, or for later logins with such JWTs.
 */
export async function enrollByJwt(
  ctx: RequestContext,
  dependencies: JwtEnrollmentDependencies,
  signerId: string | undefined,
  csr: string | undefined,
): Promise<EnrolledCertificates | undefined> {
  const verified = await observedEnrollment(ctx, () => verifiedJwt(ctx, dependencies, signerId));
  return ctx.store.write(originOf(ctx), async (tx) => {
    const [signer] = await tx.find(ctx.catalog.resources.ExternalJwtSigner, {
      id: verified.signer.id,
    });
    const isAllowed =
      csr === undefined ? signer?.enrollToTokenEnabled : signer?.enrollToCertEnabled;
    if (!signer || !isAllowed) throw failure('INVALID_ENROLLMENT_NOT_ALLOWED');
    await checkPolicy(ctx, tx, signer, csr === undefined);
    const id = await addIdentity(ctx, tx, signer, { ...verified, byToken: csr === undefined });
    return csr === undefined ? undefined : certify(ctx, tx, dependencies.keys, id, csr);
  });
}

/** Gives the first bearer token of the request that a signer vouches for. */
async function verifiedJwt(
  ctx: RequestContext,
  { signers, jwks }: JwtEnrollmentDependencies,
  signerId: string | undefined,
): Promise<VerifiedExternalJwt> {
  const candidates = (await signers.current()).filter(
    (s) => signerId === undefined || s.id === signerId,
  );
  const verified = await verifiedAmong(ctx, candidates, jwks);
  if (verified.ok) return verified;
  const { reason, signer } = verified;
  throw new RefusedLogin(reason, loginBySigner(signer), 'INVALID_ENROLLMENT_TOKEN');
}

type Signer = RowOf<'ExternalJwtSigner'>;

const policyOf = ({ enrollAuthPolicyId: id }: Signer): string => id ?? 'default';

/** Refuses an enrollment for a login that the auth policy of the new identity forbids. */
async function checkPolicy(
  ctx: RequestContext,
  tx: Transaction,
  signer: Signer,
  byToken: boolean,
): Promise<void> {
  const [policy] = await tx.find(ctx.catalog.resources.AuthPolicy, { id: policyOf(signer) });
  const isAllowed = byToken
    ? policy && allowsSigner(policy.primary.extJwt, signer.id)
    : policy?.primary.cert.allowed;
  if (!isAllowed) throw failure('INVALID_ENROLLMENT_NOT_ALLOWED');
}

interface VerifiedClaims {
  readonly claim: string;
  readonly claims: unknown;
  /** Whether the identity will log in with such JWTs. */
  readonly byToken: boolean;
}

async function addIdentity(
  ctx: RequestContext,
  tx: Transaction,
  signer: Signer,
  { claim, claims, byToken }: VerifiedClaims,
): Promise<string> {
  await oneJoinsAtATime(tx);
  const identities = ctx.catalog.resources.Identity;
  const key = keyOf(signer, claim, byToken);
  const [existing] = await tx.find(identities, key);
  if (existing) throw failure('ENROLLMENT_IDENTITY_ALREADY_ENROLLED');
  const id = key.id ?? newId();
  const claimed = claimAt(claims, signer.enrollNameClaimsSelector);
  const name = typeof claimed === 'string' && claimed !== '' ? claimed : claim;
  refuseUnstorable(name, 'name');
  const attributes = claimAt(claims, signer.enrollAttributeClaimsSelector);
  await insertIn(tx, identities, {
    ...key,
    id,
    name,
    typeId: 'Default',
    authPolicyId: policyOf(signer),
    isPending: signer.newIdentitiesArePending,
    roleAttributes: normaliseAttributes('roleAttributes', attributeTexts(attributes)),
    ...(key.id === undefined ? {} : { revision: await nextRevision(tx, identities, id) }),
  });
  return id;
}

/**
 * Gives the key by which a login with the same claim finds the identity. If that is the id, the claim
 * becomes the id if possible; otherwise it is stored as external id, which detects a second
 * enrollment, and an enrollment for logins with the claim is refused.
 */
function keyOf(
  signer: Signer,
  claim: string,
  byToken: boolean,
): { readonly id?: string; readonly externalId?: string } {
  refuseUnstorable(claim, 'externalId');
  if (signer.useExternalId) return { externalId: claim };
  if (isUsableAsId(claim)) return { id: claim };
  if (byToken) {
    throw failure('INVALID_ENROLLMENT_NOT_ALLOWED', 'the claim of the token can not be an id');
  }
  return { externalId: claim };
}

const attributeTexts = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : textsOf(value);

/** Gives the value at a JSON pointer, whose leading slash is optional. */
const claimAt = (claims: unknown, selector: string | null): unknown =>
  selector === null || selector === ''
    ? undefined
    : valueAtPointer(claims, claimsPointer(selector));
