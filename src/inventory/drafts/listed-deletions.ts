import type { ModelChange } from '../../access/analysis/index.js';
import { upperFirst } from '../../base/names.js';
import type { JsonObject } from '../../base/row.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { replaceReferences, sectionsOf, type Reference } from '../transfer/index.js';
import { keyOf } from './changes-by-entity.js';

/** An entity that the list deletes names another one, which can not be deleted before. */
interface HoldingBack {
  /** The index of its deletion. */
  readonly deletion: number;
  /** The attribute that may also be null; undefined if there is none. */
  readonly optional: string | undefined;
}

/** The deletions of a list of changes, as their entities hold back each other. */
export class ListedDeletions {
  /** Type -> id -> index. An entity that an earlier change is about is deleted in its place of the list. */
  readonly #deletions = new Map<string, Map<string, number>>();
  readonly #references: ReadonlyMap<string, readonly Reference[]>;

  constructor(
    private readonly catalog: Catalog,
    changes: readonly ModelChange[],
  ) {
    this.#references = new Map(
      sectionsOf(catalog).map(({ resource, references }) => [resource.name, references]),
    );
    const mentioned = new Set<string>();
    for (const [i, { operation, type, id }] of changes.entries()) {
      if (!id) continue;
      const name = upperFirst(type);
      if (operation === 'delete' && !mentioned.has(keyOf(name, id))) this.#ofType(name).set(id, i);
      mentioned.add(keyOf(name, id));
    }
  }

  #ofType(type: string): Map<string, number> {
    const ids = this.#deletions.get(type) ?? new Map<string, number>();
    this.#deletions.set(type, ids);
    return ids;
  }

  /** Finds the entities to delete that hold another one back now. */
  async holdingBack(tx: Transaction, { name }: Resource, id: string): Promise<HoldingBack[]> {
    const all: HoldingBack[] = [];
    for (const [type, deletions] of this.#deletions) {
      const holder = this.catalog.get(type);
      for (const reference of this.#restricting(holder, name)) {
        const rows = await rowsNaming(tx, holder, reference, [...deletions.keys()], id);
        const optional = optionalAttribute(holder, reference);
        all.push(...rows.map((row) => ({ deletion: deletions.get(row.id) ?? -1, optional })));
      }
    }
    return all;
  }

  /** The places by which entities prevent the deletion of what they name. */
  #restricting(holder: Resource, target: string): Reference[] {
    return (this.#references.get(holder.name) ?? []).filter(
      (reference) => reference.target === target && isRestricting(holder, reference),
    );
  }
}

const isNested = ({ stored }: Reference): boolean => stored.length > 1;

/** Lists of entities lose what is deleted, and so do the keys of maps. */
function isRestricting({ attributes }: Resource, reference: Reference): boolean {
  if (isNested(reference)) return true;
  const type = attributes.get(reference.stored[0] ?? '')?.type;
  return type?.kind === 'reference' && type.onDelete === 'restrict';
}

function optionalAttribute({ attributes }: Resource, reference: Reference): string | undefined {
  const [name = ''] = reference.stored;
  return !isNested(reference) && attributes.get(name)?.nullable === true ? name : undefined;
}

/** Reads the entities, of those with these ids, that name another one at a place. */
async function rowsNaming(
  tx: Transaction,
  holder: Resource,
  reference: Reference,
  ids: readonly string[],
  named: string,
): Promise<readonly { readonly id: string }[]> {
  const [attribute = ''] = reference.stored;
  if (!isNested(reference)) return tx.find(holder, { id: ids, [attribute]: [named] });
  const rows = await tx.find(holder, { id: ids });
  return rows.filter((row) => namesAt(row as object as JsonObject, reference, named));
}

function namesAt(row: JsonObject, reference: Reference, id: string): boolean {
  let isNamed = false;
  replaceReferences(row, [reference], (text) => {
    isNamed ||= text === id;
    return text;
  });
  return isNamed;
}
