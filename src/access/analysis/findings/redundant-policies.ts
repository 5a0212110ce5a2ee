import { byteSorted, compareBytes } from '../../../base/byte-order.js';
import { isPending, member, selectedBy } from '../../../kernel/policy/index.js';
import type {
  Bitset,
  EntityValue,
  IndexedPolicy,
  PolicyKind,
  Roles,
} from '../../../kernel/policy/index.js';
import { membersOf, roleTexts, rolesOn } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { grantingSides } from './implied-policies.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';

/** A policy whose removal makes no difference to the present entities. */
export interface RedundantPolicy {
  readonly id: string;
  /** The policies that together grant the same on no more checks; none of them is redundant. */
  readonly by: readonly string[];
}

interface PolicySets {
  readonly policy: IndexedPolicy;
  /** On the side of the members. */
  readonly roles: Roles;
  readonly number: number;
  readonly targets: Bitset;
  readonly checks: Bitset;
  /** The policies of each kind of member, this one included. */
  readonly groups: (readonly PolicySets[])[];
}

/**
 * Finds the policies of a kind that grant no present entity anything beyond the other policies.
 * All of them can be removed together: the policies that cover them are not in the result.
 * In large networks it checks the policies with the fewest members, up to 20,000 members together.
 * @param mayGo Whether a policy is a candidate; the others stay.
 * @param isThere Whether a policy counts at all.
 */
export function* redundantPolicies(
  model: AccessModel,
  kind: PolicyKind,
  isCandidate: (id: string) => boolean,
  isCounted: (id: string) => boolean,
): Sliced<RedundantPolicy[]> {
  const policies = yield* policySets(model, kind, isCounted);
  const candidates = yield* smallestPolicies(model, kind, policies, isCandidate);
  yield* groupMembers(model, kind, policies, candidates.members);
  const removed = new Set<PolicySets>();
  // From the last to the first, so that the first of equal policies stays.
  for (const policy of policies.toReversed()) {
    if (!candidates.policies.has(policy)) continue;
    if (yield* isFullyCovered(policy, removed)) removed.add(policy);
  }
  const redundant: RedundantPolicy[] = [];
  for (const policy of policies) {
    if (removed.has(policy))
      redundant.push({ id: policy.policy.id, by: yield* coveringOf(policy, removed) });
  }
  return redundant;
}

/** Gives the policies in the order of their ids. */
function* policySets(
  model: AccessModel,
  kind: PolicyKind,
  isCounted: (id: string) => boolean,
): Sliced<PolicySets[]> {
  const [from, to] = grantingSides(kind);
  const policies = [...model.policies(kind)].sort((a, b) => compareBytes(a.id, b.id));
  const sets: PolicySets[] = [];
  yield* eachSliced(policies, 64, (policy) => {
    if (!isCounted(policy.id)) return;
    const targets = membersOf(model, kind, [policy], to);
    if (!targets.intersects(targets)) return;
    const checks =
      kind === 'servicePolicy'
        ? membersOf(model, kind, [policy], 'postureChecks')
        : targets.clone().andNot(targets);
    const roles = rolesOn(policy, from);
    sets.push({ policy, roles, number: sets.length, targets, checks, groups: [] });
  });
  return sets;
}

const MAX_MEMBERS = 20_000;

interface Candidates {
  readonly policies: ReadonlySet<PolicySets>;
  /** The members of all candidates. */
  readonly members: Bitset;
}

/** Chooses the candidates with the fewest members, at least one, up to `MAX_MEMBERS` together. */
function* smallestPolicies(
  model: AccessModel,
  kind: PolicyKind,
  policies: readonly PolicySets[],
  isCandidate: (id: string) => boolean,
): Sliced<Candidates> {
  const [side] = grantingSides(kind);
  const counted: { readonly held: PolicySets; readonly count: number }[] = [];
  yield* eachSliced(policies, 64, (held) => {
    const count = membersOf(model, kind, [held.policy], side).popcount();
    if (count > 0 && isCandidate(held.policy.id)) counted.push({ held, count });
  });
  let budget = MAX_MEMBERS;
  const chosen = counted
    .sort((a, b) => a.count - b.count || a.held.number - b.held.number)
    .filter(({ count }) => (budget -= count) >= 0)
    .map(({ held }) => held);
  const sides = chosen.map(({ policy }) => policy);
  return { policies: new Set(chosen), members: membersOf(model, kind, sides, side) };
}

/** Groups members by their policies: members with the same policies are checked once. */
function* groupMembers(
  model: AccessModel,
  kind: PolicyKind,
  policies: readonly PolicySets[],
  members: Bitset,
): Sliced<void> {
  const from = selectedBy(kind, grantingSides(kind)[0]);
  const byRole = new Map<string, PolicySets[]>();
  for (const policy of policies) {
    for (const role of roleTexts(policy.roles)) {
      const rolePolicies = byRole.get(role);
      if (rolePolicies) rolePolicies.push(policy);
      else byRole.set(role, [policy]);
    }
  }
  const signatures = new Set<string>();
  yield* eachSliced(model.idsOf(from, members), 32, (id) => {
    const entity = model.entity(from, id);
    const group = entity ? policiesOf(byRole, entity) : [];
    const signature = group.map(({ number }) => number).join(' ');
    if (signatures.has(signature)) return;
    signatures.add(signature);
    for (const policy of group) policy.groups.push(group);
  });
}

function policiesOf(
  byRole: ReadonlyMap<string, readonly PolicySets[]>,
  entity: EntityValue,
): PolicySets[] {
  const isDirect = !isPending(entity);
  const matching = new Set(isDirect ? byRole.get('#all') : []);
  const ids = isDirect ? [`@${entity.id}`] : [];
  for (const role of [...ids, ...entity.attributes.map((name) => `#${name}`)]) {
    for (const held of byRole.get(role) ?? []) {
      if (!matching.has(held) && member(held.roles, held.policy.semantic, entity))
        matching.add(held);
    }
  }
  return [...matching].sort((a, b) => a.number - b.number);
}

function* isFullyCovered(policy: PolicySets, removed: ReadonlySet<PolicySets>): Sliced<boolean> {
  for (const [i, group] of policy.groups.entries()) {
    if (i % GROUPS_AT_ONCE === 0) yield;
    if (!isCovered(policy, group, removed)) return false;
  }
  return true;
}

const GROUPS_AT_ONCE = 128;

/** Gives one policy that covers the given one alone or, without one, several that do together. */
function* coveringOf(policy: PolicySets, removed: ReadonlySet<PolicySets>): Sliced<string[]> {
  const together = new Set<string>();
  let alone: readonly PolicySets[] | undefined;
  yield* eachSliced(policy.groups, GROUPS_AT_ONCE, (group) => {
    const substitutes = group.filter((other) => !removed.has(other) && canReplace(other, policy));
    alone = (alone ?? substitutes).filter(
      (other) => substitutes.includes(other) && isWithin(policy.targets, other.targets),
    );
    for (const id of coveringParts(policy, substitutes)) together.add(id);
  });
  const [first] = alone ?? [];
  return first ? [first.policy.id] : byteSorted(together);
}

const canReplace = (other: PolicySets, policy: PolicySets): boolean =>
  other !== policy &&
  other.policy.endsByItself !== true &&
  other.policy.type === policy.policy.type &&
  isWithin(other.checks, policy.checks);

const isWithin = (inner: Bitset, outer: Bitset): boolean => {
  const outside = inner.clone().andNot(outer);
  return !outside.intersects(outside);
};

function isCovered(
  policy: PolicySets,
  group: readonly PolicySets[],
  removed: ReadonlySet<PolicySets>,
): boolean {
  const uncovered = policy.targets.clone();
  for (const other of group) {
    if (removed.has(other) || !other.targets.intersects(uncovered) || !canReplace(other, policy))
      continue;
    if (!uncovered.andNot(other.targets).intersects(uncovered)) return true;
  }
  return false;
}

/** Gives the policies that cover a part that the ones before them do not. */
function coveringParts(policy: PolicySets, substitutes: readonly PolicySets[]): string[] {
  const uncovered = policy.targets.clone();
  return substitutes.flatMap((other) => {
    if (!other.targets.intersects(uncovered)) return [];
    uncovered.andNot(other.targets);
    return [other.policy.id];
  });
}
