import type { ModelChange } from '../../access/analysis/index.js';
import { isObject, type JsonObject } from '../../base/row.js';
import { upperFirst } from '../../base/names.js';
import { inputNameOf } from '../../kernel/declare/attribute.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import { replaceReferences, sectionsOf, type Reference } from '../transfer/index.js';
import { keyOf } from './changes-by-entity.js';

/** A change names what another change of its list creates. */
export interface Naming {
  /** The index of the creation. */
  readonly creation: number;
  /** The member of the input that may also be set later; undefined if there is none. */
  readonly optional: string | undefined;
}

/** The creations of a list of changes, as its changes name them. */
export class ListedCreations {
  /** Creations by `keyOf`. An entity that an earlier change is about is there before. */
  readonly #creations = new Map<string, number>();
  readonly #references: ReadonlyMap<string, readonly Reference[]>;
  readonly #namings = new Map<number, readonly Naming[]>();

  constructor(
    private readonly catalog: Catalog,
    private readonly changes: readonly ModelChange[],
  ) {
    this.#references = new Map(
      sectionsOf(catalog).map(({ resource, references }) => [resource.name, references]),
    );
    const mentioned = new Set<string>();
    for (const [i, { operation, type, id }] of changes.entries()) {
      if (!id) continue;
      const key = keyOf(upperFirst(type), id);
      if (operation === 'create' && !mentioned.has(key)) this.#creations.set(key, i);
      mentioned.add(key);
    }
  }

  /** Gives the creations that a change names, in the order of its input. */
  namedBy(index: number): readonly Naming[] {
    const cached = this.#namings.get(index);
    if (cached) return cached;
    const namings = this.#creations.size === 0 ? [] : this.#find(index);
    this.#namings.set(index, namings);
    return namings;
  }

  #find(index: number): Naming[] {
    const { type, input } = this.changes[index] ?? {};
    if (!type || !isObject(input)) return [];
    const { name, attributes } = this.catalog.get(upperFirst(type));
    const namings: Naming[] = [];
    const values: JsonObject = Object.fromEntries(
      [...attributes.values()].map((attribute) => [attribute.name, input[inputNameOf(attribute)]]),
    );
    replaceReferences(values, this.#references.get(name) ?? [], (text, reference) => {
      const id = reference.form === 'roles' ? text.slice(1) : text;
      const creation = this.#creationOf(reference.target, id);
      if (creation !== undefined && creation !== index) {
        namings.push({ creation, optional: this.#optionalMember(name, reference) });
      }
      return text;
    });
    return namings;
  }

  /** Creations of routers also make the identities that are kept with them. */
  #creationOf(target: string, id: string): number | undefined {
    const { keptWith } = this.catalog.get(target).options;
    return (
      this.#creations.get(keyOf(target, id)) ??
      (keptWith && this.#creations.get(keyOf(keptWith.resource, id)))
    );
  }

  #optionalMember(resource: string, { form, stored }: Reference): string | undefined {
    const [name = '', ...deeper] = stored;
    const attribute = this.catalog.get(resource).attributes.get(name);
    const isOptional = form === 'one' && deeper.length === 0 && attribute?.nullable === true;
    return isOptional ? inputNameOf(attribute) : undefined;
  }
}
