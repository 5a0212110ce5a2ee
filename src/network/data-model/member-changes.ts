import {
  Bitset,
  type EntityKind,
  type EntityValue,
  type PolicyIndex,
  type SideOf,
} from '../../kernel/policy/index.js';
import { byteSorted } from '../../base/byte-order.js';
import { EncodedIds } from './encoded-ids.js';

type Side = SideOf<'servicePolicy'>;

/** The sides of a service policy in the order in which routers get their members. */
const SIDES = ['services', 'postureChecks', 'identities'] as const satisfies readonly Side[];

const KIND_OF = {
  services: 'service',
  postureChecks: 'postureCheck',
  identities: 'identity',
} as const satisfies Record<Side, EntityKind>;

const SIDE_OF = new Map<EntityKind, Side>(SIDES.map((side) => [KIND_OF[side], side]));

/** Members that one side of a policy gains or loses. */
export interface MemberChange {
  readonly policyId: string;
  readonly side: Side;
  /** Without a repetition. */
  readonly ids: readonly string[];
}

export interface MemberDelta {
  readonly removed: readonly MemberChange[];
  readonly added: readonly MemberChange[];
}

/** An entity whose role attributes or existence may change. */
export interface TouchedEntity {
  readonly kind: EntityKind;
  readonly id: string;
}

/**
 * The members of service policies before a change of some rows, to be compared with those after it.
 * Rows that are not named must not change in between.
 */
export class MembersBefore {
  /** The policies of each touched entity before. */
  readonly #policiesOf: readonly ReadonlySet<string>[];
  /** The members of each touched policy before, by side, without touched entities. */
  readonly #membersOf: ReadonlyMap<string, ReadonlyMap<Side, Bitset>>;

  constructor(
    private readonly index: PolicyIndex,
    private readonly entities: readonly TouchedEntity[],
    private readonly policyIds: readonly string[],
  ) {
    this.#policiesOf = entities.map((entity) => policiesOf(index, entity));
    this.#membersOf = new Map(policyIds.map((id) => [id, this.untouchedMembers(id)]));
  }

  /** Gives the changes since, in policies that exist now; a deleted policy has released its members. */
  delta(): MemberDelta {
    const lists = { removed: new MemberLists(), added: new MemberLists() };
    for (const [i, entity] of this.entities.entries()) this.compareEntity(entity, i, lists);
    for (const policyId of this.policyIds) this.comparePolicy(policyId, lists);
    return {
      removed: lists.removed.sorted(({ policyId }) => this.exists(policyId)),
      added: lists.added.sorted(),
    };
  }

  private compareEntity(entity: TouchedEntity, i: number, { removed, added }: DeltaLists): void {
    const side = SIDE_OF.get(entity.kind);
    if (side === undefined) return;
    const before = this.#policiesOf[i] ?? new Set<string>();
    const after = policiesOf(this.index, entity);
    for (const id of before) if (!after.has(id)) removed.add(id, side, [entity.id]);
    for (const id of after) if (!before.has(id)) added.add(id, side, [entity.id]);
  }

  private comparePolicy(policyId: string, { removed, added }: DeltaLists): void {
    const members = this.untouchedMembers(policyId);
    for (const side of SIDES) {
      const before = this.#membersOf.get(policyId)?.get(side) ?? new Bitset();
      const after = members.get(side) ?? new Bitset();
      removed.add(policyId, side, this.idsOf(side, before.clone().andNot(after)));
      added.add(policyId, side, this.idsOf(side, after.clone().andNot(before)));
    }
  }

  private exists(policyId: string): boolean {
    return this.index.policy('servicePolicy', policyId) !== undefined;
  }

  /** Touched entities are left out: deletions and creations may give their ordinals to others. */
  private untouchedMembers(policyId: string): Map<Side, Bitset> {
    return new Map(
      SIDES.map((side) => {
        const members = this.index.members('servicePolicy', policyId, side);
        for (const { kind, id } of this.entities) {
          const ordinal = kind === KIND_OF[side] ? this.index.ordinalOf(kind, id) : undefined;
          if (ordinal !== undefined) members.clear(ordinal);
        }
        return [side, members];
      }),
    );
  }

  private idsOf(side: Side, ordinals: Bitset): string[] {
    return ordinals.isEmpty() ? [] : this.index.idsOf(KIND_OF[side], ordinals);
  }
}

/** The ids of the members of a service policy, encoded, one side after the other. */
export class AllMembers {
  readonly #ids: ReadonlyMap<Side, EncodedIds>;

  /** The index must not change from now on. */
  constructor(private readonly index: PolicyIndex) {
    this.#ids = new Map(SIDES.map((side) => [side, new EncodedIds(index, KIND_OF[side])]));
  }

  *of(policyId: string): Generator<{ readonly side: Side; readonly ids: Iterable<Buffer> }> {
    for (const [side, encoded] of this.#ids) {
      yield { side, ids: encoded.of(this.index.members('servicePolicy', policyId, side)) };
    }
  }
}

function policiesOf(index: PolicyIndex, { kind, id }: TouchedEntity): ReadonlySet<string> {
  const side = SIDE_OF.get(kind);
  const entity: EntityValue | undefined = index.entity(kind, id);
  const policies =
    side !== undefined && entity ? index.policiesWith('servicePolicy', side, entity) : [];
  return new Set(policies.map((policy) => policy.id));
}

interface DeltaLists {
  readonly removed: MemberLists;
  readonly added: MemberLists;
}

class MemberLists {
  readonly #ids = new Map<Side, Map<string, string[]>>(SIDES.map((side) => [side, new Map()]));

  add(policyId: string, side: Side, ids: readonly string[]): void {
    if (ids.length === 0) return;
    const lists = this.#ids.get(side);
    const list = lists?.get(policyId) ?? [];
    list.push(...ids);
    lists?.set(policyId, list);
  }

  /** In the order of the sides, of the ids of the policies, and of the members: the same at every controller. */
  sorted(isWanted: (change: MemberChange) => boolean = () => true): MemberChange[] {
    return [...this.#ids].flatMap(([side, lists]) =>
      byteSorted([...lists.keys()])
        .map((policyId) => ({ policyId, side, ids: byteSorted(lists.get(policyId) ?? []) }))
        .filter(isWanted),
    );
  }
}
