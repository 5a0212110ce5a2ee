import type { Bitset } from './bitset.js';
import type { EntitySet } from './entity-set.js';
import { mergedContains, mergeSides } from './merged-sides.js';
import type { MergedSides } from './merged-sides.js';
import type { IndexedPolicy, Side } from './policy-model.js';
import type { MembershipSide } from './roles.js';

/**
 * The entities on the other side of the policies an entity is in. It reads the index when it is
 * asked, so use it at once; do not keep it across changes.
 */
export class Access {
  private union: MergedSides | undefined;

  constructor(
    /** The policies that grant it. */
    readonly policies: readonly IndexedPolicy[],
    private readonly side: Side,
    private readonly entities: EntitySet,
  ) {}

  /** The policies' opposite sides, whose union it is. */
  get sides(): MembershipSide[] {
    return this.policies.flatMap(({ sides, semantic }) => {
      const roles = sides[this.side];
      return roles ? [{ roles, semantic }] : [];
    });
  }

  count(): number {
    return this.entities.count(this.merged());
  }

  has(id: string): boolean {
    const entity = this.entities.get(id);
    return entity !== undefined && mergedContains(this.merged(), entity);
  }

  /** In no particular order. */
  ids(): string[] {
    return this.entities.idsOf(this.ordinals());
  }

  /** A copy of its own. */
  ordinals(): Bitset {
    return this.entities.members(this.merged());
  }

  private merged(): MergedSides {
    this.union ??= mergeSides(this.sides);
    return this.union;
  }
}
