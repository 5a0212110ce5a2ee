import { byteSorted } from '../../../base/byte-order.js';
import { selectedBy } from '../../../kernel/policy/index.js';
import type { Bitset, EntityKind, IndexedPolicy, Roles } from '../../../kernel/policy/index.js';
import { membersOf, rolesOn } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { roleTerms, type GrantingSide } from '../use/narrowed-side.js';

/** A role of a side, or all attributes of an AllOf list, with its members. */
interface Term {
  readonly roles: readonly string[];
  readonly isAll: boolean;
  readonly members: Bitset;
}

/** More ids in place of roles would be hard to review. */
const MAX_IDS = 50;

/** A side of a policy, from which some members are to be removed and all others stay. */
export class SideRemoval {
  readonly members: Bitset;
  private readonly kind: EntityKind;
  private readonly roles: Roles;
  private readonly terms: readonly Term[];

  constructor(
    private readonly model: AccessModel,
    policy: IndexedPolicy,
    side: GrantingSide,
  ) {
    this.kind = selectedBy('servicePolicy', side);
    this.roles = rolesOn(policy, side);
    this.members = membersOf(model, 'servicePolicy', [policy], side);
    this.terms = roleTerms(policy, this.roles).map(({ roles, selects }) => ({
      roles,
      isAll: selects.all,
      members: model.union(this.kind, [{ roles: selects, semantic: policy.semantic }]),
    }));
  }

  /** Whether it has the role `#all`, which no edit breaks up. */
  get hasAll(): boolean {
    return this.roles.all;
  }

  /** Whether nothing stays without these members. */
  isAll(removed: Bitset): boolean {
    return this.members.clone().andNot(removed).isEmpty();
  }

  /**
   * The members that stay even if all `candidates` may go, because their role is `#all`, or too many
   * ids would take its place.
   */
  fixed(candidates: Bitset): Bitset {
    const fixed = this.members.clone().andNot(this.members);
    const covered = this.coveredWithout(candidates);
    for (const { isAll, members } of this.terms) {
      if (!members.intersects(candidates)) continue;
      const staying = members.clone().andNot(candidates).andNot(covered);
      if (isAll || staying.popcount() > MAX_IDS) fixed.or(members);
    }
    return fixed;
  }

  /**
   * The role list whose members are those of now without these; undefined if it would break up `#all`
   * or need too many ids.
   */
  without(removed: Bitset): readonly string[] | undefined {
    const broken = this.terms.filter(({ members }) => members.intersects(removed));
    if (broken.some(({ isAll }) => isAll)) return undefined;
    const missing = this.members.clone().andNot(removed).andNot(this.coveredWithout(removed));
    if (missing.popcount() > MAX_IDS) return undefined;
    const intactTerms = this.terms.filter((term) => !broken.includes(term));
    const ids = [...this.keptIds(removed), ...this.model.idsOf(this.kind, missing)];
    return byteSorted([
      ...intactTerms.flatMap(({ roles }) => roles),
      ...new Set(ids.map((id) => `@${id}`)),
    ]);
  }

  /** The members of the roles that contain none of these, and of the ids that are not among them. */
  private coveredWithout(removed: Bitset): Bitset {
    const covered = this.members.clone().andNot(this.members);
    for (const { members } of this.terms) {
      if (!members.intersects(removed)) covered.or(members);
    }
    for (const id of this.keptIds(removed)) {
      const ordinal = this.model.ordinalOf(this.kind, id);
      if (ordinal !== undefined) covered.set(ordinal);
    }
    return covered;
  }

  /** Ids of entities that do not exist stay. */
  private keptIds(removed: Bitset): string[] {
    return this.roles.ids.filter((id) => {
      const ordinal = this.model.ordinalOf(this.kind, id);
      return ordinal === undefined || !removed.has(ordinal);
    });
  }
}
