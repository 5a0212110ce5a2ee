import type pg from 'pg';
import type { Table } from '../../../kernel/declare/table.js';
import { declaredFunctions } from './declared-functions.js';
import { schemaFacts, type SchemaFact } from './schema-facts.js';
import { createAll } from './table-sql.js';

/** A difference between the declarations and the migrated database. */
export interface SchemaDifference {
  readonly declared: SchemaFact | undefined;
  readonly migrated: SchemaFact | undefined;
}

const SCRATCH = 'declared';

/**
 * Compares a migrated database with the declarations, inside the caller's transaction and without a
 * lasting change. It creates the declared schema temporarily, so that the database describes both
 * in the same form.
 */
export async function schemaDifferences(
  client: pg.ClientBase,
  tables: readonly Table[],
): Promise<SchemaDifference[]> {
  const migrated = await schemaFacts(client);
  await client.query(
    `savepoint ${SCRATCH}; create schema ${SCRATCH}; set local search_path to ${SCRATCH}`,
  );
  try {
    const functions = declaredFunctions.map(({ sql }) => sql);
    await client.query([...createAll(tables), ...functions].join('\n'));
    return differences(await schemaFacts(client), migrated);
  } finally {
    await client.query(`rollback to savepoint ${SCRATCH}`);
  }
}

function differences(
  declared: readonly SchemaFact[],
  migrated: readonly SchemaFact[],
): SchemaDifference[] {
  const migratedFacts = new Map(migrated.map((fact) => [keyOf(fact), fact]));
  const declaredFacts = new Map(declared.map((fact) => [keyOf(fact), fact]));
  const [extra, missing] = [without(migratedFacts, declaredFacts), without(declaredFacts, migratedFacts)];
  const changed = declared
    .map((fact) => ({ declared: fact, migrated: migratedFacts.get(keyOf(fact)) }))
    .filter(({ declared: a, migrated: b }) => b && describeFact(a) !== describeFact(b));
  return [
    ...withoutParts(missing).map((fact) => ({ declared: fact, migrated: undefined })),
    ...changed,
    ...withoutParts(extra).map((fact) => ({ declared: undefined, migrated: fact })),
  ];
}

const keyOf = ({ kind, table, name }: SchemaFact): string => [kind, table, name].join(' ');

const without = <T>(all: ReadonlyMap<string, T>, others: ReadonlyMap<string, unknown>): T[] =>
  [...all].filter(([key]) => !others.has(key)).map(([, fact]) => fact);

/** Leaves out the parts of tables that are new or missing as a whole. */
function withoutParts(facts: readonly SchemaFact[]): SchemaFact[] {
  const tables = new Set(facts.filter(({ kind }) => kind === 'table').map(({ name }) => name));
  return facts.filter(({ kind, table }) => kind === 'table' || !tables.has(table));
}

/** Describes a fact for people: `text collate "C" not null default ''::text`. */
function describeFact({ kind, definition, nullable, initial }: SchemaFact): string {
  if (kind !== 'column') return definition;
  return [
    definition,
    ...(nullable ? [] : ['not null']),
    ...(initial === null ? [] : [`default ${initial}`]),
  ].join(' ');
}

/** Describes a difference in one sentence. */
export function describeDifference({ declared, migrated }: SchemaDifference): string {
  if (declared?.kind === 'function' && migrated) {
    return `${titleOf(declared)} is declared otherwise than the migrations make it`;
  }
  if (declared && migrated) {
    return `${titleOf(declared)} is declared as "${describeFact(declared)}", but the migrations make it "${describeFact(migrated)}"`;
  }
  if (declared) return `${titleOf(declared)} is declared but not in the migrations`;
  return migrated ? `${titleOf(migrated)} is in the migrations but not declared` : '';
}

const titleOf = ({ kind, table, name }: SchemaFact): string =>
  kind === 'column' ? `column ${table}.${name}` : `${kind} ${name}`;
