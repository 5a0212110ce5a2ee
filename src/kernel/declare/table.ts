import { snakeCase, upperFirst } from '../../base/names.js';

/** The type of a column. Each has one type in the database and one in the Prisma schema. */
export type ColumnType =
  | 'text'
  /** A list of texts. */
  | 'texts'
  | 'integer'
  | 'bigint'
  /** A bigint from a sequence. */
  | 'counter'
  | 'boolean'
  | 'time'
  | 'json'
  | 'bytes';

/** A value that the database computes for each row. */
export interface Expression {
  readonly sql: string;
}

/** A row of another table that a row belongs to or uses. */
export interface Reference {
  readonly table: string;
  /**
   * Effect of a deletion of that row: it deletes this row as well, or is refused while this row
   * exists.
   */
  readonly onDelete: 'cascade' | 'restrict';
}

export interface ColumnOptions {
  /** For people who read the Prisma schema. */
  readonly description?: string;
  readonly nullable?: boolean;
  /** The value that the database stores when a statement has none; null: such a statement fails. */
  readonly default?: unknown;
  /** SQL over the other columns of the row. */
  readonly generated?: string;
  /** A check constraint in SQL. */
  readonly check?: string;
  /** `database`: for texts that are never compared. Default: texts are compared by bytes. */
  readonly collation?: 'database';
  /** False: the database does not hold a reference of the resource to its target. */
  readonly references?: Reference | false;
  /**
   * The kind of its index. A reference has an index by default, unless another index begins with
   * it.
   */
  readonly index?: 'btree' | 'gin' | false;
}

export interface Column extends ColumnOptions {
  /** Its name in code; `columnName` gives its name in the database. */
  readonly name: string;
  readonly type: ColumnType;
}

export interface Index {
  /** Names of the columns in code. */
  readonly on: readonly string[];
  readonly name?: string;
  readonly isUnique?: boolean;
  readonly using?: 'btree' | 'gin';
  /** The SQL condition of a partial index; absent: all rows. */
  readonly where?: string;
}

export interface TableOptions {
  readonly description?: string;
  /** The primary key; default: `id`. */
  readonly key?: readonly string[];
  readonly indexes?: readonly Index[];
  /** An `UNLOGGED` table: faster, but empty after a crash of the database. */
  readonly isUnlogged?: boolean;
  /** Its name in the Prisma schema; default: that of the table. */
  readonly model?: string;
}

/** A declared table; its indexes include those of its references. */
export interface Table {
  readonly name: string;
  readonly model: string;
  readonly description: string;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  readonly indexes: readonly Index[];
  readonly isUnlogged: boolean;
}

export const columnName = snakeCase;

/** A column of a table that belongs to no resource, or that no attribute shows. */
export const columnOfType = (type: ColumnType, options: ColumnOptions = {}): NamelessColumn => ({
  ...options,
  type,
});

export type NamelessColumn = Omit<Column, 'name'>;

export const namedColumns = (columns: Readonly<Record<string, NamelessColumn>>): Column[] =>
  Object.entries(columns).map(([name, column]) => ({ name, ...column }));

/** Declares a table: its description, its columns by name, and its options. */
export function table(
  name: string,
  description: string,
  columns: Readonly<Record<string, NamelessColumn>>,
  options: TableOptions = {},
): Table {
  return tableOf(name, namedColumns(columns), { ...options, description });
}

export function tableOf(name: string, columns: readonly Column[], options: TableOptions): Table {
  const key = options.key ?? ['id'];
  const declaredIndexes = options.indexes ?? [];
  return {
    name,
    model: options.model ?? modelName(name),
    description: options.description ?? '',
    columns,
    key,
    indexes: [
      ...declaredIndexes,
      ...indexesOfColumns(columns, [key, ...declaredIndexes.map(({ on }) => on)]),
    ],
    isUnlogged: options.isUnlogged ?? false,
  };
}

/** `service_config_override` -> `ServiceConfigOverride` */
const modelName = (name: string): string => name.split('_').map(upperFirst).join('');

function indexesOfColumns(
  columns: readonly Column[],
  existing: readonly (readonly string[])[],
): Index[] {
  return columns.flatMap(({ name, index, references }): Index[] => {
    if (index === false) return [];
    if (index !== undefined) return [{ on: [name], using: index }];
    const isNeeded = references && !existing.some(([first]) => first === name);
    return isNeeded ? [{ on: [name] }] : [];
  });
}

/** Its name in the database: `service_name_key`, `service_role_attributes_gin`. */
export function indexName(tableName: string, { name, on, isUnique, using }: Index): string {
  if (name !== undefined) return name;
  const ending = using === 'gin' ? 'gin' : isUnique === true ? 'key' : 'idx';
  return [tableName, ...on.map(columnName), ending].join('_');
}
