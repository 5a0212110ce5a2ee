import type { Sql } from '../base/sql.js';

/** `any`: a JSON value (an element of `tags` or of another free map), its SQL is jsonb. */
export type SymbolType = 'string' | 'int' | 'float' | 'bool' | 'datetime' | 'any';

/** What a name means in a filter of one resource. */
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
  /** Whether lists may be ordered by it. Default: single values of a declared type. */
  readonly sortable?: boolean;
  /** Whether the SQL may be null. Default true; false lets plain b-tree indexes serve order and `!=`. */
  readonly nullable?: boolean;
  /** No name of the REST interface. */
  readonly isOfGraph?: boolean;
  /** The name that replaces this one on the graph. */
  readonly replacedBy?: string;
  /** The link whose size it is, which is known without looking at its rows. */
  readonly sizeOf?: string;
  /** A secret: whoever could compare it could find it out piece by piece. */
  readonly isSecret?: boolean;
}

export interface Link {
  /** Deferred, because resources link to each other. */
  readonly symbols: () => SymbolTable;
  /** `from`: the other table under the alias `inner`; `where`: what ties it to the row `outer`. */
  readonly rows: (outer: string, inner: string) => { readonly from: Sql; readonly where: Sql };
  /** How many rows are linked to the row `outer`, where that is known without looking at them. */
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
