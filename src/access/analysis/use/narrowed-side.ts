import { byteSorted, compareBytes } from '../../../base/byte-order.js';
import { oneOf, type ValueOf } from '../../../kernel/declare/attribute.js';
import { EVERYBODY, selectedBy } from '../../../kernel/policy/index.js';
import type { EntityKind, IndexedPolicy, Roles, Bitset } from '../../../kernel/policy/index.js';
import { roleTexts, rolesOn } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import type { Sliced } from '../../../base/slices.js';
import { CoverCounts } from './cover-counts.js';

export const GRANTING_SIDE = oneOf(
  'GrantingSide',
  { identities: 'The identity roles.', services: 'The service roles.' },
  'A side of a service policy.',
);

export type GrantingSide = ValueOf<typeof GRANTING_SIDE>;

/** A part of a role list that can be removed by itself: one role, or all attributes of an AllOf list. */
interface Term {
  readonly roles: readonly string[];
  readonly selects: Roles;
  /** The number of members that were not used. */
  readonly unusedMemberCount: number;
}

/** A term that is removed; ids of used members may take its place. */
interface RemovedTerm {
  readonly term: Term;
  readonly replacement: Bitset;
}

/** A term that stays, with members that were not used. */
export interface BroadTerm {
  readonly roles: readonly string[];
  readonly members: Bitset;
  readonly usedMemberCount: number;
  /** The members that no other term of the narrowed side selects. */
  readonly exclusive: Bitset;
}

export interface NarrowedSide {
  /** The new role list; undefined if the side can not be narrowed. */
  readonly roles: readonly string[] | undefined;
  /** The members of the new role list. */
  readonly members: Bitset;
  readonly broad: readonly BroadTerm[];
}

/** More ids in place of a role would be hard to review. */
const MAX_IDS = 50;
/** A pass over the terms is enough for most lists. */
const MAX_PASSES = 8;

/** Narrows a side of a policy: all used members stay, and nothing becomes a member. */
export function* narrowedSide(
  model: AccessModel,
  policy: IndexedPolicy,
  side: GrantingSide,
  used: Bitset,
): Sliced<NarrowedSide> {
  return yield* new SideNarrowing(model, policy, side, used).run();
}

class SideNarrowing {
  private readonly kind: EntityKind;
  private readonly roles: Roles;
  private readonly cover: CoverCounts;
  /** Those that an id can select: all but the identities that are pending. */
  private readonly selectable: Bitset;
  private terms: Term[] = [];
  private removed: RemovedTerm[] = [];

  constructor(
    private readonly model: AccessModel,
    private readonly policy: IndexedPolicy,
    side: GrantingSide,
    private readonly used: Bitset,
  ) {
    this.kind = selectedBy('servicePolicy', side);
    this.roles = rolesOn(policy, side);
    this.cover = new CoverCounts(model.ordinalBound(this.kind));
    this.selectable = this.membersOf({ ...NO_ROLES, all: true });
  }

  *run(): Sliced<NarrowedSide> {
    yield* this.keepAll();
    yield* this.removeEffective();
    // Several terms may select the same unused members: only their removal together has an effect.
    yield* this.removeTerms(MAX_IDS, ({ unusedMemberCount }) => unusedMemberCount > 0);
    yield* this.restoreUseless();
    yield* this.removeEffective();
    this.dropCoveredIds();
    const keptIds = this.keepIds();
    const isNarrower = this.removed.length > 0 || keptIds.length < this.roles.ids.length;
    return {
      roles: isNarrower ? this.roleList(keptIds) : undefined,
      members: this.cover.covered(),
      broad: yield* this.broadTerms(),
    };
  }

  /** Unused ids are left out from the start: each is removed unless another term selects it. */
  private *keepAll(): Sliced<void> {
    for (const id of this.roles.ids) {
      const ordinal = this.model.ordinalOf(this.kind, id);
      if (ordinal === undefined || !this.selectable.has(ordinal)) continue;
      if (this.used.has(ordinal)) this.cover.addOne(ordinal);
    }
    for (const { roles, selects } of roleTerms(this.policy, this.roles)) {
      const members = this.membersOf(selects);
      this.cover.add(members);
      const unusedMemberCount = members.andNot(this.used).popcount();
      this.terms.push({ roles, selects, unusedMemberCount });
      yield;
    }
    this.terms.sort(
      (a, b) =>
        b.unusedMemberCount - a.unusedMemberCount ||
        compareBytes(a.roles[0] ?? '', b.roles[0] ?? ''),
    );
  }

  /**
   * Removes terms that alone select unused members: first those whose used members others select,
   * too, then those with few used members. A removal may give others an effect.
   */
  private *removeEffective(): Sliced<void> {
    const isEffective = (_: Term, alone: Bitset, replacement: Bitset): boolean =>
      alone.popcount() > replacement.popcount();
    for (const mostIds of [0, MAX_IDS]) {
      for (let pass = 0; pass < MAX_PASSES; pass += 1) {
        const isChanged = yield* this.removeTerms(mostIds, isEffective);
        if (!isChanged) break;
      }
    }
  }

  /** Gives whether a term was removed. `alone` are the members that no other term selects. */
  private *removeTerms(
    mostIds: number,
    isWanted: (term: Term, alone: Bitset, replacement: Bitset) => boolean,
  ): Sliced<boolean> {
    const staying: Term[] = [];
    for (const term of this.terms) {
      const members = this.membersOf(term.selects);
      const alone = this.cover.exclusive(members);
      const replacement = alone.clone().and(this.used);
      const isReplaceable = members.clone().andNot(this.selectable).isEmpty();
      if (
        isReplaceable &&
        replacement.popcount() <= mostIds &&
        isWanted(term, alone, replacement)
      ) {
        this.cover.remove(members);
        this.cover.add(replacement);
        this.removed.push({ term, replacement });
      } else staying.push(term);
      yield;
    }
    const isChanged = staying.length < this.terms.length;
    this.terms = staying;
    return isChanged;
  }

  /** Without effect, a term is not removed: other terms that stay select all of its members. */
  private *restoreUseless(): Sliced<void> {
    const removed: RemovedTerm[] = [];
    for (const one of this.removed) {
      const members = this.membersOf(one.term.selects);
      if (this.cover.covers(members)) {
        this.cover.add(members);
        this.cover.remove(one.replacement);
        this.terms.push(one.term);
      } else removed.push(one);
      yield;
    }
    this.removed = removed;
  }

  /** An id in place of a removed term is not needed if a term that stays selects it. */
  private dropCoveredIds(): void {
    this.removed = this.removed.map(({ term, replacement }) => {
      const needed = this.cover.exclusive(replacement);
      this.cover.remove(replacement.clone().andNot(needed));
      return { term, replacement: needed };
    });
  }

  /** An id whose removal has no effect stays: it does not exist, is pending, or another term selects it. */
  private keepIds(): string[] {
    return this.roles.ids.filter((id) => {
      const ordinal = this.model.ordinalOf(this.kind, id);
      if (ordinal === undefined || !this.selectable.has(ordinal)) return true;
      const isKept = this.cover.has(ordinal);
      if (isKept && !this.used.has(ordinal)) this.cover.addOne(ordinal);
      return isKept;
    });
  }

  private roleList(keptIds: readonly string[]): string[] {
    const newIds = this.removed.flatMap(({ replacement }) =>
      this.model.idsOf(this.kind, replacement),
    );
    const ids = new Set([...keptIds, ...newIds].map((id) => `@${id}`));
    return byteSorted([...this.terms.flatMap(({ roles }) => roles), ...ids]);
  }

  private *broadTerms(): Sliced<BroadTerm[]> {
    const broad: BroadTerm[] = [];
    for (const { roles, selects, unusedMemberCount } of this.terms) {
      if (unusedMemberCount === 0) continue;
      const members = this.membersOf(selects);
      const usedMemberCount = members.popcount() - unusedMemberCount;
      broad.push({ roles, members, usedMemberCount, exclusive: this.cover.exclusive(members) });
      yield;
    }
    return broad;
  }

  private membersOf(roles: Roles): Bitset {
    return this.model.union(this.kind, [{ roles, semantic: this.policy.semantic }]);
  }
}

const NO_ROLES: Roles = { all: false, attributes: [], ids: [] };

/** The terms of a role list without its ids. */
export function roleTerms(
  { semantic }: IndexedPolicy,
  { all, attributes }: Roles,
): Pick<Term, 'roles' | 'selects'>[] {
  const lists = semantic === 'AllOf' ? [attributes] : attributes.map((name) => [name]);
  const terms = lists
    .filter((list) => list.length > 0)
    .map((list) => ({ ...NO_ROLES, attributes: list }));
  return [...(all ? [{ ...NO_ROLES, all }] : []), ...terms].map((selects) => ({
    roles: selects.all ? [EVERYBODY] : roleTexts(selects),
    selects,
  }));
}
