import type { Sql } from '../../base/sql.js';

/** `any`: a JSON value (an element of `tags` or of another free map), its SQL is jsonb. */
export type SymbolType = 'string' | 'int' | 'float' | 'bool' | 'datetime' | 'any';

/** The meaning of a name in filters of one resource. */
export interface FilterSymbol {
  readonly name: string;
  readonly type: SymbolType;
  readonly shape: 'value' | 'set' | 'map' | 'link';
  /**
   * `value`: a scalar, strings in collation "C", datetimes as timestamptz; `set`: a text[];
   * `map`: a jsonb object, reached as `tags.<key>` and `tags.<key>.<key>`.
   * `alias` is the SQL alias of the row. An expression other than a column comes in parentheses.
   */
  readonly sql?: (alias: string) => Sql;
  /** `link`: rows of another resource joined to the row; compared by their `id`. */
  readonly link?: Link;
  /**
   * Whether lists may be ordered by it, or by the members of a map. Default: maps, and single values
   * of a declared type.
   */
  readonly sortable?: boolean;
  /** Whether the SQL may be null. Default true; false lets plain b-tree indexes serve order and `!=`. */
  readonly nullable?: boolean;
  /** The numbers of the values of an enumeration, by which clients of 1.x compare it. */
  readonly numbers?: Readonly<Record<string, number>>;
  /** Not a name of the REST interfaces. */
  readonly isOfGraph?: boolean;
  /** The name that replaces this one on the graph. */
  readonly replacedBy?: string;
  /** The link whose size it gives, without reading the linked rows. */
  readonly sizeOf?: string;
  /** Its SQL searches another table; the bounds of sub-selects hold for it. */
  readonly searchesOtherRows?: boolean;
  /** A secret: comparisons would allow a caller to guess it piece by piece. */
  readonly isSecret?: boolean;
}

export interface Link {
  /** Deferred, because resources link to each other. */
  readonly symbols: () => SymbolTable;
  /**
   * `from`: the other table under the alias `inner`; `where`: the join condition with the row
   * `outer`.
   */
  readonly rows: (outer: string, inner: string) => { readonly from: Sql; readonly where: Sql };
  /** The number of rows linked to the row `outer`, if it is known without reading them. */
  readonly size?: (outer: string) => Sql;
}

export interface SymbolTable {
  readonly entity: string;
  get(name: string): FilterSymbol | undefined;
  names(): readonly string[];
}

export function symbolTable(entity: string, symbols: readonly FilterSymbol[]): SymbolTable {
  const byName = new Map(symbols.map((symbol) => [symbol.name, symbol]));
  const names = [...byName.keys()];
  return { entity, get: (name) => byName.get(name), names: () => names };
}
