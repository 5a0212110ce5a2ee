import { member } from '../../policy/index.js';
import type { EntityValue, IndexedPolicy } from '../../policy/index.js';
import { rolesOn } from '../access-model.js';
import { SIDE_OF } from './map-scope.js';
import type { DistinctSide, MapChange, MapKind, MapPolicy, MapScope } from './map-scope.js';
import { RoleLists } from './role-lists.js';

/** Ordinals, by the states in which they are there. Loops over lists are faster than over sets. */
export type OrdinalsByChange = ReadonlyMap<MapChange, Int32Array>;

/** The most ordinals in the cache: 64 MB. */
const MOST_CACHED = 16_000_000;
/** Up to this number, changed entities are looked at for each side. */
const FEW = 64;

/** Lists the entities that sides select, and keeps the lists while a map is made. */
export class SideMembers {
  readonly #cache = new Map<DistinctSide, OrdinalsByChange>();
  #cachedCount = 0;
  readonly #counts = new Map<DistinctSide, ReadonlyMap<MapChange, number>>();
  readonly #before: Readonly<Record<MapKind, RoleLists>>;
  readonly #after: Readonly<Record<MapKind, RoleLists>>;
  /** By ordinal: the states of the lists that are compared. */
  #marks = new Uint8Array(0);

  constructor(private readonly scope: MapScope) {
    this.#after = record((kind) => new RoleLists(scope.states.after, kind, scope.among(kind)));
    this.#before = scope.isPair
      ? record((kind) => new RoleLists(scope.states.before, kind, scope.among(kind)))
      : this.#after;
  }

  of(side: DistinctSide): OrdinalsByChange {
    const cachedMembers = this.#cache.get(side);
    if (cachedMembers) return cachedMembers;
    const members = this.#read(side);
    const counts = new Map([...members].map(([change, { length }]) => [change, length]));
    this.#counts.set(side, counts);
    const count = [...counts.values()].reduce((sum, length) => sum + length, 0);
    if (this.#cachedCount + count <= MOST_CACHED) {
      this.#cachedCount += count;
      this.#cache.set(side, members);
    }
    return members;
  }

  /** The number of members by change. */
  countsOf(side: DistinctSide): ReadonlyMap<MapChange, number> {
    if (!this.#counts.has(side)) this.of(side);
    return this.#counts.get(side) ?? new Map();
  }

  /** Lists all entities of a kind. */
  all(kind: MapKind): OrdinalsByChange {
    const after = this.#after[kind].whole();
    if (!this.scope.isPair) return new Map([['KEPT', after]]);
    return this.#compared(kind, this.#before[kind].whole(), after);
  }

  #read({ kind, policy }: DistinctSide): OrdinalsByChange {
    const after = listOf(this.#after[kind], policy.after, kind);
    if (this.#isSame(kind, policy)) return new Map([['KEPT', after]]);
    return this.#compared(kind, listOf(this.#before[kind], policy.before, kind), after);
  }

  /** Whether an unchanged policy certainly selects the same entities in both states. */
  #isSame(kind: MapKind, { before, after }: MapPolicy): boolean {
    if (before !== after || !after) return false;
    const changed = this.scope.changedEntities(kind);
    if (!changed || changed.length > FEW) return false;
    const roles = rolesOn(after, SIDE_OF[kind]);
    const isMember = (entity: EntityValue | undefined): boolean =>
      entity !== undefined && member(roles, after.semantic, entity);
    return changed.every((entity) => isMember(entity.before) === isMember(entity.after));
  }

  #compared(kind: MapKind, before: Int32Array, after: Int32Array): OrdinalsByChange {
    const bound = this.scope.bound(kind);
    if (this.#marks.length < bound) this.#marks = new Uint8Array(bound);
    const marks = this.#marks;
    for (const ordinal of before) marks[ordinal] = IS_BEFORE;
    const gained: number[] = [];
    for (const ordinal of after) {
      if (marks[ordinal] === IS_BEFORE) marks[ordinal] = IS_IN_BOTH;
      else gained.push(ordinal);
    }
    const keptCount = after.length - gained.length;
    const lists: OrdinalsByChange =
      keptCount === before.length && gained.length === 0
        ? new Map([['KEPT', after]])
        : new Map([
            ['KEPT', before.filter((ordinal) => marks[ordinal] === IS_IN_BOTH)],
            ['GAINED', Int32Array.from(gained)],
            ['LOST', before.filter((ordinal) => marks[ordinal] === IS_BEFORE)],
          ]);
    for (const ordinal of before) marks[ordinal] = 0;
    return lists;
  }
}

const IS_BEFORE = 1;
const IS_IN_BOTH = 2;
const EMPTY = new Int32Array(0);

const listOf = (lists: RoleLists, policy: IndexedPolicy | undefined, kind: MapKind): Int32Array =>
  policy ? lists.of({ roles: rolesOn(policy, SIDE_OF[kind]), semantic: policy.semantic }) : EMPTY;

const record = <V>(make: (kind: MapKind) => V): Record<MapKind, V> => ({
  identity: make('identity'),
  service: make('service'),
  edgeRouter: make('edgeRouter'),
});
