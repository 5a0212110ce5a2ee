import type { MembershipSide } from '../../../kernel/policy/index.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import type { RoleHolders } from './role-holders.js';

/** The entities that a side selects, by numbers of sets. */
export interface Selection {
  /** The sets that are in the side. */
  readonly some: readonly number[];
  /** The sets whose common members are in the side, the smallest first. */
  readonly every: readonly number[];
}

/** The sets of entities that sides name, without empty ones: the holders of an attribute, or one entity. */
export class RoleSets {
  /** The ordinals in each set. */
  readonly members: Int32Array[] = [];
  /** By the number of the side. */
  readonly selections: Selection[] = [];
  readonly #numbers = new Map<string, number | undefined>();

  private constructor(private readonly holders: RoleHolders) {}

  static *of(holders: RoleHolders, sides: Iterable<MembershipSide | undefined>): Sliced<RoleSets> {
    const sets = new RoleSets(holders);
    yield* eachSliced(sides, 16, (side) => {
      sets.selections.push(side ? sets.#selectionOf(side) : NOTHING);
    });
    return sets;
  }

  /**
   * Puts sets into groups: sets that a side names together are in one group. An entity that is in
   * none of the sets of a group is in none of its sides, too.
   */
  groups(): number[][] {
    const parents = this.members.map((_, number) => number);
    const rootOf = (number: number): number => {
      let root = number;
      for (let parent = parents[root] ?? root; parent !== root; parent = parents[root] ?? root) {
        parents[root] = parents[parent] ?? parent;
        root = parent;
      }
      return root;
    };
    for (const { some, every } of this.selections) {
      const [first = every[0] ?? 0] = some;
      for (const number of some) parents[rootOf(number)] = rootOf(first);
      for (const number of every) parents[rootOf(number)] = rootOf(first);
    }
    const groups = new Map<number, number[]>();
    for (const number of this.members.keys()) {
      const root = rootOf(number);
      const group = groups.get(root);
      if (group) group.push(number);
      else groups.set(root, [number]);
    }
    return [...groups.values()];
  }

  #selectionOf({ roles, semantic }: MembershipSide): Selection {
    if (roles.all)
      return { some: nonEmpty([this.#numbered('', () => this.holders.everybody)]), every: [] };
    const attributes = [...new Set(roles.attributes)].map((name) => this.#ofAttribute(name));
    const ids = roles.ids.map((id) => this.#numbered(`@${id}`, () => this.holders.named(id)));
    if (semantic === 'AnyOf' || attributes.length < 2) {
      return { some: nonEmpty([...attributes, ...ids]), every: [] };
    }
    const every = nonEmpty(attributes);
    // No entity holds all of the attributes when one has no holders.
    const isPossible = every.length === attributes.length;
    return {
      some: nonEmpty(ids),
      every: isPossible ? every.sort((a, b) => this.#sizeOf(a) - this.#sizeOf(b)) : [],
    };
  }

  #ofAttribute(name: string): number | undefined {
    return this.#numbered(`#${name}`, () => this.holders.of(name));
  }

  #sizeOf(number: number): number {
    return this.members[number]?.length ?? 0;
  }

  /** Gives the number of a set; undefined for an empty one. */
  #numbered(text: string, read: () => Int32Array): number | undefined {
    if (this.#numbers.has(text)) return this.#numbers.get(text);
    const members = read();
    const number = members.length > 0 ? this.members.push(members) - 1 : undefined;
    this.#numbers.set(text, number);
    return number;
  }
}

const NOTHING: Selection = { some: [], every: [] };

const nonEmpty = (numbers: readonly (number | undefined)[]): number[] =>
  numbers.filter((number) => number !== undefined);
