import type { Column, Table } from '../../../kernel/declare/table.js';
import { columnName, indexName } from '../../../kernel/declare/table.js';
import { declaredFunction } from './declared-functions.js';
import type { SchemaDifference } from './schema-differences.js';
import type { SchemaFact } from './schema-facts.js';
import {
  addColumn,
  addForeignKey,
  createIndex,
  createTable,
  defaultSql,
  foreignKeyName,
  typeSql,
} from './table-sql.js';

/** The parts of a migration in the order in which they run. */
const PARTS = ['release', 'drop', 'create', 'change', 'hold'] as const;

interface Statement {
  readonly part: (typeof PARTS)[number];
  readonly text: string;
  /** Whether it can break a controller of the previous release. */
  readonly isBreaking?: boolean;
}

export interface MigrationScript {
  readonly text: string;
  /** Whether it does more than add tables and columns. */
  readonly isBreaking: boolean;
}

/** The SQL that changes the migrated database to the declared schema. */
export function migrationScript(
  differences: readonly SchemaDifference[],
  tables: readonly Table[],
): MigrationScript {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const statements = differences.flatMap((one) =>
    one.declared?.kind === 'function'
      ? createFunction(one.declared, one.migrated !== undefined)
      : statementsFor(one, byName.get(one.declared?.table ?? '')),
  );
  const ordered = PARTS.map((part) => statements.filter((one) => one.part === part));
  return {
    text: ordered
      .filter((part) => part.length > 0)
      .map((part) => part.map(({ text }) => `${text}\n`).join(''))
      .join('\n'),
    isBreaking: statements.some((one) => one.isBreaking),
  };
}

function statementsFor({ declared, migrated }: SchemaDifference, table: Table | undefined): Statement[] {
  if (declared && migrated && table) return change(declared, migrated, table);
  if (declared && table) return add(declared, table);
  return migrated ? drop(migrated) : [];
}

const alter = ({ table }: SchemaFact, action: string): string =>
  `alter table "${table}" ${action};`;

function add(fact: SchemaFact, table: Table): Statement[] {
  switch (fact.kind) {
    case 'table':
      return [
        { part: 'create', text: createTable(table) },
        ...table.indexes.map((index) => hold(createIndex(table, index))),
        ...table.columns.flatMap((column) => addForeignKey(table, column)).map((text) => hold(text)),
      ];
    case 'column':
      return [addedColumn(table, columnOf(fact, table))];
    case 'index':
      return table.indexes
        .filter((index) => indexName(table.name, index) === fact.name)
        .map((index) => hold(createIndex(table, index)));
    case 'constraint':
      return [hold(addConstraint(fact, table))];
    case 'function':
      return [hold(declaredFunction(fact.name).sql)];
  }
}

/** Adds a column. It is breaking if a row without a value for it would be refused. */
function addedColumn(table: Table, column: Column): Statement {
  const { nullable, generated, type } = column;
  const isFilled = nullable === true || generated !== undefined || type === 'counter';
  return {
    part: 'create',
    text: addColumn(table, column),
    isBreaking: !isFilled && defaultSql(column) === undefined,
  };
}

/**
 * Creates a function, after the tables that it reads. A change is breaking, since a running
 * controller calls it.
 */
function createFunction({ name }: SchemaFact, isChanged: boolean): Statement[] {
  return [{ part: 'hold', text: declaredFunction(name).sql, isBreaking: isChanged }];
}

const hold = (text: string): Statement => ({ part: 'hold', text });

/**
 * Adds a constraint by its declaration if it is a foreign key, else by the definition of the
 * database.
 */
function addConstraint(fact: SchemaFact, table: Table): string {
  const column = table.columns.find((one) => foreignKeyName(table, one) === fact.name);
  const [foreignKey] = column ? addForeignKey(table, column) : [];
  return foreignKey ?? alter(fact, `add constraint "${fact.name}" ${fact.definition}`);
}

function drop(fact: SchemaFact): Statement[] {
  switch (fact.kind) {
    case 'table':
      return [{ part: 'drop', text: `drop table "${fact.name}";`, isBreaking: true }];
    case 'column':
      return [{ part: 'drop', text: alter(fact, `drop column "${fact.name}"`), isBreaking: true }];
    case 'index':
      return [{ part: 'release', text: `drop index "${fact.name}";` }];
    case 'constraint':
      return [
        { part: 'release', text: alter(fact, `drop constraint "${fact.name}"`), isBreaking: true },
      ];
    case 'function':
      return [{ part: 'release', text: `drop function ${fact.name};`, isBreaking: true }];
  }
}

function change(declared: SchemaFact, migrated: SchemaFact, table: Table): Statement[] {
  switch (declared.kind) {
    case 'table':
      return [{ part: 'change', text: alter(declared, `set ${declared.definition}`) }];
    case 'column':
      return isGenerated(declared) || isGenerated(migrated)
        ? [...drop(migrated), ...add(declared, table)]
        : changeColumn(declared, migrated, columnOf(declared, table));
    default:
      return [...drop(migrated), ...add(declared, table)];
  }
}

const isGenerated = ({ definition }: SchemaFact): boolean =>
  definition.includes(' generated always as ');

function changeColumn(declared: SchemaFact, migrated: SchemaFact, column: Column): Statement[] {
  const actions: string[] = [];
  if (declared.definition !== migrated.definition) actions.push(`type ${typeSql(column)}`);
  if (declared.nullable !== migrated.nullable) {
    actions.push(declared.nullable ? 'drop not null' : 'set not null');
  }
  if (declared.initial !== migrated.initial) {
    const value = defaultSql(column);
    actions.push(value === undefined ? 'drop default' : `set default ${value}`);
  }
  return actions.map((action) => ({
    part: 'change',
    text: alter(declared, `alter column "${declared.name}" ${action}`),
    isBreaking: true,
  }));
}

function columnOf({ name }: SchemaFact, table: Table): Column {
  const column = table.columns.find((one) => columnName(one.name) === name);
  if (!column) throw new Error(`${table.name} declares no column ${name}`);
  return column;
}
