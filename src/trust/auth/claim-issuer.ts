import { externalJwtSigners, sourceOfSigner } from '../../data/rows/external-jwt-signer/index.js';
import type { ClaimRules, KnownSigner } from '../../data/rows/external-jwt-signer/index.js';
import type { IdentityCreator } from '../../data/rows/identity/index.js';
import type { LoginRefusal } from '../../data/rows/login/index.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { Rows } from '../../kernel/request/store-port.js';
import { refusedClaim } from './refused-jwt.js';
import type { KnownLogin, RefusedLogin } from './refused-login.js';
import { allowsSigner, type AuthPolicyPrimary } from './rules/index.js';

/** An identity that may log in by a claim, or one that a first login would create. */
interface ClaimedAccount {
  readonly primary: AuthPolicyPrimary;
  /** The signer or the authority that created it. */
  readonly creatorId: string | null;
}

/** A signer or an authority that vouches for claims, with its rules on them. */
export interface ClaimIssuer {
  readonly rules: ClaimRules;
  /** Names it in the change log. */
  readonly title: string;
  /** Names a login in the change log. */
  readonly loginTitle: string;
  /** The source of the role assignments that it gives. */
  readonly source: string;
  /** Whether its claims are external ids. */
  readonly useExternalId: boolean;
  readonly creator: IdentityCreator;
  /** The settings of the identities that it creates. */
  readonly newIdentity: Partial<
    Pick<RowOf<'Identity'>, 'roleAttributes' | 'idleHoursBeforeDeletion'>
  >;
  /** Why a login is refused whose claim names no identity. */
  readonly unknownClaim: LoginRefusal;
  /** Why an identity may not log in by it; undefined if it may. */
  readonly refusalOf: (account: ClaimedAccount) => LoginRefusal | undefined;
  readonly refused: (
    refusal: LoginRefusal,
    ids?: Omit<KnownLogin, 'authenticatorId'>,
  ) => RefusedLogin;
  /** Locks it against changes until the commit; false if it changed since it was read. */
  readonly holdUnchanged: (tx: Rows) => Promise<boolean>;
}

/** A signer as the issuer of the claims of its JWTs. */
export const signerAsIssuer = (signer: KnownSigner): ClaimIssuer => ({
  ...{ rules: signer, useExternalId: signer.useExternalId, source: sourceOfSigner(signer.id) },
  ...{ title: `the external JWT signer ${signer.name}`, loginTitle: 'a login by an external JWT' },
  ...{ creator: { createdBySignerId: signer.id }, newIdentity: {}, unknownClaim: 'UNKNOWN_CLAIM' },
  refusalOf: (account) => (isAllowed(signer, account) ? undefined : 'SIGNER_NOT_ALLOWED'),
  refused: (refusal, ids) => refusedClaim(signer, refusal, ids),
  holdUnchanged: (tx) => externalJwtSigners.holdUnchanged(tx, signer),
});

/**
 * Two issuers may use the same text for two persons. So another signer confirms a created identity only if the auth
 * policy names it; one that names none means all signers for other identities.
 */
const isAllowed = ({ id }: KnownSigner, { primary, creatorId }: ClaimedAccount): boolean =>
  allowsSigner(primary.extJwt, id) &&
  (creatorId === null || creatorId === id || primary.extJwt.allowedSigners.includes(id));
