import type { LoginRefusal } from '../../data/rows/login/index.js';
import { claimedAttributes } from './claimed-attributes.js';
import type { ClaimIssuer } from './claim-issuer.js';
import { RefusedLogin } from './refused-login.js';
import { meetsCondition, type ClaimCondition } from './rules/index.js';

/** The outcome that a login by claims would have. */
export interface LoginPreview {
  /** Null: the login would succeed. */
  readonly refusal: LoginRefusal | null;
  /** The identity that the claims name, if there is one. */
  readonly identityId: string | null;
  /** Whether the login would create the identity. */
  readonly createsIdentity: boolean;
  /** The conditions of the signer or the authority. */
  readonly conditions: readonly JudgedCondition[];
  /** The role attributes that the identity would get. */
  readonly roleAttributes: readonly string[];
}

export interface JudgedCondition {
  readonly claim: string;
  readonly isMet: boolean;
}

export const judgeConditions = (
  conditions: readonly ClaimCondition[],
  claims: unknown,
): JudgedCondition[] =>
  conditions.map((condition) => ({
    claim: condition.claim,
    isMet: meetsCondition(claims, condition),
  }));

type Outcome = Omit<LoginPreview, 'conditions'>;

/** The outcome of claims that pass. */
export const passing = (
  identityId: string | undefined,
  issued: { readonly issuer: ClaimIssuer; readonly claims: unknown } | undefined,
): Outcome => ({
  ...{ refusal: null, identityId: identityId ?? null, createsIdentity: identityId === undefined },
  roleAttributes: (issued && claimedAttributes(issued.issuer, issued.claims)?.roleAttributes) ?? [],
});

/** The outcome of a refused login; other errors are thrown again. */
export function refused(error: unknown): Outcome {
  if (!(error instanceof RefusedLogin)) throw error;
  const { refusal, login } = error;
  const identityId = login.identityId ?? null;
  return { refusal, identityId, createsIdentity: false, roleAttributes: [] };
}
