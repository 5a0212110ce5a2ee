import type pg from 'pg';
import type { Table } from '../../kernel/declare/table.js';
import { declaredFunctions } from './declared-functions.js';
import { schemaFacts, type SchemaFact } from './schema-facts.js';
import { createAll } from './table-sql.js';

/** One thing that the declarations and the migrated database do not agree on. */
export interface SchemaDifference {
  readonly declared: SchemaFact | undefined;
  readonly migrated: SchemaFact | undefined;
}

const SCRATCH = 'declared';

/**
 * What differs between a migrated database and the declarations, within a transaction of the caller,
 * which is left as it was. The database itself makes what is declared for a moment, so that both
 * are told in the same words.
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
  const present = new Map(migrated.map((fact) => [keyOf(fact), fact]));
  const wanted = new Map(declared.map((fact) => [keyOf(fact), fact]));
  const [extra, missing] = [without(present, wanted), without(wanted, present)];
  const changed = declared
    .map((fact) => ({ declared: fact, migrated: present.get(keyOf(fact)) }))
    .filter(({ declared: a, migrated: b }) => b && describeFact(a) !== describeFact(b));
  return [
    ...ofWholeTables(missing).map((fact) => ({ declared: fact, migrated: undefined })),
    ...changed,
    ...ofWholeTables(extra).map((fact) => ({ declared: undefined, migrated: fact })),
  ];
}

const keyOf = ({ kind, table, name }: SchemaFact): string => [kind, table, name].join(' ');

const without = <T>(all: ReadonlyMap<string, T>, others: ReadonlyMap<string, unknown>): T[] =>
  [...all].filter(([key]) => !others.has(key)).map(([, fact]) => fact);

/** A table that is new or gone stands for all that it has. */
function ofWholeTables(facts: readonly SchemaFact[]): SchemaFact[] {
  const tables = new Set(facts.filter(({ kind }) => kind === 'table').map(({ name }) => name));
  return facts.filter(({ kind, table }) => kind === 'table' || !tables.has(table));
}

/** What a thing is, as a person reads it: `text collate "C" not null default ''::text`. */
function describeFact({ kind, definition, nullable, initial }: SchemaFact): string {
  if (kind !== 'column') return definition;
  return [
    definition,
    ...(nullable ? [] : ['not null']),
    ...(initial === null ? [] : [`default ${initial}`]),
  ].join(' ');
}

/** One sentence on it. */
export function describeDifference({ declared, migrated }: SchemaDifference): string {
  if (declared?.kind === 'function' && migrated) {
    return `${called(declared)} is declared otherwise than the migrations make it`;
  }
  if (declared && migrated) {
    return `${called(declared)} is declared as "${describeFact(declared)}", but the migrations make it "${describeFact(migrated)}"`;
  }
  if (declared) return `${called(declared)} is declared but not in the migrations`;
  return migrated ? `${called(migrated)} is in the migrations but not declared` : '';
}

const called = ({ kind, table, name }: SchemaFact): string =>
  kind === 'column' ? `column ${table}.${name}` : `${kind} ${name}`;
