import { compareBytes } from '../../../base/byte-order.js';
import { attribute, described, id, int, text } from '../../../kernel/declare/attribute.js';
import { ACCESS_TYPE } from '../../../kernel/declare/resource.js';
import { selectedBy } from '../../../kernel/policy/index.js';
import type { Bitset, IndexedPolicy, ServicePolicyType } from '../../../kernel/policy/index.js';
import { membersOf, rolesOn } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { idsAfter } from '../pairs/byte-sorting.js';
import { eachSliced, type Sliced } from '../../../base/slices.js';
import type { GrantingSide } from './narrowed-side.js';
import type { UsedPairs, UsedWithin } from './used-pairs.js';

/** The pairs that count: those of these identities and services, by ordinals; absent: all. */
export interface CountedEnds {
  readonly identities?: Bitset;
  readonly services?: Bitset;
}

/** Some of the ids of a side, and the number of all. */
export interface ListedMembers {
  readonly ids: readonly string[];
  readonly totalCount: number;
}

/** The pairs that a service policy grants, and those of them that were used. */
export interface PolicyUse {
  readonly identities: Bitset;
  readonly services: Bitset;
  readonly used: UsedWithin;
}

@described('A service policy with the access that it grants and nobody used.')
export class UnusedAccess {
  @attribute(id(), { description: 'Id of the policy.' })
  readonly policyId!: string;

  @attribute(text(), { nullable: true, description: 'Name of the policy.' })
  readonly policyName!: string | null;

  @attribute(ACCESS_TYPE, { description: 'Dialing or hosting.' })
  readonly type!: ServicePolicyType;

  @attribute(int(), {
    description: 'Number of pairs of an identity and a service that it grants.',
  })
  readonly grantedCount!: number;

  @attribute(int(), { description: 'Number of these pairs that were not used.' })
  readonly unusedCount!: number;
}

/** Unused access before the name of the policy is known. */
export type FoundUnused = Omit<UnusedAccess, 'policyName'>;

export function policyUse(
  model: AccessModel,
  used: UsedPairs,
  policy: IndexedPolicy,
  ends: CountedEnds = {},
): PolicyUse {
  const identities = membersOf(model, 'servicePolicy', [policy], 'identities');
  const services = membersOf(model, 'servicePolicy', [policy], 'services');
  if (ends.identities) identities.and(ends.identities);
  if (ends.services) services.and(ends.services);
  return { identities, services, used: used.within(typeOf(policy), identities, services) };
}

/** Gives the members of a side that take part in no used pair: the first ones after an id. */
export function* unusedMembers(
  model: AccessModel,
  use: PolicyUse,
  side: GrantingSide,
  { count, after }: { readonly count: number; readonly after: string | undefined },
): Sliced<ListedMembers> {
  const unused = use[side].clone().andNot(use.used[side]);
  const ids = model.idsOf(selectedBy('servicePolicy', side), unused);
  return { ids: yield* idsAfter(ids, count, after), totalCount: ids.length };
}

/** All service policies have a type. */
export const typeOf = ({ type }: IndexedPolicy): ServicePolicyType => type ?? 'Dial';

/** Gives the policies with unused pairs, those with the most first, then in byte order of ids. */
export function* unusedAccess(
  model: AccessModel,
  used: UsedPairs,
  { type, ends }: { readonly type?: ServicePolicyType | undefined; readonly ends?: CountedEnds },
): Sliced<FoundUnused[]> {
  const unused: FoundUnused[] = [];
  const counted = new Map<string, Counts>();
  yield* eachSliced([...model.policies('servicePolicy')], 1, (policy) => {
    if (type && policy.type !== type) return;
    const key = attributesKey(policy);
    const counts = counted.get(key) ?? countsOf(policyUse(model, used, policy, ends));
    if (key !== '') counted.set(key, counts);
    if (counts.unusedCount === 0) return;
    unused.push({ policyId: policy.id, type: typeOf(policy), ...counts });
  });
  return unused.sort(compareUnused);
}

type Counts = Pick<UnusedAccess, 'grantedCount' | 'unusedCount'>;

function countsOf({ identities, services, used }: PolicyUse): Counts {
  const grantedCount = identities.popcount() * services.popcount();
  return { grantedCount, unusedCount: grantedCount - used.pairs };
}

/**
 * A text that is the same for policies with the same roles. The broadest policies cost the most, and
 * networks have many that differ in posture checks alone. Lists of ids are long and rarely the same.
 */
function attributesKey(policy: IndexedPolicy): string {
  const sides = [rolesOn(policy, 'identities'), rolesOn(policy, 'services')];
  if (sides.some(({ ids }) => ids.length > 0)) return '';
  return JSON.stringify([
    policy.type,
    policy.semantic,
    ...sides.map(({ all, attributes }) => [all, attributes]),
  ]);
}

export const compareUnused = (
  a: Pick<UnusedAccess, 'policyId' | 'unusedCount'>,
  b: Pick<UnusedAccess, 'policyId' | 'unusedCount'>,
): number => b.unusedCount - a.unusedCount || compareBytes(a.policyId, b.policyId);
