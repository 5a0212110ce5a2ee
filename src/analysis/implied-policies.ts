import { byteSorted } from '../base/byte-order.js';
import { member } from '../policy/index.js';
import type { EntityValue, IndexedPolicy, PolicyKind, Side } from '../policy/index.js';
import { rolesOn, selectedBy, sidesOf } from './access-model.js';
import type { AccessModel } from './access-model.js';
import { eachSliced } from './slices.js';
import type { Sliced } from './slices.js';

/** A policy that could go without a difference, now and whatever entities come. */
export interface ImpliedPolicy {
  readonly id: string;
  /** The policy that grants all it does, on no more checks; it is not implied itself. */
  readonly by: string;
  /** They grant exactly the same. */
  readonly isDuplicate: boolean;
}

/**
 * The policies of a kind that another one implies. Membership only grows with attributes, so a
 * side lies in another one when its smallest members do: of each id an entity with nothing but that
 * id, of each attribute (or list of them, for AllOf) a stranger who holds just these. System
 * policies can not go, so nothing is said of them.
 */
export function* impliedPolicies(
  model: AccessModel,
  kind: PolicyKind,
  isSystem: (id: string) => boolean,
): Sliced<ImpliedPolicy[]> {
  const above = new Map<string, Set<string>>();
  yield* eachSliced([...model.policies(kind)], 16, (policy) => {
    above.set(policy.id, impliers(model, kind, policy));
  });
  const idsAbove = (id: string): ReadonlySet<string> => above.get(id) ?? new Set();
  const isEqual = (a: string, b: string): boolean => idsAbove(a).has(b) && idsAbove(b).has(a);
  const isTop = (id: string): boolean => [...idsAbove(id)].every((other) => isEqual(id, other));
  /** One of equals stands for all of them: one that can not be deleted, or the first. */
  const keeperOf = (id: string): string => {
    const equals = byteSorted([...idsAbove(id), id].filter((e) => e === id || isEqual(id, e)));
    return equals.find(isSystem) ?? equals[0] ?? id;
  };
  const found: ImpliedPolicy[] = [];
  yield* eachSliced(above.keys(), 64, (id) => {
    if (isSystem(id)) return;
    const [top] = byteSorted(
      [...idsAbove(id)].filter((other) => !isEqual(id, other) && isTop(other)),
    );
    const by = keeperOf(top ?? id);
    if (by !== id) found.push({ id, by, isDuplicate: top === undefined });
  });
  return found;
}

/** The policies that imply it. One that nobody can be in is left alone. */
function impliers(model: AccessModel, kind: PolicyKind, policy: IndexedPolicy): Set<string> {
  const [from, to] = grantingSides(kind);
  const [first] = smallestMembers(policy, from);
  if (!first || smallestMembers(policy, to).length === 0) return new Set();
  const candidates = model.policiesWith(kind, from, first);
  return new Set(
    candidates
      .filter(
        (other) =>
          other.id !== policy.id &&
          other.type === policy.type &&
          liesIn(policy, other, from) &&
          liesIn(policy, other, to) &&
          liesIn(other, policy, 'postureChecks'),
      )
      .map(({ id }) => id),
  );
}

/** The two sides that a policy of the kind joins. */
export function grantingSides(kind: PolicyKind): [from: Side, to: Side] {
  const [from, to] = sidesOf(kind).filter((side) => selectedBy(kind, side) !== 'postureCheck');
  if (!from || !to) throw new TypeError(`${kind} joins nothing`);
  return [from, to];
}

const liesIn = (inner: IndexedPolicy, outer: IndexedPolicy, side: Side): boolean =>
  smallestMembers(inner, side).every((entity) =>
    member(rolesOn(outer, side), outer.semantic, entity),
  );

/** No entity has the empty id, so it stands for whom no role names. */
const STRANGER = '';

function smallestMembers(policy: IndexedPolicy, side: Side): EntityValue[] {
  const { all, ids, attributes } = rolesOn(policy, side);
  if (all) return [{ id: STRANGER, attributes: [] }];
  const named = ids.map((id): EntityValue => ({ id, attributes: [] }));
  const lists = policy.semantic === 'AllOf' ? [attributes] : attributes.map((name) => [name]);
  return [
    ...named,
    ...lists
      .filter((list) => list.length > 0)
      .map((list): EntityValue => ({ id: STRANGER, attributes: list })),
  ];
}
