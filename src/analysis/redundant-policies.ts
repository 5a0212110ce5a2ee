import { byteSorted, compareBytes } from '../base/byte-order.js';
import { member } from '../policy/index.js';
import type { Bitset, EntityValue, IndexedPolicy, PolicyKind, Roles } from '../policy/index.js';
import { membersOf, roleTexts, rolesOn, selectedBy } from './access-model.js';
import type { AccessModel } from './access-model.js';
import { grantingSides } from './implied-policies.js';
import { eachSliced } from './slices.js';
import type { Sliced } from './slices.js';

/** A policy that could go today without a difference; other entities may need it tomorrow. */
export interface RedundantPolicy {
  readonly id: string;
  /** The policies that grant together what it does, on no more checks; none of them is redundant. */
  readonly by: readonly string[];
}

interface Held {
  readonly policy: IndexedPolicy;
  /** On the side that is gone through. */
  readonly roles: Roles;
  readonly number: number;
  readonly targets: Bitset;
  readonly checks: Bitset;
  /** For each kind of member the policies that it is in, this one too. */
  readonly groups: (readonly Held[])[];
}

/**
 * The policies of a kind that grant nothing today that the others do not grant, entity by entity.
 * All of them can go together: each is covered by policies that are not among them.
 * Of large networks the policies with the fewest members are looked at, up to 20,000 together.
 * @param mayGo The policies that are asked about; the others stay.
 * @param isThere Whether a policy counts at all.
 */
export function* redundantPolicies(
  model: AccessModel,
  kind: PolicyKind,
  mayGo: (id: string) => boolean,
  isThere: (id: string) => boolean,
): Sliced<RedundantPolicy[]> {
  const policies = yield* heldPolicies(model, kind, isThere);
  const asked = yield* smallest(model, kind, policies, mayGo);
  yield* groupMembers(model, kind, policies, asked.members);
  const gone = new Set<Held>();
  // The last go first, so that of equals the first one stays.
  for (const held of policies.toReversed()) {
    if (!asked.policies.has(held)) continue;
    if (yield* isCoveredWholly(held, gone)) gone.add(held);
  }
  const found: RedundantPolicy[] = [];
  for (const held of policies) {
    if (gone.has(held)) found.push({ id: held.policy.id, by: yield* coveringOf(held, gone) });
  }
  return found;
}

/** In the order of their ids. */
function* heldPolicies(
  model: AccessModel,
  kind: PolicyKind,
  isThere: (id: string) => boolean,
): Sliced<Held[]> {
  const [from, to] = grantingSides(kind);
  const policies = [...model.policies(kind)].sort((a, b) => compareBytes(a.id, b.id));
  const found: Held[] = [];
  yield* eachSliced(policies, 64, (policy) => {
    if (!isThere(policy.id)) return;
    const targets = membersOf(model, kind, [policy], to);
    if (!targets.intersects(targets)) return;
    const checks =
      kind === 'servicePolicy'
        ? membersOf(model, kind, [policy], 'postureChecks')
        : targets.clone().andNot(targets);
    const roles = rolesOn(policy, from);
    found.push({ policy, roles, number: found.length, targets, checks, groups: [] });
  });
  return found;
}

const MOST_MEMBERS = 20_000;

interface AskedAbout {
  readonly policies: ReadonlySet<Held>;
  /** Of all of them. */
  readonly members: Bitset;
}

/** Those with members, the fewest first, as long as they are not too many together. */
function* smallest(
  model: AccessModel,
  kind: PolicyKind,
  policies: readonly Held[],
  mayGo: (id: string) => boolean,
): Sliced<AskedAbout> {
  const [side] = grantingSides(kind);
  const counted: { readonly held: Held; readonly count: number }[] = [];
  yield* eachSliced(policies, 64, (held) => {
    const count = membersOf(model, kind, [held.policy], side).popcount();
    if (count > 0 && mayGo(held.policy.id)) counted.push({ held, count });
  });
  let left = MOST_MEMBERS;
  const chosen = counted
    .sort((a, b) => a.count - b.count || a.held.number - b.held.number)
    .filter(({ count }) => (left -= count) >= 0)
    .map(({ held }) => held);
  const sides = chosen.map(({ policy }) => policy);
  return { policies: new Set(chosen), members: membersOf(model, kind, sides, side) };
}

/** Members with the same policies are told apart by nothing here, so that they are looked at once. */
function* groupMembers(
  model: AccessModel,
  kind: PolicyKind,
  policies: readonly Held[],
  members: Bitset,
): Sliced<void> {
  const from = selectedBy(kind, grantingSides(kind)[0]);
  const byRole = new Map<string, Held[]>();
  for (const held of policies) {
    for (const role of roleTexts(held.roles)) {
      const known = byRole.get(role);
      if (known) known.push(held);
      else byRole.set(role, [held]);
    }
  }
  const seen = new Set<string>();
  yield* eachSliced(model.idsOf(from, members), 32, (id) => {
    const entity = model.entity(from, id);
    const group = entity ? policiesOf(byRole, entity) : [];
    const signature = group.map(({ number }) => number).join(' ');
    if (seen.has(signature)) return;
    seen.add(signature);
    for (const held of group) held.groups.push(group);
  });
}

function policiesOf(byRole: ReadonlyMap<string, readonly Held[]>, entity: EntityValue): Held[] {
  const found = new Set(byRole.get('#all'));
  for (const role of [`@${entity.id}`, ...entity.attributes.map((name) => `#${name}`)]) {
    for (const held of byRole.get(role) ?? []) {
      if (!found.has(held) && member(held.roles, held.policy.semantic, entity)) found.add(held);
    }
  }
  return [...found].sort((a, b) => a.number - b.number);
}

function* isCoveredWholly(held: Held, gone: ReadonlySet<Held>): Sliced<boolean> {
  for (const [i, group] of held.groups.entries()) {
    if (i % GROUPS_AT_ONCE === 0) yield;
    if (!isCovered(held, group, gone)) return false;
  }
  return true;
}

const GROUPS_AT_ONCE = 128;

/** One policy that covers it alone where there is one, else those that do together. */
function* coveringOf(held: Held, gone: ReadonlySet<Held>): Sliced<string[]> {
  const together = new Set<string>();
  let alone: readonly Held[] | undefined;
  yield* eachSliced(held.groups, GROUPS_AT_ONCE, (group) => {
    const staying = group.filter((other) => !gone.has(other) && canStandIn(other, held));
    alone = (alone ?? staying).filter(
      (other) => staying.includes(other) && isWithin(held.targets, other.targets),
    );
    for (const id of coveringParts(held, staying)) together.add(id);
  });
  const [first] = alone ?? [];
  return first ? [first.policy.id] : byteSorted(together);
}

const canStandIn = (other: Held, held: Held): boolean =>
  other !== held && other.policy.type === held.policy.type && isWithin(other.checks, held.checks);

const isWithin = (inner: Bitset, outer: Bitset): boolean => {
  const rest = inner.clone().andNot(outer);
  return !rest.intersects(rest);
};

function isCovered(held: Held, group: readonly Held[], gone: ReadonlySet<Held>): boolean {
  const left = held.targets.clone();
  for (const other of group) {
    if (gone.has(other) || !other.targets.intersects(left) || !canStandIn(other, held)) continue;
    if (!left.andNot(other.targets).intersects(left)) return true;
  }
  return false;
}

/** Those that cover a part which the ones before them leave. */
function coveringParts(held: Held, staying: readonly Held[]): string[] {
  const left = held.targets.clone();
  return staying.flatMap((other) => {
    if (!other.targets.intersects(left)) return [];
    left.andNot(other.targets);
    return [other.policy.id];
  });
}
