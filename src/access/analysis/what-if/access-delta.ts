import type { Bitset, EntityKind } from '../../../kernel/policy/index.js';
import { TYPES } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { ACCESS_PAIR } from '../pairs/access-pair.js';
import type { AccessPair } from '../pairs/access-pair.js';
import { AccessSelection } from '../pairs/access-selection.js';
import type { AccessQuery } from '../pairs/access-selection.js';
import { byteSorted } from '../../../base/byte-order.js';
import type { PairList } from '../pairs/pair-list.js';
import { relationDiff } from './relation-diff.js';
import { policiesAround } from './simulation.js';
import type { Sliced } from '../../../base/slices.js';
import { statesAfter } from '../model/two-states.js';
import type { TwoStates } from '../model/two-states.js';
import type { RowChange } from '../model/what-if-change.js';

/** The first pairs of a list in their order, and the length of the whole list. */
export interface ListedPairs {
  readonly pairs: readonly AccessPair[];
  readonly totalCount: number;
}

/** The pairs of a query that a change adds and removes. */
export interface AccessDelta {
  readonly before: AccessModel;
  readonly after: AccessModel;
  readonly gained: ListedPairs;
  readonly lost: ListedPairs;
}

/** Reads only the pairs of the query: a watcher of few pairs costs little at each change. */
export function* accessDelta(
  model: AccessModel,
  change: RowChange,
  query: AccessQuery,
  most: number,
): Sliced<AccessDelta> {
  const states = yield* statesAfter(model, [change]);
  const { before, after, changed } = states;
  if (!changed.has('identity', 'service', 'servicePolicy')) {
    return { before, after, gained: NOTHING, lost: NOTHING };
  }
  const { identities, services } = query;
  if (identities) return ofIdentities(states, identities, query, most);
  if (services) return ofServices(states, services, query, most);
  const { gained, lost } = yield* relationDiff(states, {
    relation: new AccessSelection(before, query).relation,
    shape: ACCESS_PAIR,
    suspects: policiesAround(states, 'servicePolicy', 'services', 'service'),
  });
  return { before, after, gained: listed(gained, most), lost: listed(lost, most) };
}

const NOTHING: ListedPairs = { pairs: [], totalCount: 0 };

const listed = (pairs: PairList<AccessPair>, most: number): ListedPairs => ({
  pairs: pairs.page(most).pairs,
  totalCount: pairs.totalCount,
});

function ofIdentities(
  states: TwoStates,
  identities: readonly string[],
  query: AccessQuery,
  most: number,
): AccessDelta {
  return compared(states, query, most, {
    ids: identities,
    other: 'service',
    setsOf: (selection, id) => selection.rowOf(id),
    pairOf: (identityId, serviceId) => ({ identityId, serviceId }),
  });
}

function ofServices(
  states: TwoStates,
  services: readonly string[],
  query: AccessQuery,
  most: number,
): AccessDelta {
  return compared(states, query, most, {
    ids: services,
    other: 'identity',
    setsOf: (selection, id) => selection.columnOf(id),
    pairOf: (serviceId, identityId) => ({ identityId, serviceId }),
  });
}

/** The given ends of pairs, and how to find their other ends. */
interface Ends {
  readonly ids: readonly string[];
  readonly other: EntityKind;
  /** The ordinals of the other ends, by type. */
  readonly setsOf: (selection: AccessSelection, id: string) => Bitset[];
  readonly pairOf: (id: string, otherId: string) => Omit<AccessPair, 'type'>;
}

function compared(
  { before, after }: TwoStates,
  query: AccessQuery,
  most: number,
  ends: Ends,
): AccessDelta {
  const [selectionBefore, selectionAfter] = [
    new AccessSelection(before, query),
    new AccessSelection(after, query),
  ];
  // An entity that both states contain has the same ordinal in both.
  const missingFrom = (
    model: AccessModel,
    selection: AccessSelection,
    otherSelection: AccessSelection,
  ): ListedPairs => {
    const pairs = byteSorted(ends.ids).flatMap((id) => {
      const otherSets = ends.setsOf(otherSelection, id);
      const sets = ends
        .setsOf(selection, id)
        .map((set, layer) => (otherSets[layer] ? set.andNot(otherSets[layer]) : set));
      return pairsOf(model, id, sets, ends);
    });
    return { pairs: pairs.slice(0, most), totalCount: pairs.length };
  };
  return {
    before,
    after,
    gained: missingFrom(after, selectionAfter, selectionBefore),
    lost: missingFrom(before, selectionBefore, selectionAfter),
  };
}

function pairsOf(
  model: AccessModel,
  id: string,
  sets: readonly Bitset[],
  { other, pairOf }: Ends,
): AccessPair[] {
  const idsByType = TYPES.map((_, layer) => {
    const set = sets[layer];
    return new Set(set ? model.idsOf(other, set) : []);
  });
  return byteSorted(idsByType.flatMap((ids) => [...ids])).flatMap((otherId) =>
    TYPES.filter((_, layer) => idsByType[layer]?.has(otherId)).map((type) => ({
      ...pairOf(id, otherId),
      type,
    })),
  );
}
