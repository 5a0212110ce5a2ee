import { Bitset } from '../policy/index.js';
import type { IndexedPolicy } from '../policy/index.js';
import { everyone, membersOf, rolesOn, selectedBy } from './access-model.js';
import { sortedSliced } from './byte-sorting.js';
import { PairList } from './pair-list.js';
import type { PairShape } from './pair-list.js';
import type { Relation } from './relation.js';
import { OthersDifferences, OwnDifferences, Tally } from './row-differences.js';
import type { Differing } from './row-differences.js';
import { eachSliced } from './slices.js';
import type { Sliced } from './slices.js';
import { TargetSpace } from './target-space.js';
import type { TwoStates } from './two-states.js';

export interface PairChanges<P> {
  readonly gained: PairList<P>;
  readonly lost: PairList<P>;
}

export interface DiffOptions<P> extends Differing {
  readonly shape: PairShape<P>;
  /** The policies whose targets may differ besides those that changed: by id, or all. */
  readonly suspects: Iterable<string>;
}

/** The pairs of a relation that only one of two states has. */
export function* relationDiff<P>(
  states: TwoStates,
  options: DiffOptions<P>,
): Sliced<PairChanges<P>> {
  const { relation, shape } = options;
  const { before, after, changed } = states;
  const kind = selectedBy(relation.kind, relation.from);
  const own = changed.ids(kind);
  const touched = yield* touchedBy(states, relation, options.suspects);
  const targets = yield* targetsOf(states, relation, own);
  const among = touched.to.map((layer) => layer.or(targets));
  const space = yield* TargetSpace.of([before, after], relation.to, among);

  const isOwn = new Set(own);
  // Those that did not change themselves are in both states.
  const others = before.idsOf(kind, touched.from).filter((id) => !isOwn.has(id));
  const ofOwn = new OwnDifferences(states, options, space);
  const ofOthers = new OthersDifferences(states, options, space, touched.policies);
  const found = { gained: new Tally(), lost: new Tally() };
  yield* ofOwn.countAll(own, found);
  yield* ofOthers.countAll(others, found);
  const list = function* (side: 'gained' | 'lost'): Sliced<PairList<P>> {
    return new PairList(shape, {
      totalCount: found[side].count,
      fromIds: yield* sortedSliced(found[side].ids),
      rowOf: (id) => (isOwn.has(id) ? ofOwn : ofOthers).rowsOf(id)[side],
      space,
    });
  };
  return { gained: yield* list('gained'), lost: yield* list('lost') };
}

interface Touched {
  /** The policies whose members or targets differ. */
  readonly policies: ReadonlySet<string>;
  /** Whose rows may differ, although they themselves did not change. */
  readonly from: Bitset;
  /** What their rows may differ in, by layer. */
  readonly to: readonly Bitset[];
}

function* touchedBy(
  { before, after, changed }: TwoStates,
  relation: Relation,
  suspects: Iterable<string>,
): Sliced<Touched> {
  const { kind, from } = relation;
  const policies = new Set<string>();
  const to = Array.from({ length: relation.layers }, () => new Bitset());
  const touched: Touched = { policies, from: new Bitset(), to };
  const targetsBefore = relation.targets(before);
  const targetsAfter = relation.targets(after);
  const ids = new Set([...changed.ids(kind), ...suspects]);
  yield* eachSliced(ids, 8, (id) => {
    const had = partIn(relation, before.policy(kind, id));
    const has = partIn(relation, after.policy(kind, id));
    const lost = targetsBefore(had);
    const gained = targetsAfter(has);
    const isSame = isSameSide(relation, had[0], has[0]);
    if (isSame && lost.equals(gained)) return;
    policies.add(id);
    // What the policy had and has for the same members makes no difference.
    const common = isSame ? lost.clone().and(gained) : new Bitset();
    for (const policy of had) to[relation.layerOf(policy) ?? 0]?.or(lost.andNot(common));
    for (const policy of has) to[relation.layerOf(policy) ?? 0]?.or(gained.andNot(common));
    touched.from.or(membersOf(before, kind, had, from)).or(membersOf(after, kind, has, from));
  });
  return touched;
}

/** All that entities may be paired with in either state. */
function* targetsOf(
  { before, after }: TwoStates,
  relation: Relation,
  ids: readonly string[],
): Sliced<Bitset> {
  const found = new Bitset();
  if (ids.length > FEW) {
    return found.or(everyone(before, relation.to)).or(everyone(after, relation.to));
  }
  const kind = selectedBy(relation.kind, relation.from);
  for (const model of [before, after]) {
    const targets = relation.targets(model);
    yield* eachSliced(ids, 4, (id) => {
      const entity = model.entity(kind, id);
      const policies = entity ? model.policiesWith(relation.kind, relation.from, entity) : [];
      found.or(targets(policies.filter((policy) => relation.layerOf(policy) !== undefined)));
    });
  }
  return found;
}

/** Up to so many entities are looked at one by one. */
const FEW = 64;

const partIn = (relation: Relation, policy: IndexedPolicy | undefined): IndexedPolicy[] =>
  policy && relation.layerOf(policy) !== undefined ? [policy] : [];

function isSameSide(
  relation: Relation,
  had: IndexedPolicy | undefined,
  has: IndexedPolicy | undefined,
): boolean {
  if (!had || !has) return !had && !has;
  return (
    relation.layerOf(had) === relation.layerOf(has) &&
    had.semantic === has.semantic &&
    JSON.stringify(rolesOn(had, relation.from)) === JSON.stringify(rolesOn(has, relation.from))
  );
}
