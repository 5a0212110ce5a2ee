import type { PolicyKind, Side } from '../policy/index.js';
import { everyone, selectedBy } from './access-model.js';
import type { AccessModel } from './access-model.js';
import { Reach, signatureOf } from './reach.js';
import { direct } from './relation.js';
import type { Sliced } from './slices.js';
import { eachSliced } from './slices.js';
import { TargetSpace } from './target-space.js';

/**
 * How many entities on the other side of the policies of a kind each entity reaches, by its id.
 * Those that come into the same policies by the same roles are counted once.
 */
export function* reachSizes(
  model: AccessModel,
  kind: PolicyKind,
  from: Side,
  to: Side,
): Sliced<Record<string, number>> {
  const target = selectedBy(kind, to);
  const space = yield* TargetSpace.of([model], target, [everyone(model, target)]);
  const reach = new Reach(model, direct(kind, from, to), space);
  const entityKind = selectedBy(kind, from);
  const counts = new Map<string, number>();
  const sizes: Record<string, number> = {};
  yield* eachSliced(model.idsOf(entityKind, everyone(model, entityKind)), 32, (id) => {
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
