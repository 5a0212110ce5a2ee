import type { Bitset } from '../../../kernel/policy/index.js';
import type { AccessModel } from '../model/access-model.js';
import { ACCESS_PAIR } from '../pairs/access-pair.js';
import type { AccessPair } from '../pairs/access-pair.js';
import { accessList } from '../pairs/access-pairs.js';
import { RuleSides } from './rule-sides.js';
import type { AccessRule } from './rule-sides.js';
import { AccessSelection } from '../pairs/access-selection.js';
import { sortedSliced } from '../pairs/byte-sorting.js';
import { PairList } from '../pairs/pair-list.js';
import { Reach, signatureOf } from '../pairs/reach.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';

/** Gives all pairs that violate a rule: pairs with forbidden access, or without required access. */
export function* violatingPairs(
  model: AccessModel,
  rule: AccessRule,
): Sliced<PairList<AccessPair>> {
  const { identities, services } = new RuleSides(model, rule);
  const { type } = rule;
  if (rule.kind === 'MUST_NEVER_REACH') {
    return yield* accessList(model, { type, where: { identities, services } });
  }
  return yield* missingPairs(
    model,
    identities,
    new AccessSelection(model, { type, where: { services } }),
  );
}

function* missingPairs(
  model: AccessModel,
  identities: Bitset,
  selection: AccessSelection,
): Sliced<PairList<AccessPair>> {
  const space = yield* selection.space();
  const reach = new Reach(model, selection.relation, space);
  const required = space.whole();
  const rowOf = (id: string): Bitset =>
    required.clone().andNot(reach.row(model.entity('identity', id)));
  const countBySignature = new Map<string, number>();
  const fromIds: string[] = [];
  let totalCount = 0;
  yield* eachSliced(model.idsOf('identity', identities), 32, (id) => {
    const signature = signatureOf(reach.termsOf(model.entity('identity', id)));
    const missing = countBySignature.get(signature) ?? rowOf(id).popcount();
    countBySignature.set(signature, missing);
    if (missing > 0) fromIds.push(id);
    totalCount += missing;
  });
  return new PairList(ACCESS_PAIR, {
    totalCount,
    fromIds: yield* sortedSliced(fromIds),
    rowOf,
    space,
  });
}
