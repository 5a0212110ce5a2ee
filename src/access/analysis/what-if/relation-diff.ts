import { Bitset, selectedBy } from '../../../kernel/policy/index.js';
import type { IndexedPolicy } from '../../../kernel/policy/index.js';
import { allOrdinals, membersOf, rolesOn } from '../model/access-model.js';
import { sortedSliced } from '../pairs/byte-sorting.js';
import { PairList } from '../pairs/pair-list.js';
import type { PairShape } from '../pairs/pair-list.js';
import type { Relation } from '../pairs/relation.js';
import { UnchangedEntityDifferences, ChangedEntityDifferences, Tally } from './row-differences.js';
import type { DifferenceOptions } from './row-differences.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import { TargetSpace } from '../pairs/target-space.js';
import type { TwoStates } from '../model/two-states.js';

export interface PairChanges<P> {
  readonly gained: PairList<P>;
  readonly lost: PairList<P>;
}

export interface DiffOptions<P> extends DifferenceOptions {
  readonly shape: PairShape<P>;
  /** The ids of unchanged policies whose targets may differ. */
  readonly suspects: Iterable<string>;
}

/** Gives the pairs of a relation that exist in only one of two states. */
export function* relationDiff<P>(
  states: TwoStates,
  options: DiffOptions<P>,
): Sliced<PairChanges<P>> {
  const { relation, shape } = options;
  const { before, after, changed } = states;
  const kind = selectedBy(relation.kind, relation.from);
  const changedIds = changed.ids(kind);
  const touched = yield* touchedBy(states, relation, options.suspects);
  const targets = yield* targetsOf(states, relation, changedIds);
  const among = touched.to.map((layer) => layer.or(targets));
  const space = yield* TargetSpace.of([before, after], relation.to, among);

  const changedIdSet = new Set(changedIds);
  // Unchanged entities are in both states.
  const unchangedIds = before.idsOf(kind, touched.from).filter((id) => !changedIdSet.has(id));
  const changedDiff = new ChangedEntityDifferences(states, options, space);
  const unchangedDiff = new UnchangedEntityDifferences(states, options, space, touched.policies);
  const tallies = { gained: new Tally(), lost: new Tally() };
  yield* changedDiff.countAll(changedIds, tallies);
  yield* unchangedDiff.countAll(unchangedIds, tallies);
  const list = function* (side: 'gained' | 'lost'): Sliced<PairList<P>> {
    return new PairList(shape, {
      totalCount: tallies[side].count,
      fromIds: yield* sortedSliced(tallies[side].ids),
      rowOf: (id) => (changedIdSet.has(id) ? changedDiff : unchangedDiff).rowsOf(id)[side],
      space,
    });
  };
  return { gained: yield* list('gained'), lost: yield* list('lost') };
}

interface TouchedByPolicies {
  /** The policies whose members or targets differ. */
  readonly policies: ReadonlySet<string>;
  /** Unchanged entities whose rows may differ. */
  readonly from: Bitset;
  /** The targets in which these rows may differ, by layer. */
  readonly to: readonly Bitset[];
}

function* touchedBy(
  { before, after, changed }: TwoStates,
  relation: Relation,
  suspects: Iterable<string>,
): Sliced<TouchedByPolicies> {
  const { kind, from } = relation;
  const policies = new Set<string>();
  const to = Array.from({ length: relation.layers }, () => new Bitset());
  const touched: TouchedByPolicies = { policies, from: new Bitset(), to };
  const targetsBefore = relation.targets(before);
  const targetsAfter = relation.targets(after);
  const ids = new Set([...changed.ids(kind), ...suspects]);
  yield* eachSliced(ids, 8, (id) => {
    const policyBefore = asLayered(relation, before.policy(kind, id));
    const policyAfter = asLayered(relation, after.policy(kind, id));
    const lost = targetsBefore(policyBefore);
    const gained = targetsAfter(policyAfter);
    const isSame = isSameSide(relation, policyBefore[0], policyAfter[0]);
    if (isSame && lost.equals(gained)) return;
    policies.add(id);
    // Targets that the policy grants the same members in both states make no difference.
    const common = isSame ? lost.clone().and(gained) : new Bitset();
    for (const policy of policyBefore) to[relation.layerOf(policy) ?? 0]?.or(lost.andNot(common));
    for (const policy of policyAfter) to[relation.layerOf(policy) ?? 0]?.or(gained.andNot(common));
    touched.from
      .or(membersOf(before, kind, policyBefore, from))
      .or(membersOf(after, kind, policyAfter, from));
  });
  return touched;
}

/** Gives the possible targets of entities in either state. */
function* targetsOf(
  { before, after }: TwoStates,
  relation: Relation,
  ids: readonly string[],
): Sliced<Bitset> {
  const possible = new Bitset();
  if (ids.length > FEW) {
    return possible.or(allOrdinals(before, relation.to)).or(allOrdinals(after, relation.to));
  }
  const kind = selectedBy(relation.kind, relation.from);
  for (const model of [before, after]) {
    const targets = relation.targets(model);
    yield* eachSliced(ids, 4, (id) => {
      const entity = model.entity(kind, id);
      const policies = entity ? model.policiesWith(relation.kind, relation.from, entity) : [];
      possible.or(targets(policies.filter((policy) => relation.layerOf(policy) !== undefined)));
    });
  }
  return possible;
}

/** Up to this number, entities are read one by one. */
const FEW = 64;

const asLayered = (relation: Relation, policy: IndexedPolicy | undefined): IndexedPolicy[] =>
  policy && relation.layerOf(policy) !== undefined ? [policy] : [];

function isSameSide(
  relation: Relation,
  before: IndexedPolicy | undefined,
  after: IndexedPolicy | undefined,
): boolean {
  if (!before || !after) return !before && !after;
  return (
    relation.layerOf(before) === relation.layerOf(after) &&
    before.semantic === after.semantic &&
    JSON.stringify(rolesOn(before, relation.from)) === JSON.stringify(rolesOn(after, relation.from))
  );
}
