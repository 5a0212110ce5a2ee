import {
  columnName,
  indexName,
  type Column,
  type ColumnType,
  type Expression,
  type Index,
  type Table,
} from '../../../kernel/declare/table.js';

/** Statements that create declared tables. */

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  texts: 'text[]',
  integer: 'integer',
  bigint: 'bigint',
  counter: 'bigserial',
  boolean: 'boolean',
  time: 'timestamptz(3)',
  json: 'jsonb',
  bytes: 'bytea',
};

const quoted = (name: string): string => `"${name}"`;

const columnList = (names: readonly string[]): string =>
  names.map((name) => quoted(columnName(name))).join(', ');

export function createTable(table: Table): string {
  const lines = table.columns.map((column) => `  ${columnSql(column)}${checkClause(column)}`);
  lines.push(`  primary key (${columnList(table.key)})`);
  const kind = table.isUnlogged ? 'unlogged table' : 'table';
  return `create ${kind} ${quoted(table.name)} (\n${lines.join(',\n')}\n);`;
}

function columnSql(column: Column): string {
  const { name, nullable, generated } = column;
  return [
    quoted(columnName(name)),
    typeSql(column),
    ...(nullable === true ? [] : ['not null']),
    ...(generated === undefined ? [] : [`generated always as (${generated}) stored`]),
    ...defaultClause(column),
  ].join(' ');
}

/** The SQL type. Texts are compared by bytes, as in the controller. */
export function typeSql({ type, collation }: Column): string {
  const isText = type === 'text' || type === 'texts';
  return isText && collation === undefined ? `${TYPES[type]} collate "C"` : TYPES[type];
}

/** The default value of a column, if it has one. */
export function defaultSql({ type, default: initial }: Column): string | undefined {
  if (initial === undefined || initial === null) return undefined;
  if (isExpression(initial)) return `(${initial.sql})`;
  if (typeof initial === 'number' || typeof initial === 'boolean') return String(initial);
  if (type === 'texts') return arrayLiteral(initial as readonly string[]);
  return literal(
    type === 'json' || typeof initial !== 'string' ? JSON.stringify(initial) : initial,
  );
}

export const isExpression = (value: unknown): value is Expression =>
  typeof value === 'object' && value !== null && 'sql' in value;

const checkClause = ({ check }: Column): string =>
  check === undefined ? '' : ` check (${check})`;

const defaultClause = (column: Column): string[] => {
  const value = defaultSql(column);
  return value === undefined ? [] : [`default ${value}`];
};

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const arrayLiteral = (texts: readonly string[]): string =>
  texts.length === 0 ? "'{}'" : `array[${texts.map(literal).join(', ')}]`;

/** Adds a column without its check, which is a separate constraint. */
export const addColumn = (table: Table, column: Column): string =>
  `alter table ${quoted(table.name)} add column ${columnSql(column)};`;

export function createIndex(table: Table, index: Index): string {
  const unique = index.isUnique === true ? 'unique ' : '';
  const using = index.using === 'gin' ? ' using gin' : '';
  const where = index.where === undefined ? '' : ` where ${index.where}`;
  return `create ${unique}index ${quoted(indexName(table.name, index))} on ${quoted(table.name)}${using} (${columnList(index.on)})${where};`;
}

export const foreignKeyName = (table: Table, { name }: Column): string =>
  `${table.name}_${columnName(name)}_fkey`;

/** Adds the foreign key of a column; empty if the column refers to no table. */
export function addForeignKey(table: Table, column: Column): string[] {
  const { name, references } = column;
  if (!references) return [];
  const onDelete = references.onDelete === 'cascade' ? ' on delete cascade' : '';
  return [
    `alter table ${quoted(table.name)} add constraint ${quoted(foreignKeyName(table, column))} foreign key (${columnList([name])}) references ${quoted(references.table)} ("id")${onDelete};`,
  ];
}

/** Statements that create all tables in an empty schema. */
export const createAll = (tables: readonly Table[]): string[] => [
  ...tables.map(createTable),
  ...tables.flatMap((table) => table.indexes.map((index) => createIndex(table, index))),
  ...tables.flatMap((table) => table.columns.flatMap((column) => addForeignKey(table, column))),
];
