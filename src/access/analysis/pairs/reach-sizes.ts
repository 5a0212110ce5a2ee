import type { PolicyKind, Side } from '../../../kernel/policy/index.js';
import { selectedBy } from '../../../kernel/policy/index.js';
import { allOrdinals } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { Reach, signatureOf } from './reach.js';
import { direct } from './relation.js';
import type { Sliced } from '../../../base/slices.js';
import { eachSliced } from '../../../base/slices.js';
import { TargetSpace } from './target-space.js';

/**
 * Gives, by entity id, the number of entities that each entity reaches on the other side of the
 * policies of a kind. Entities in the same policies by the same roles are counted once.
 */
export function* reachSizes(
  model: AccessModel,
  kind: PolicyKind,
  from: Side,
  to: Side,
): Sliced<Record<string, number>> {
  const target = selectedBy(kind, to);
  const space = yield* TargetSpace.of([model], target, [allOrdinals(model, target)]);
  const reach = new Reach(model, direct(kind, from, to), space);
  const entityKind = selectedBy(kind, from);
  const counts = new Map<string, number>();
  const sizes: Record<string, number> = {};
  yield* eachSliced(model.idsOf(entityKind, allOrdinals(model, entityKind)), 32, (id) => {
    const entity = model.entity(entityKind, id);
    if (!entity) return;
    const terms = reach.termsOf(entity);
    const signature = signatureOf(terms);
    const count = counts.get(signature) ?? reach.count(terms);
    counts.set(signature, count);
    sizes[id] = count;
  });
  return sizes;
}
