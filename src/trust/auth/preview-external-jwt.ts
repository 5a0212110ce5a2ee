import { decodeJwt, type JWTPayload } from 'jose';
import type { RequestContext } from '../../kernel/request/context.js';
import { judgeExternalJwt } from './ext-jwt-login.js';
import {
  beforeApproval,
  grantedRights,
  judgeAdminClaims,
  type JudgedAdminClaim,
} from './granted-rights.js';
import { judgeConditions, passing, refused, type LoginPreview } from './login-preview.js';
import type { SignerDependencies } from './second-factors.js';

/** The outcome that a login by a token would have. */
export interface ExternalJwtPreview extends LoginPreview {
  /** The enabled signer that the token names as its issuer. */
  readonly signerId: string | null;
  /** The rules of the signer that give rights. */
  readonly adminClaims: readonly JudgedAdminClaim[];
  /** Whether the session would have all rights by the token. */
  readonly grantedAdmin: boolean;
  /** The permissions that the session would have by the token. */
  readonly grantedPermissions: readonly string[];
}

const NO_RIGHTS = { isAdmin: false, permissions: [] } as const;

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
  const { isPending, ...outcome } = await outcomeOf(ctx, token, parts);
  const adminClaims = signer ? judgeAdminClaims(signer, claims) : [];
  return {
    ...outcome,
    signerId: signer?.id ?? null,
    adminClaims: isPending ? beforeApproval(adminClaims) : adminClaims,
    conditions: judgeConditions(signer?.conditions ?? [], claims),
  };
}

interface Outcome extends Omit<ExternalJwtPreview, 'signerId' | 'conditions' | 'adminClaims'> {
  /** Whether the identity waits for its approval, also one that the login would create. */
  readonly isPending: boolean;
}

async function outcomeOf(
  ctx: RequestContext,
  token: string,
  parts: SignerDependencies,
): Promise<Outcome> {
  const credentials = { ...ctx.credentials, bearers: [token] };
  try {
    const { signer, issuer, claims, identity } = await judgeExternalJwt(
      { ...ctx, credentials },
      parts,
    );
    const { isPending } = identity ?? { isPending: signer.newIdentitiesArePending };
    const granted = (isPending ? undefined : grantedRights(signer, claims)) ?? NO_RIGHTS;
    return {
      ...passing(identity?.id, { issuer, claims }),
      isPending,
      grantedAdmin: granted.isAdmin,
      grantedPermissions: granted.permissions,
    };
  } catch (error) {
    return {
      ...refused(error),
      ...{ isPending: false, grantedAdmin: false, grantedPermissions: [] },
    };
  }
}

function claimsIn(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    return {};
  }
}
