import {
  columnName,
  type Column,
  type ColumnType,
  type Table,
} from '../../../kernel/declare/table.js';
import { referenceField, inverseField, relationsOf, type Relation } from './prisma-relations.js';
import { isExpression } from './table-sql.js';

const HEADER = `// Emitted by \`npm run emit\` from the resources (src/resources) and the tables beside them
// (src/data/store/tables). Membership by roles is no relation here: it is computed.

generator client {
  provider            = "prisma-client"
  output              = "../src/data/prisma/emitted"
  runtime             = "nodejs"
  compilerBuild       = "small"
  previewFeatures     = ["relationJoins"]
  moduleFormat        = "esm"
  importFileExtension = "js"
}

datasource db {
  provider = "postgresql"
}
`;

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'String',
  texts: 'String[]',
  integer: 'Int',
  bigint: 'BigInt',
  counter: 'BigInt',
  boolean: 'Boolean',
  time: 'DateTime',
  json: 'Json',
  bytes: 'Bytes',
};

/** The tables of the database in Prisma's language, from which the build generates its client. */
export function prismaSchema(tables: readonly Table[]): string {
  const relations = relationsOf(tables);
  return [HEADER, ...tables.map((table) => model(table, relations))].join('\n');
}

function model(table: Table, relations: readonly Relation[]): string {
  const columns = table.columns.map((column) => [
    column.name,
    typeOf(column),
    attributesOf(table, column),
  ]);
  const fields = aligned([
    ...columns,
    ...relations.filter(({ from }) => from === table).map(referenceField),
    ...relations.filter(({ to }) => to === table).map(inverseField),
  ]);
  const key = table.key.length > 1 ? [`  @@id([${table.key.join(', ')}])`] : [];
  const unique = uniqueKeys(table).filter((on) => on.length > 1);
  return [
    ...comment(table.description, ''),
    `model ${table.model} {`,
    ...fields.flatMap((field, i) => [...comment(table.columns[i]?.description, '  '), field]),
    '',
    ...key,
    ...unique.map((on) => `  @@unique([${on.join(', ')}])`),
    `  @@map(${JSON.stringify(table.name)})`,
    '}',
    '',
  ].join('\n');
}

/** Programs that show a schema show such a comment with the model or the field below it. */
const comment = (text = '', indent: string): string[] =>
  text === '' ? [] : [`${indent}/// ${text}`];

const typeOf = ({ type, nullable }: Column): string =>
  nullable === true ? `${TYPES[type]}?` : TYPES[type];

/** The columns by which at most one row is found, beside the primary key. */
const uniqueKeys = ({ indexes }: Table): (readonly string[])[] =>
  indexes.flatMap(({ on, isUnique, where }) =>
    isUnique === true && where === undefined ? [on] : [],
  );

function attributesOf(table: Table, column: Column): string {
  const { name, type } = column;
  const { key } = table;
  const isKey = key.length === 1 && key[0] === name;
  const isUnique = uniqueKeys(table).some((on) => on.length === 1 && on[0] === name);
  return [
    ...(isKey ? ['@id'] : []),
    ...(isUnique ? ['@unique'] : []),
    ...defaultOf(column),
    ...(columnName(name) === name ? [] : [`@map("${columnName(name)}")`]),
    ...(type === 'time' ? ['@db.Timestamptz(3)'] : []),
  ].join(' ');
}

function defaultOf({ type, default: initial, generated }: Column): string[] {
  if (type === 'counter') return ['@default(autoincrement())'];
  if (generated !== undefined || isExpression(initial)) return ['@default(dbgenerated())'];
  // Prisma can not express times such as -infinity; the database still stores them.
  if (initial === undefined || initial === null || type === 'time') return [];
  const text = JSON.stringify(initial);
  return [`@default(${type === 'json' ? JSON.stringify(text) : text})`];
}

/** Aligns fields in columns, as Prisma's formatter does. */
function aligned(fields: readonly (readonly string[])[]): string[] {
  const widths = [0, 1].map((i) => Math.max(...fields.map((field) => field[i]?.length ?? 0)));
  return fields.map((field) => {
    const padded = field.map((part, i) => part.padEnd(widths[i] ?? 0));
    return `  ${padded.join(' ')}`.trimEnd();
  });
}
