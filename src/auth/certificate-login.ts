import type { RequestContext } from '../kernel/request/context.js';
import { failure } from '../base/errors.js';
import type { Row } from '../base/row.js';
import { sql } from '../base/sql.js';
import { originOf, patchIn } from '../kernel/write/write.js';
import type { KeyMaterial } from '../pki/index.js';
import { isDisabledSql } from './disabled-identity.js';
import { verifyClientChain, type VerifiedClient } from './certificate/index.js';
import type { ProvedIdentity } from './password-login.js';
import { secondaryOf, type AuthPolicySettings, type ExternalIdClaim } from './rules/index.js';
import { vouchesFor } from './signers.js';
import { rightsOf } from './target-rights.js';

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
  const authorities = await thirdParties(ctx);
  const proof = verifyClientChain({
    presented,
    own,
    thirdParty: authorities.map(thirdParty),
    now: ctx.now(),
  });
  if (!proof.verified) throw failure('INVALID_AUTH');
  const row = await identityOf(ctx, proof, authorities);
  if (!row || row.disabled === true || !allows(row.primary, proof)) throw failure('INVALID_AUTH');
  if (row.resolved_to_root === !proof.resolvedToRoot) {
    await rememberChain(ctx, String(row.authenticator_id), proof.resolvedToRoot);
  }
  return {
    identityId: String(row.identity_id),
    authenticatorId: String(row.authenticator_id),
    secondary: secondaryOf(row.secondary),
    isCertExtendable: row.is_issued_by_network === true,
    improperClientCertChain: proof.improperClientCertChain,
    ...(proof.authority.kind === 'thirdParty' ? { caId: proof.authority.id } : {}),
  };
}

/** By what an authority of others says in the leaf, else by the leaf itself. */
async function identityOf(
  ctx: RequestContext,
  { authority, fingerprint }: VerifiedClient,
  authorities: readonly Row[],
): Promise<Row | undefined> {
  if (authority.kind === 'own' || authority.externalId === undefined) {
    return byFingerprint(ctx, fingerprint);
  }
  const named = await byExternalId(ctx, authority.externalId);
  if (!named) return byFingerprint(ctx, fingerprint);
  const known = authorities.find(({ id }) => id === authority.id);
  const trustedForManagement = known?.trusted_for_management === true;
  return vouchesFor({ trustedForManagement }, rightsOf(named)) ? named : undefined;
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

function allows(primary: unknown, { isCurrent }: VerifiedClient): boolean {
  const { allowed, allowExpiredCerts } = (primary as AuthPolicySettings['primary']).cert;
  return allowed && (isCurrent || allowExpiredCerts);
}

const thirdParties = (ctx: RequestContext): Promise<Row[]> =>
  ctx.store.query(
    sql`select id, cert_pem, external_id_claim, trusted_for_management from certificate_authority where is_verified and is_auth_enabled order by id`,
  );

const thirdParty = (row: Row) => ({
  id: String(row.id),
  certPem: String(row.cert_pem),
  isVerified: true,
  isAuthEnabled: true,
  externalIdClaim: row.external_id_claim as ExternalIdClaim | null,
});

const DISABLED = (now: Date) => sql`${isDisabledSql('i', now)} as disabled`;

async function byExternalId(ctx: RequestContext, externalId: string): Promise<Row | undefined> {
  const [row] = await ctx.store.query(
    sql`select i.id as identity_id, ${INTERNAL}::text as authenticator_id, false as is_issued_by_network,
        i.is_admin as "isAdmin", i.permissions, p."primary", p.secondary, ${DISABLED(ctx.now())}
      from identity i join auth_policy p on p.id = i.auth_policy_id where i.external_id = ${externalId}::text`,
  );
  return row;
}

async function byFingerprint(ctx: RequestContext, fingerprint: string): Promise<Row | undefined> {
  const [row] = await ctx.store.query(
    sql`select i.id as identity_id, a.id as authenticator_id, a.is_issued_by_network, a.last_auth_resolved_to_root as resolved_to_root, p."primary", p.secondary, ${DISABLED(ctx.now())}
      from authenticator a join identity i on i.id = a.identity_id join auth_policy p on p.id = i.auth_policy_id
      where a.method = 'cert' and a.fingerprint = ${fingerprint}::text`,
  );
  return row;
}
