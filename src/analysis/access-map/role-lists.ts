import { mergeSides } from '../../policy/index.js';
import type { MembershipSide, Bitset } from '../../policy/index.js';
import { allOrdinals } from '../access-model.js';
import type { AccessModel } from '../access-model.js';
import type { MapKind } from './map-scope.js';

const EMPTY = new Int32Array(0);

/**
 * Lists the entities of a kind that roles select in one state, of those that the map shows. Policies
 * that name the same attribute share the list of its holders, so that a side costs no more than its
 * members.
 */
export class RoleLists {
  readonly #byAttribute = new Map<string, Int32Array>();
  readonly #buffer: Int32Array;
  /** By ordinal: the number of the last list that contains it. */
  readonly #marks: Int32Array;
  #listNumber = 0;
  #whole: Int32Array | undefined;

  constructor(
    private readonly model: AccessModel,
    private readonly kind: MapKind,
    private readonly among: Bitset | undefined,
  ) {
    const bound = model.ordinalBound(kind);
    this.#buffer = new Int32Array(bound);
    this.#marks = new Int32Array(bound);
  }

  /** All entities, ascending. */
  whole(): Int32Array {
    this.#whole ??= this.#listOf(allOrdinals(this.model, this.kind));
    return this.#whole;
  }

  /** The members of a side, each once, in no particular order. The list may be shared. */
  of(side: MembershipSide): Int32Array {
    const { all, ids, anyOf, allOf } = mergeSides([side]);
    if (all) return this.whole();
    const lists = [...anyOf].map((name) => this.#holders(name));
    for (const attributes of allOf) {
      lists.push(this.#union({ semantic: 'AllOf', roles: { all: false, attributes, ids: [] } }));
    }
    if (ids.size > 0) lists.push(this.#named(ids));
    const [only = EMPTY] = lists;
    return lists.length > 1 ? this.#joined(lists) : only;
  }

  #holders(attribute: string): Int32Array {
    const cached = this.#byAttribute.get(attribute);
    if (cached) return cached;
    const roles = { all: false, attributes: [attribute], ids: [] };
    const holders = this.#union({ semantic: 'AnyOf', roles });
    this.#byAttribute.set(attribute, holders);
    return holders;
  }

  #union(side: MembershipSide): Int32Array {
    return this.#listOf(this.model.union(this.kind, [side]));
  }

  #named(ids: Iterable<string>): Int32Array {
    const ordinals: number[] = [];
    for (const id of ids) {
      const ordinal = this.model.ordinalOf(this.kind, id);
      if (ordinal !== undefined && this.among?.has(ordinal) !== false) ordinals.push(ordinal);
    }
    return Int32Array.from(ordinals);
  }

  #listOf(set: Bitset): Int32Array {
    const members = this.among ? set.and(this.among) : set;
    const buffer = this.#buffer;
    let length = 0;
    members.forEach((ordinal) => {
      buffer[length] = ordinal;
      length += 1;
    });
    return buffer.slice(0, length);
  }

  #joined(lists: readonly Int32Array[]): Int32Array {
    this.#listNumber += 1;
    const number = this.#listNumber;
    const marks = this.#marks;
    const buffer = this.#buffer;
    let length = 0;
    for (const list of lists) {
      for (let i = 0; i < list.length; i += 1) {
        const ordinal = list[i] ?? 0;
        if (marks[ordinal] === number) continue;
        marks[ordinal] = number;
        buffer[length] = ordinal;
        length += 1;
      }
    }
    return buffer.slice(0, length);
  }
}
