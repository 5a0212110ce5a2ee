import type { Bitset } from './bitset.js';
import type { EntitySet } from './entity-set.js';
import { mergedContains, mergeSides } from './merged-sides.js';
import type { MergedSides } from './merged-sides.js';
import type { IndexedPolicy, Side } from './policy-model.js';
import type { MembershipSide } from './roles.js';

/**
 * The entities on the other side of an entity's policies. Each method reads the index, so use it at
 * once; do not store it across changes.
 */
export class Access {
  private union: MergedSides | undefined;

  constructor(
    /** The policies that grant the access. */
    readonly policies: readonly IndexedPolicy[],
    private readonly side: Side,
    private readonly entities: EntitySet,
  ) {}

  /** The opposite sides of the policies; the set is their union. */
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

  /** Gives a copy that the caller may change. */
  ordinals(): Bitset {
    return this.entities.members(this.merged());
  }

  private merged(): MergedSides {
    this.union ??= mergeSides(this.sides);
    return this.union;
  }
}
