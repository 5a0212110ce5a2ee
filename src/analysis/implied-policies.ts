import { byteSorted } from '../base/byte-order.js';
import { member, selectedBy } from '../policy/index.js';
import type { EntityValue, IndexedPolicy, PolicyKind, Side } from '../policy/index.js';
import { rolesOn, sidesOf } from './access-model.js';
import type { AccessModel } from './access-model.js';
import { eachSliced } from './slices.js';
import type { Sliced } from './slices.js';

/** A policy whose removal makes no difference, with the present entities and with any others. */
export interface ImpliedPolicy {
  readonly id: string;
  /** A policy that grants all of it on no more checks, and that no third policy implies. */
  readonly by: string;
  /** Whether both grant exactly the same. */
  readonly isDuplicate: boolean;
}

/**
 * Gives the policies of a kind that another one implies. More attributes never remove a member, so
 * one side contains another when it contains its smallest members: for each id an entity with
 * only that id, for each attribute (for AllOf, the whole list) an unnamed entity with only that.
 * System policies are left out, because they can not be deleted.
 */
export function* impliedPolicies(
  model: AccessModel,
  kind: PolicyKind,
  isSystem: (id: string) => boolean,
): Sliced<ImpliedPolicy[]> {
  const impliersById = new Map<string, Set<string>>();
  yield* eachSliced([...model.policies(kind)], 16, (policy) => {
    impliersById.set(policy.id, impliers(model, kind, policy));
  });
  const impliersOf = (id: string): ReadonlySet<string> => impliersById.get(id) ?? new Set();
  const isEqual = (a: string, b: string): boolean => impliersOf(a).has(b) && impliersOf(b).has(a);
  const isTop = (id: string): boolean => [...impliersOf(id)].every((other) => isEqual(id, other));
  /** Chooses one of equal policies: one that can not be deleted, else the first. */
  const keeperOf = (id: string): string => {
    const equals = byteSorted([...impliersOf(id), id].filter((e) => e === id || isEqual(id, e)));
    return equals.find(isSystem) ?? equals[0] ?? id;
  };
  const implied: ImpliedPolicy[] = [];
  yield* eachSliced(impliersById.keys(), 64, (id) => {
    if (isSystem(id)) return;
    const [top] = byteSorted(
      [...impliersOf(id)].filter((other) => !isEqual(id, other) && isTop(other)),
    );
    const by = keeperOf(top ?? id);
    if (by !== id) implied.push({ id, by, isDuplicate: top === undefined });
  });
  return implied;
}

/** Gives the policies that imply the given one; none for a policy that can have no members. */
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

/** Gives the two sides that a policy of the kind joins. */
export function grantingSides(kind: PolicyKind): [from: Side, to: Side] {
  const [from, to] = sidesOf(kind).filter((side) => selectedBy(kind, side) !== 'postureCheck');
  if (!from || !to) throw new TypeError(`${kind} joins nothing`);
  return [from, to];
}

const liesIn = (inner: IndexedPolicy, outer: IndexedPolicy, side: Side): boolean =>
  smallestMembers(inner, side).every((entity) =>
    member(rolesOn(outer, side), outer.semantic, entity),
  );

/** No entity has the empty id, so it stands for an entity that no role names. */
const UNNAMED_ID = '';

function smallestMembers(policy: IndexedPolicy, side: Side): EntityValue[] {
  const { all, ids, attributes } = rolesOn(policy, side);
  if (all) return [{ id: UNNAMED_ID, attributes: [] }];
  const namedMembers = ids.map((id): EntityValue => ({ id, attributes: [] }));
  const lists = policy.semantic === 'AllOf' ? [attributes] : attributes.map((name) => [name]);
  return [
    ...namedMembers,
    ...lists
      .filter((list) => list.length > 0)
      .map((list): EntityValue => ({ id: UNNAMED_ID, attributes: list })),
  ];
}
