import { attribute, described, int, list, text } from '../../../kernel/declare/attribute.js';
import type { IndexedPolicy } from '../../../kernel/policy/index.js';
import type { AccessModel } from '../model/access-model.js';
import { deletion, type WhatIfChange } from '../model/what-if-change.js';
import type { Sliced } from '../../../base/slices.js';
import {
  GRANTING_SIDE,
  narrowedSide,
  type BroadTerm,
  type GrantingSide,
  type NarrowedSide,
} from './narrowed-side.js';
import { policyUse, typeOf, type PolicyUse } from './policy-use.js';
import type { UsedPairs } from './used-pairs.js';

@described(
  'Roles of a policy that its `changes` keep, although only a part of what they select was used.',
)
export class BroadRoles {
  @attribute(GRANTING_SIDE, { description: 'The side of the policy.' })
  readonly side!: GrantingSide;

  @attribute(list(text()), {
    description: 'The role, or all attributes of a list of which members must have all.',
  })
  readonly roles!: readonly string[];

  @attribute(int(), { description: 'Number of entities that the roles select.' })
  readonly memberCount!: number;

  @attribute(int(), {
    description: 'Number of these that take part in a used pair of the policy.',
  })
  readonly usedMemberCount!: number;

  @attribute(int(), {
    description:
      'Number of unused pairs that the policy would stop granting without the roles, after its `changes`.',
  })
  readonly unusedCount!: number;

  @attribute(int(), { description: 'Number of used pairs that it would stop granting as well.' })
  readonly usedCount!: number;
}

/** The changes that take unused pairs away from a policy, and no used one. */
export interface Narrowing {
  readonly changes: readonly WhatIfChange[];
  readonly broadRoles: readonly BroadRoles[];
}

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
  for (const side of GRANTING_SIDE.values) {
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
  const lists = GRANTING_SIDE.values.flatMap((side) => {
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
