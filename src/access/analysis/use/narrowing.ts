import type { IndexedPolicy } from '../../../kernel/policy/index.js';
import type { AccessModel } from '../model/access-model.js';
import { deletion, type WhatIfChange } from '../model/what-if-change.js';
import type { Sliced } from '../model/slices.js';
import {
  narrowedSide,
  type BroadTerm,
  type GrantingSide,
  type NarrowedSide,
} from './narrowed-side.js';
import { policyUse, typeOf, type PolicyUse } from './policy-use.js';
import type { UsedPairs } from './used-pairs.js';

/** Roles that stay, although only a part of what they select was used. */
export interface BroadRoles {
  readonly side: GrantingSide;
  /** One role, or all attributes of a list of which members must have all. */
  readonly roles: readonly string[];
  readonly memberCount: number;
  readonly usedMemberCount: number;
  /** The pairs that the policy would stop granting without the roles: those that were not used. */
  readonly unusedCount: number;
  /** The same: those that were used. */
  readonly usedCount: number;
}

/** The changes that take unused pairs away from a policy, and no used one. */
export interface Narrowing {
  readonly changes: readonly WhatIfChange[];
  readonly broadRoles: readonly BroadRoles[];
}

const SIDES = ['identities', 'services'] as const satisfies readonly GrantingSide[];

/**
 * Narrows a policy to what was used of it. The used members of both sides stay, and with them every
 * used pair. A pair that several policies grant stays in each of them.
 */
export function* narrowing(
  model: AccessModel,
  used: UsedPairs,
  policy: IndexedPolicy,
): Sliced<Narrowing> {
  const use = policyUse(model, used, policy);
  if (use.used.pairs === 0) {
    return { changes: [deletion('servicePolicy', policy.id)], broadRoles: [] };
  }
  const narrowed = {
    identities: yield* narrowedSide(model, policy, 'identities', use.used.identities),
    services: yield* narrowedSide(model, policy, 'services', use.used.services),
  };
  const members = { identities: narrowed.identities.members, services: narrowed.services.members };
  const broadRoles: BroadRoles[] = [];
  for (const side of SIDES) {
    for (const term of narrowed[side].broad) {
      const lost = { ...members, [side]: term.exclusive };
      broadRoles.push(broadRolesOf(side, term, countOf(used, policy, lost)));
      yield;
    }
  }
  return { changes: changesOf(policy, narrowed), broadRoles };
}

function changesOf(
  { id }: IndexedPolicy,
  narrowed: Readonly<Record<GrantingSide, NarrowedSide>>,
): WhatIfChange[] {
  const lists = SIDES.flatMap((side) => {
    const { roles } = narrowed[side];
    return roles ? [[side, roles] as const] : [];
  });
  if (lists.length === 0) return [];
  return [{ kind: 'servicePolicy', id, update: { roles: Object.fromEntries(lists) } }];
}

type Rectangle = Pick<PolicyUse, 'identities' | 'services'>;
type Counts = Pick<BroadRoles, 'usedCount' | 'unusedCount'>;

function countOf(
  used: UsedPairs,
  policy: IndexedPolicy,
  { identities, services }: Rectangle,
): Counts {
  const usedCount = used.within(typeOf(policy), identities, services).pairs;
  return { usedCount, unusedCount: identities.popcount() * services.popcount() - usedCount };
}

const broadRolesOf = (
  side: GrantingSide,
  { roles, members, usedMemberCount }: BroadTerm,
  counts: Counts,
): BroadRoles => ({
  side,
  roles,
  memberCount: members.popcount(),
  usedMemberCount,
  ...counts,
});
