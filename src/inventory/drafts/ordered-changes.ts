import type { ModelChange } from '../../access/analysis/index.js';
import type { JsonObject } from '../../base/row.js';
import { inputNameOf } from '../../kernel/declare/attribute.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import { hasKept, type Resource } from '../../kernel/declare/resource.js';
import {
  holderKey,
  holdingBack,
  namedBy,
  uniqueValues,
  type Surroundings,
} from './possible-changes.js';
import { keyOf, ChangesByEntity } from './changes-by-entity.js';
import type { Undoing } from './undoing.js';

/**
 * Orders the changes of a reversal: a new entity comes before changes that name it, a change that
 * frees a unique value before the one that takes it, and changes of entities that name a deleted
 * one before its deletion. Where entities have exchanged a unique value, one of them gets another
 * value in between.
 */
export function orderedChanges(
  catalog: Catalog,
  undoings: readonly Undoing[],
  surroundings: Surroundings,
): ModelChange[] {
  const order = new Order(catalog, undoings, surroundings);
  for (const undoing of inCatalogOrder(catalog, undoings)) order.add(undoing);
  return order.changes;
}

/** Entities before those that may name them; deletions last, the other way round. */
function inCatalogOrder(catalog: Catalog, undoings: readonly Undoing[]): Undoing[] {
  const places = new Map([...catalog.all()].map(({ name }, i) => [name, i]));
  const placeOf = ({ resource, operation }: Undoing): number => {
    const place = places.get(resource.name) ?? 0;
    return operation === 'delete' ? 2 * places.size - place : place;
  };
  return [...undoings].sort((a, b) => placeOf(a) - placeOf(b));
}

class Order {
  readonly changes: ModelChange[] = [];
  readonly #planned: ChangesByEntity;
  readonly #states = new Map<Undoing, 'begun' | 'added'>();
  /** The changes of entities whose present state prevents a deletion, by the deleted entity. */
  readonly #holdingBack = new Map<string, Undoing[]>();

  constructor(
    private readonly catalog: Catalog,
    undoings: readonly Undoing[],
    private readonly surroundings: Surroundings,
  ) {
    this.#planned = new ChangesByEntity(catalog, undoings);
    for (const undoing of undoings) {
      for (const key of holdingBack(undoing)) {
        this.#holdingBack.set(key, [...(this.#holdingBack.get(key) ?? []), undoing]);
      }
    }
  }

  /** Adds a change after those that must come first. */
  add(undoing: Undoing): void {
    if (this.#states.has(undoing)) return;
    this.#states.set(undoing, 'begun');
    for (const earlier of this.before(undoing)) this.add(earlier);
    for (const [attribute, value] of uniqueValues(undoing.resource, undoing.values)) {
      this.free(undoing, attribute, value);
    }
    this.#states.set(undoing, 'added');
    this.changes.push(changeOf(undoing));
  }

  private before(undoing: Undoing): Undoing[] {
    const { resource, id, operation } = undoing;
    if (operation === 'delete') return this.#holdingBack.get(keyOf(resource.name, id)) ?? [];
    const { keptWith } = resource.options;
    const keeper = keptWith && this.#planned.find(keptWith.resource, id);
    const named = namedBy(undoing, this.surroundings.references).flatMap(
      ([type, namedId]) => this.makerOf(type, namedId) ?? [],
    );
    return [...(keeper ? [keeper] : []), ...named];
  }

  /** The change that makes an entity, by itself or with another one. */
  private makerOf(type: string, id: string): Undoing | undefined {
    const { keptWith } = this.catalog.get(type).options;
    const keeper = keptWith && this.#planned.find(keptWith.resource, id);
    if (keeper && hasKept(keptWith, keeper.present ?? {})) return undefined;
    const maker = keeper ?? this.#planned.find(type, id);
    return maker?.operation === 'create' || keeper ? maker : undefined;
  }

  /** Makes sure that no other entity has the value any more. */
  private free({ resource, id }: Undoing, attribute: string, value: string): void {
    const holder = this.surroundings.holders.get(holderKey(resource, attribute, value));
    if (holder === undefined || holder === id) return;
    const freeing = this.#planned.freeing(resource, attribute, value, holder);
    if (!freeing) return;
    if (this.#states.get(freeing) === 'begun') {
      this.changes.push(interim(setterOf(resource, freeing, attribute), holder, attribute));
    } else this.add(freeing);
  }
}

/** The resource whose entity sets the attribute: a name is that of the router, if there is one. */
function setterOf(holder: Resource, freeing: Undoing, attribute: string): Resource {
  const follows = holder.options.keptWith?.attributes.includes(attribute) === true;
  return freeing.resource.table === holder.table || follows ? freeing.resource : holder;
}

/** Gives an entity another value until the change comes that frees its own. */
const interim = (resource: Resource, id: string, attribute: string): ModelChange => ({
  operation: 'update',
  type: resource.single,
  id,
  input: {
    [attribute]: resource.attributes.get(attribute)?.nullable === true ? null : `interim ${id}`,
  },
});

function changeOf({ resource, id, operation, values }: Undoing): ModelChange {
  const change = { operation, type: resource.single, id };
  return operation === 'delete' ? change : { ...change, input: inputOf(resource, values) };
}

/** Values under the names that inputs have for them. */
const inputOf = ({ attributes }: Resource, values: Readonly<JsonObject>): JsonObject =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const attribute = attributes.get(name);
      return [attribute ? inputNameOf(attribute) : name, value];
    }),
  );
