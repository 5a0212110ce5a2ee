import type { FilterSymbol } from '../../kernel/filter/index.js';
import { catalog } from '../../resources/index.js';

/*
 * The names by which filters search rows beside those of the list. The cost of a filter is known
 * before its list is, so a name counts if it is such a name of any type.
 */

const symbols = [...catalog.all()].flatMap((resource): FilterSymbol[] => {
  const table = catalog.symbols(resource);
  return table.names().flatMap((name) => table.get(name) ?? []);
});

const namesOf = (isOne: (symbol: FilterSymbol) => boolean): string[] =>
  symbols.filter(isOne).map(({ name }) => name);

const plainSets = new Set(namesOf(({ shape }) => shape === 'set'));

/** Sets of linked entities. `configs` is left out: most types store the ids. */
export const LINKED_SETS: ReadonlySet<string> = new Set(
  namesOf(({ shape, name }) => shape === 'link' && !plainSets.has(name)),
);

/** Values that are found in another table. */
export const SEARCHED_VALUES: ReadonlySet<string> = new Set(
  namesOf(({ searchesOtherRows }) => searchesOtherRows === true),
);
