import { decodeJwt, type JWTPayload } from 'jose';
import type { LoginRefusal } from '../../data/rows/login/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { judgeExternalJwt } from './ext-jwt-login.js';
import { claimedAttributes } from './claimed-attributes.js';
import { grantedRights, judgeAdminClaims, type JudgedAdminClaim } from './granted-rights.js';
import { RefusedLogin } from './refused-login.js';
import { meetsCondition } from './rules/index.js';
import type { SignerDependencies } from './second-factors.js';

/** The outcome that a login by a token would have. */
export interface ExternalJwtPreview {
  /** Null: the login would succeed. */
  readonly refusal: LoginRefusal | null;
  /** The enabled signer that the token names as its issuer. */
  readonly signerId: string | null;
  /** The identity that it names, if there is one. */
  readonly identityId: string | null;
  /** Whether the login would create the identity. */
  readonly createsIdentity: boolean;
  /** The conditions of the signer. */
  readonly conditions: readonly JudgedCondition[];
  /** The role attributes that the identity would get. */
  readonly roleAttributes: readonly string[];
  /** The rules of the signer that give rights. */
  readonly adminClaims: readonly JudgedAdminClaim[];
  /** Whether the session would have all rights by the token. */
  readonly grantedAdmin: boolean;
  /** The permissions that the session would have by the token. */
  readonly grantedPermissions: readonly string[];
}

const NO_RIGHTS = { isAdmin: false, permissions: [] } as const;

const NOTHING = {
  ...{ createsIdentity: false, roleAttributes: [] },
  ...{ grantedAdmin: false, grantedPermissions: [] },
} as const;

export interface JudgedCondition {
  readonly claim: string;
  readonly isMet: boolean;
}

/** Judges a token as a login would. Nobody is logged in, and nothing is counted. */
export async function previewExternalJwt(
  ctx: RequestContext,
  token: string,
  parts: SignerDependencies,
): Promise<ExternalJwtPreview> {
  const claims = claimsIn(token);
  const signer = (await parts.signers.current()).find(
    ({ enabled, issuer }) => enabled && issuer === claims.iss,
  );
  return {
    ...(await outcomeOf(ctx, token, parts)),
    signerId: signer?.id ?? null,
    adminClaims: signer ? judgeAdminClaims(signer, claims) : [],
    conditions: (signer?.conditions ?? []).map((condition) => ({
      claim: condition.claim,
      isMet: meetsCondition(claims, condition),
    })),
  };
}

async function outcomeOf(
  ctx: RequestContext,
  token: string,
  parts: SignerDependencies,
): Promise<Omit<ExternalJwtPreview, 'signerId' | 'conditions' | 'adminClaims'>> {
  const credentials = { ...ctx.credentials, bearers: [token] };
  try {
    const { signer, issuer, claims, identity } = await judgeExternalJwt(
      { ...ctx, credentials },
      parts,
    );
    const granted = grantedRights(signer, claims) ?? NO_RIGHTS;
    return {
      ...{ refusal: null, identityId: identity?.id ?? null },
      createsIdentity: identity === undefined,
      roleAttributes: claimedAttributes(issuer, claims)?.roleAttributes ?? [],
      grantedAdmin: granted.isAdmin,
      grantedPermissions: granted.permissions,
    };
  } catch (error) {
    if (!(error instanceof RefusedLogin)) throw error;
    const identityId = error.login.identityId ?? null;
    const { refusal } = error;
    return { refusal, identityId, ...NOTHING };
  }
}

function claimsIn(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    return {};
  }
}
