import type { Catalog } from '../../kernel/declare/catalog.js';
import { hasKept, type KeptWith, type Resource } from '../../kernel/declare/resource.js';
import { isSame } from './logged-entity.js';
import type { Undoing } from './undoing.js';

export const keyOf = (type: string, id: string): string => `${type} ${id}`;

/** The changes of a reversal by their entities. */
export class ChangesByEntity {
  readonly #byEntity = new Map<string, Undoing>();

  constructor(
    private readonly catalog: Catalog,
    undoings: readonly Undoing[],
  ) {
    for (const undoing of undoings) {
      this.#byEntity.set(keyOf(undoing.resource.name, undoing.id), undoing);
      // Edge and transit routers share a table.
      this.#byEntity.set(keyOf(undoing.resource.table, undoing.id), undoing);
    }
  }

  find(type: string, id: string): Undoing | undefined {
    return this.#byEntity.get(keyOf(type, id));
  }

  /** Whether there is a change of the entity with which the controller keeps this one. */
  hasKeeperOf({ resource: { options }, id }: Undoing): boolean {
    return options.keptWith !== undefined && this.find(options.keptWith.resource, id) !== undefined;
  }

  /** Whether an entity exists after the changes; undefined if they do not decide it. */
  isThere(type: string, id: string): boolean | undefined {
    const { keptWith } = this.catalog.get(type).options;
    const keeper = keptWith && this.find(keptWith.resource, id);
    if (keeper) return hasKeptAfter(keeper, keptWith);
    const own = this.find(type, id);
    return own && own.operation !== 'delete';
  }

  /**
   * Gives the change that frees a unique value of the entity with this id; undefined if none does.
   */
  freeing(
    { table, options }: Resource,
    attribute: string,
    value: string,
    id: string,
  ): Undoing | undefined {
    const { keptWith } = options;
    const keeper = keptWith && this.find(keptWith.resource, id);
    // The controller deletes this entity together with the other one.
    if (keeper && !hasKeptAfter(keeper, keptWith)) return keeper;
    const own = this.find(table, id);
    const follows = keptWith?.attributes.includes(attribute) === true;
    return [own, follows ? keeper : undefined].find(
      (undoing) =>
        undoing &&
        (undoing.operation === 'delete' ||
          (attribute in undoing.values && !isSame(undoing.values[attribute], value))),
    );
  }
}

/** Whether an entity has, after its change, the one that the controller keeps with it. */
export const hasKeptAfter = (
  { operation, present, values }: Undoing,
  keptWith: KeptWith,
): boolean => operation !== 'delete' && hasKept(keptWith, { ...present, ...values });
