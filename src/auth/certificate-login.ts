import type { RequestContext } from '../kernel/request/context.js';
import { failure } from '../base/errors.js';
import { sql, type Sql } from '../base/sql.js';
import { originOf, patchIn } from '../kernel/write/write.js';
import type { KeyMaterial } from '../pki/index.js';
import { isDisabledSql } from './disabled-identity.js';
import {
  verifyClientChain,
  type ThirdPartyAuthority,
  type VerifiedClient,
} from './certificate/index.js';
import type { ProvedIdentity } from './password-login.js';
import type { AuthPolicySettings, ExternalIdClaim, Rights } from './rules/index.js';
import { vouchesFor } from './signers.js';

/** What a certificate login has proved, and what the session is to remember of it. */
export interface ProvedByCertificate extends ProvedIdentity {
  readonly isCertExtendable: boolean;
  readonly improperClientCertChain: boolean;
  /** Id of the authority of others that vouches for the certificate. */
  readonly caId?: string;
}

/** Identities that a third-party authority names by external id have no authenticator of their own. */
const INTERNAL = 'internal';

/**
 * The identity that the client certificate of the connection proves.
 * @throws ApiError INVALID_AUTH, the same for every fault
 */
export async function loginByCertificate(
  ctx: RequestContext,
  own: Pick<KeyMaterial, 'authorities' | 'endedSigners'>,
): Promise<ProvedByCertificate> {
  const presented = ctx.credentials.clientChain();
  if (presented.length === 0) throw failure('INVALID_AUTH');
  const authorities = await readAuthorities(ctx);
  const proof = verifyClientChain({
    presented,
    own,
    thirdParty: authorities.map(thirdPartyOf),
    now: ctx.now(),
  });
  if (!proof.verified) throw failure('INVALID_AUTH');
  const row = await identityOf(ctx, proof, authorities);
  if (!row || row.disabled || !allows(row.primary, proof)) throw failure('INVALID_AUTH');
  if (row.resolved_to_root === !proof.resolvedToRoot) {
    await rememberChain(ctx, row.authenticator_id, proof.resolvedToRoot);
  }
  return {
    identityId: row.identity_id,
    authenticatorId: row.authenticator_id,
    secondary: row.secondary,
    isCertExtendable: row.is_issued_by_network,
    improperClientCertChain: proof.improperClientCertChain,
    ...(proof.authority.kind === 'thirdParty' ? { caId: proof.authority.id } : {}),
  };
}

/** By what an authority of others says in the leaf, else by the leaf itself. */
async function identityOf(
  ctx: RequestContext,
  { authority, fingerprint }: VerifiedClient,
  authorities: readonly AuthorityRow[],
): Promise<IdentityRow | undefined> {
  if (authority.kind === 'own' || authority.externalId === undefined) {
    return byFingerprint(ctx, fingerprint);
  }
  const named = await byExternalId(ctx, authority.externalId);
  if (!named) return byFingerprint(ctx, fingerprint);
  const trustedForManagement = authorities.some(
    ({ id, trusted_for_management: isTrusted }) => id === authority.id && isTrusted,
  );
  return vouchesFor({ trustedForManagement }, named) ? named : undefined;
}

/** Administrators see by it which clients send no chain. One that is gone by now has nothing to remember. */
async function rememberChain(
  ctx: RequestContext,
  id: string,
  lastAuthResolvedToRoot: boolean,
): Promise<void> {
  const authenticators = ctx.catalog.resources.Authenticator;
  await ctx.store.write(originOf(ctx), async (tx) => {
    await tx.lock(authenticators, [id]);
    const [current] = await tx.find(authenticators, { id });
    if (current) await patchIn(tx, authenticators, current, { lastAuthResolvedToRoot });
  });
}

const allows = (
  { cert: { allowed, allowExpiredCerts } }: AuthPolicySettings['primary'],
  { isCurrent }: VerifiedClient,
): boolean => allowed && (isCurrent || allowExpiredCerts);

/** An authority of others by which identities may log in. */
type AuthorityRow = {
  readonly id: string;
  readonly cert_pem: string;
  readonly external_id_claim: ExternalIdClaim | null;
  readonly trusted_for_management: boolean;
};

const readAuthorities = (ctx: RequestContext): Promise<AuthorityRow[]> =>
  ctx.store.query(
    sql<AuthorityRow>`select id, cert_pem, external_id_claim, trusted_for_management from certificate_authority where is_verified and is_auth_enabled order by id`,
  );

const thirdPartyOf = (row: AuthorityRow): ThirdPartyAuthority => ({
  id: row.id,
  certPem: row.cert_pem,
  isVerified: true,
  isAuthEnabled: true,
  externalIdClaim: row.external_id_claim,
});

/** An identity that a certificate names, with the rules of its auth policy. */
type IdentityRow = AuthPolicySettings & {
  readonly identity_id: string;
  readonly authenticator_id: string;
  readonly is_issued_by_network: boolean;
  /** Of its authenticator, if it has one of its own. */
  readonly resolved_to_root?: boolean;
  readonly disabled: boolean;
};

const disabledColumn = (now: Date): Sql => sql`${isDisabledSql('i', now)} as disabled`;

async function byExternalId(
  ctx: RequestContext,
  externalId: string,
): Promise<(IdentityRow & Rights) | undefined> {
  const [row] = await ctx.store.query(
    sql<
      IdentityRow & Rights
    >`select i.id as identity_id, ${INTERNAL}::text as authenticator_id, false as is_issued_by_network,
        i.is_admin as "isAdmin", i.permissions, p."primary", p.secondary, ${disabledColumn(ctx.now())}
      from identity i join auth_policy p on p.id = i.auth_policy_id where i.external_id = ${externalId}::text`,
  );
  return row;
}

async function byFingerprint(
  ctx: RequestContext,
  fingerprint: string,
): Promise<IdentityRow | undefined> {
  const [row] = await ctx.store.query(
    sql<IdentityRow>`select i.id as identity_id, a.id as authenticator_id, a.is_issued_by_network, a.last_auth_resolved_to_root as resolved_to_root, p."primary", p.secondary, ${disabledColumn(ctx.now())}
      from authenticator a join identity i on i.id = a.identity_id join auth_policy p on p.id = i.auth_policy_id
      where a.method = 'cert' and a.fingerprint = ${fingerprint}::text`,
  );
  return row;
}
