import type { FilterSymbol, SymbolTable } from './filter-symbol.js';
import type { Path } from './predicate.js';

/** A symbol, and the part of a name that leads into its map or link. */
export interface FoundSymbol {
  readonly symbol: FilterSymbol;
  readonly rest: Path;
}

/** The symbol of the whole name, else the longest leading part that names a map or a link. */
export function findSymbol(path: Path, symbols: SymbolTable): FoundSymbol | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const symbol = symbols.get(path.slice(0, length).join('.'));
    const whole = length === path.length;
    if (symbol && (whole || symbol.shape === 'map' || symbol.shape === 'link')) {
      return { symbol, rest: path.slice(length) };
    }
  }
  return undefined;
}
