import type { Sql } from '../../base/sql.js';
import type { SymbolType } from './filter-symbol.js';

/** One key of the order of a list. */
export interface OrderTerm {
  readonly name: string;
  readonly expression: Sql;
  readonly direction: 'asc' | 'desc';
  /** `numeric`: a number of any size, in cursors its decimal text. */
  readonly type: SymbolType | 'numeric';
  readonly nullable: boolean;
}
