import { byteSorted } from '../../base/byte-order.js';
import type { KnownSigner } from '../../data/rows/external-jwt-signer/index.js';
import { meetsCondition, type AdminClaim, type Rights } from './rules/index.js';

/** The rights that the token of a login gives its API session, with the rules that count. */
export interface GrantedRights extends Rights {
  /** All rules of the signer; the login is refused if they change before its session begins. */
  readonly rules: readonly AdminClaim[];
}

/** A rule of a signer, held against a token. */
export interface JudgedAdminClaim extends Rights {
  readonly claim: string;
  /** Why the rule gives nothing; null: it gives its rights. */
  readonly reason: string | null;
}

const UNTRUSTED = 'the signer is not trusted for management';
const OTHER_VALUE = 'the token has none of the values in this claim';
const WAITING = 'the identity waits for its approval';

/** The rules of a signer, and which of them give rights by the claims of a token. */
export const judgeAdminClaims = (
  { adminClaims, trustedForManagement }: KnownSigner,
  claims: unknown,
): JudgedAdminClaim[] =>
  adminClaims.map(({ claim, values, isAdmin, permissions }) => {
    const isMet = meetsCondition(claims, { claim, values, pattern: null });
    const reason = isMet && !trustedForManagement ? UNTRUSTED : null;
    return { claim, isAdmin, permissions, reason: isMet ? reason : OTHER_VALUE };
  });

/** The same for an identity that waits for its approval, to which no rule gives anything until then. */
export const beforeApproval = (rules: readonly JudgedAdminClaim[]): JudgedAdminClaim[] =>
  rules.map((rule) => ({ ...rule, reason: rule.reason ?? WAITING }));

/** Undefined for a signer without rules. */
export function grantedRights(signer: KnownSigner, claims: unknown): GrantedRights | undefined {
  if (signer.adminClaims.length === 0) return undefined;
  const rules = judgeAdminClaims(signer, claims).filter(({ reason }) => reason === null);
  return { ...rightsOf(rules), rules: signer.adminClaims };
}

/** The rights of several rules together. */
const rightsOf = (rules: readonly Rights[]): Rights => ({
  isAdmin: rules.some(({ isAdmin }) => isAdmin),
  permissions: byteSorted(new Set(rules.flatMap(({ permissions }) => permissions))),
});

/** Whether rights include all of others, by their names. */
export const includesRights = (rights: Rights, others: Rights): boolean =>
  rights.isAdmin ||
  (!others.isAdmin && others.permissions.every((name) => rights.permissions.includes(name)));
