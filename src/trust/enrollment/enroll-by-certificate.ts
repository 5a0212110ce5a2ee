import type { X509Certificate } from 'node:crypto';
import { externalIdOf, oneJoinsAtATime } from '../auth/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { failure } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { refuseUnstorable } from '../../base/storable.js';
import {
  certificateAuthorities,
  type EnrollingAuthority,
} from '../../data/rows/certificate-authority/index.js';
import { identities, idleIdentities } from '../../data/rows/identity/index.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { insertIn, originOf } from '../../kernel/write/write.js';
import { describeCertificate, fingerprint } from '../pki/index.js';
import { vouchedLeaf, type VouchedLeaf } from './client-leaf.js';
import { addAuthenticator } from './enroll-identity.js';
import { memberOf, consumeEnrollment } from './take-enrollment.js';

/** Enrolls an identity by one-time token and a certificate of the authority in the enrollment. */
export async function enrollOttCa(ctx: RequestContext, token: string): Promise<void> {
  await ctx.store.write(originOf(ctx), async (tx) => {
    const enrollment = await consumeEnrollment(ctx, tx, token, 'ottca');
    const caId = memberOf(enrollment, 'caId');
    await tx.hold(ctx.catalog.resources.CertificateAuthority, [caId]);
    const authority = await certificateAuthorities.findToEnroll(tx, caId);
    const obstacle = obstacleOf(authority);
    if (!authority || obstacle) throw failure('ENROLLMENT_CA_NOT_VALID', obstacle);
    const vouched = vouchedLeaf(ctx, [authority]);
    if (!vouched) throw failure('CERTIFICATE_FAILED_VALIDATION');
    await addCertificate(ctx, tx, memberOf(enrollment, 'identityId'), vouched);
  });
}

/** Why an authority does not enroll by one-time tokens, and what to do, for the owner of a token. */
function obstacleOf(authority: EnrollingAuthority | undefined): string | undefined {
  if (authority?.isVerified === false) {
    return 'the certificate authority of this invitation is not verified yet: ask an administrator to verify it, then enroll again with the same token';
  }
  if (authority?.isOttCaEnrollmentEnabled === false) {
    return 'the certificate authority of this invitation may not enroll at present: ask an administrator to allow it, then enroll again with the same token';
  }
  return undefined;
}

/** The same for strangers, who do not learn which authorities there are. */
const ASK_ADMINISTRATOR =
  'a certificate authority enrolls identities after an administrator has verified it and allowed auto-enrollment: ask an administrator';

async function addCertificate(
  ctx: RequestContext,
  tx: Transaction,
  identityId: string,
  { leaf, authority }: VouchedLeaf,
): Promise<void> {
  const print = fingerprint(leaf);
  const [existing] = await tx.find(ctx.catalog.resources.Authenticator, { fingerprint: print });
  if (existing) throw failure('CERT_IN_USE');
  await addAuthenticator(ctx, tx, {
    identityId,
    method: 'cert',
    fingerprint: print,
    certPem: leaf.toString(),
    isIssuedByNetwork: false,
    caId: authority.id,
  });
}

/** Enrolls a new identity by a certificate of an authority that allows it. */
export async function enrollCa(
  ctx: RequestContext,
  requestedName: string | undefined,
): Promise<void> {
  await ctx.store.write(originOf(ctx), async (tx) => {
    const authorities = await certificateAuthorities.enrollingByThemselves(tx);
    if (authorities.length === 0) throw failure('ENROLLMENT_NO_VALID_CAS', ASK_ADMINISTRATOR);
    const vouched = vouchedLeaf(ctx, authorities);
    if (!vouched) throw failure('CERT_FAILED_VALIDATION', ASK_ADMINISTRATOR);
    const [lockedId] = await tx.hold(ctx.catalog.resources.CertificateAuthority, [
      vouched.authority.id,
    ]);
    if (lockedId === undefined) throw failure('CERT_FAILED_VALIDATION');
    await oneJoinsAtATime(tx);
    await addIdentity(ctx, tx, vouched, requestedName);
  });
}

async function addIdentity(
  ctx: RequestContext,
  tx: Transaction,
  vouched: VouchedLeaf,
  requestedName: string | undefined,
): Promise<void> {
  const { leaf, authority } = vouched;
  const id = newId();
  const externalId = externalIdFrom(authority, leaf);
  if (externalId !== null) refuseUnstorable(externalId, 'externalId');
  const wantedName = nameOf(authority, leaf, requestedName ?? id, id);
  refuseUnstorable(wantedName, 'name');
  const values = {
    id,
    name: await freeName(tx, wantedName),
    externalId,
    typeId: 'Default',
    authPolicyId: 'default',
    roleAttributes: authority.identityRoles,
    idleHoursBeforeDeletion: authority.idleHoursBeforeDeletion,
    isPending: authority.newIdentitiesArePending,
  };
  const identities = ctx.catalog.resources.Identity;
  if (externalId === null) {
    await insertIn(tx, identities, values);
    await addCertificate(ctx, tx, id, vouched);
  } else {
    const [existing] = await tx.find(identities, { externalId });
    if (existing) throw failure('CERT_IN_USE');
    await insertIn(tx, identities, values);
  }
  if (authority.idleHoursBeforeDeletion !== null) await idleIdentities.storeUse(tx, id);
}

/** With a claim, external ids identify the identities of an authority, instead of fingerprints. */
function externalIdFrom(authority: EnrollingAuthority, leaf: X509Certificate): string | null {
  const claim = authority.externalIdClaim;
  if (claim === null) return null;
  const externalId = externalIdOf(claim, leaf);
  if (externalId === undefined) throw failure('MISSING_CERT_CLAIM');
  return externalId;
}

function nameOf(
  { id: caId, name: caName, identityNameFormat: format }: EnrollingAuthority,
  leaf: X509Certificate,
  requestedName: string,
  identityId: string,
): string {
  const replacements: Readonly<Record<string, string>> = {
    caName,
    caId,
    commonName: describeCertificate(leaf).commonName,
    requestedName,
    identityId,
  };
  return format.replace(/\[(\w+)\]/g, (text, name: string) => replacements[name] ?? text);
}

const MAX_TRIES = 100;

/** Appends a counter until the name is free; each try keeps the earlier counters. */
async function freeName(tx: Transaction, wantedName: string): Promise<string> {
  let name = wantedName;
  for (let count = 1; count <= MAX_TRIES; count += 1) {
    if (!(await identities.isNameTaken(tx, name))) return name;
    name += String(count).padStart(6, '0');
  }
  throw failure('COULD_NOT_VALIDATE', `no name like ${wantedName} is free`);
}
