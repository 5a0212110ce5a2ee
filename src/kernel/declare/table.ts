import { snakeCase, upperFirst } from '../../base/names.js';

/** What a column holds. Each kind has one type in the database and one in the Prisma client. */
export type ColumnType =
  | 'text'
  /** A list of texts. */
  | 'texts'
  | 'integer'
  | 'bigint'
  /** A bigint that a sequence counts up. */
  | 'counter'
  | 'boolean'
  | 'time'
  | 'json'
  | 'bytes';

/** A value that the database works out for each row. */
export interface Expression {
  readonly sql: string;
}

/** A row of another table that a row belongs to or uses. */
export interface Reference {
  readonly table: string;
  /** What the end of that row does: ends this one as well, or is refused while this one stands. */
  readonly onDelete: 'cascade' | 'restrict';
}

export interface ColumnOptions {
  readonly nullable?: boolean;
  /** What the database stores when a statement brings no value; null: such a statement fails. */
  readonly default?: unknown;
  /** SQL over the other columns of the row. */
  readonly generated?: string;
  /** SQL that holds for every row. */
  readonly check?: string;
  /** `database`: texts that are only kept; all others are compared by bytes. */
  readonly collation?: 'database';
  /** False: the database does not hold a reference of the resource to its target. */
  readonly references?: Reference | false;
  /** How the database finds rows by it; a reference has an index unless another one begins with it. */
  readonly index?: 'btree' | 'gin' | false;
  /** The Prisma client does not know it: SQL alone reads and writes it. */
  readonly sqlOnly?: boolean;
}

export interface Column extends ColumnOptions {
  /** As code calls it; `columnName` is what the database calls it. */
  readonly name: string;
  readonly type: ColumnType;
}

export interface Index {
  /** Names of the columns, as code calls them. */
  readonly on: readonly string[];
  readonly name?: string;
  readonly isUnique?: boolean;
  readonly using?: 'btree' | 'gin';
  /** SQL that tells which rows it holds; absent: all. */
  readonly where?: string;
}

export interface TableOptions {
  /** The primary key; default: `id`. */
  readonly key?: readonly string[];
  readonly indexes?: readonly Index[];
  /** Lost when the database crashes, and faster for it. */
  readonly isUnlogged?: boolean;
  /** The Prisma client does not know it: SQL alone reads and writes it. */
  readonly sqlOnly?: boolean;
  /** Its name in the Prisma client; default: that of the table. */
  readonly model?: string;
}

/** A table as it is declared; its indexes include those that its references need. */
export interface Table {
  readonly name: string;
  readonly model: string;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  readonly indexes: readonly Index[];
  readonly isUnlogged: boolean;
  readonly sqlOnly: boolean;
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

/** Declares a table: its columns by name, and what holds for them together. */
export function table(
  name: string,
  columns: Readonly<Record<string, NamelessColumn>>,
  options: TableOptions = {},
): Table {
  return tableOf(name, namedColumns(columns), options);
}

export function tableOf(name: string, columns: readonly Column[], options: TableOptions): Table {
  const key = options.key ?? ['id'];
  const declared = options.indexes ?? [];
  return {
    name,
    model: options.model ?? modelName(name),
    columns,
    key,
    indexes: [...declared, ...indexesOfColumns(columns, [key, ...declared.map(({ on }) => on)])],
    isUnlogged: options.isUnlogged ?? false,
    sqlOnly: options.sqlOnly ?? false,
  };
}

/** `service_config_override` -> `ServiceConfigOverride` */
const modelName = (name: string): string => name.split('_').map(upperFirst).join('');

function indexesOfColumns(
  columns: readonly Column[],
  present: readonly (readonly string[])[],
): Index[] {
  return columns.flatMap(({ name, index, references }): Index[] => {
    if (index === false) return [];
    if (index !== undefined) return [{ on: [name], using: index }];
    const isNeeded = references && !present.some(([first]) => first === name);
    return isNeeded ? [{ on: [name] }] : [];
  });
}

/** As the database calls it: `service_name_key`, `service_role_attributes_gin`. */
export function indexName(tableName: string, { name, on, isUnique, using }: Index): string {
  if (name !== undefined) return name;
  const ending = using === 'gin' ? 'gin' : isUnique === true ? 'key' : 'idx';
  return [tableName, ...on.map(columnName), ending].join('_');
}
