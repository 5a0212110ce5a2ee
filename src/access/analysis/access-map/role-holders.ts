import { EVERYBODY, parseRoles } from '../../../kernel/policy/index.js';
import type { Bitset, EntityKind, MembershipSide } from '../../../kernel/policy/index.js';
import type { AccessModel } from '../model/access-model.js';

const EVERYBODY_SIDE = { roles: parseRoles([EVERYBODY]), semantic: 'AnyOf' } as const;
const EMPTY = new Int32Array(0);

/** Lists the entities of a kind that hold an attribute in one state, of those that the map shows. */
export class RoleHolders {
  readonly #byAttribute = new Map<string, Int32Array>();
  /** All entities, ascending. */
  readonly all: Int32Array;
  /** The members of `#all`: those that are not pending. */
  readonly everybody: Int32Array;
  readonly #everybody: Bitset;

  constructor(
    private readonly model: AccessModel,
    private readonly kind: EntityKind,
    /** The entities that the map shows in this state. */
    private readonly entities: Bitset,
    /** Whether the map does not show all entities of the state. */
    private readonly isPart: boolean,
  ) {
    this.all = entities.ordinals();
    this.#everybody = model.union(kind, [EVERYBODY_SIDE]).and(entities);
    this.everybody = this.#everybody.ordinals();
  }

  of(attribute: string): Int32Array {
    const cached = this.#byAttribute.get(attribute);
    if (cached) return cached;
    const roles = { all: false, attributes: [attribute], ids: [] };
    const set = this.model.union(this.kind, [{ roles, semantic: 'AnyOf' }]);
    const holders = (this.isPart ? set.and(this.entities) : set).ordinals();
    this.#byAttribute.set(attribute, holders);
    return holders;
  }

  /** Whether a side selects none of the entities. */
  isEmpty({ roles, semantic }: MembershipSide): boolean {
    const { all, attributes, ids } = roles;
    if (all) return this.everybody.length === 0;
    if (ids.some((id) => this.named(id).length > 0)) return false;
    if (semantic === 'AnyOf') return attributes.every((name) => this.of(name).length === 0);
    return !this.model.union(this.kind, [{ roles, semantic }]).intersects(this.entities);
  }

  /** The entity with the id alone; no id selects one that is pending. */
  named(id: string): Int32Array {
    const ordinal = this.model.ordinalOf(this.kind, id);
    return ordinal !== undefined && this.#everybody.has(ordinal) ? Int32Array.of(ordinal) : EMPTY;
  }
}
