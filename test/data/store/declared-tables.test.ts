import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { columnName } from '../../../src/kernel/declare/table.js';
import type { UnfitAttributes } from '../../../src/data/prisma/models.js';
import { catalog } from '../../../src/resources/index.js';
import { prismaSchema } from '../../../src/data/store/schema/prisma-schema.js';
import {
  describeDifference,
  schemaDifferences,
} from '../../../src/data/store/schema/schema-differences.js';
import { declaredTables } from '../../../src/data/store/tables/index.js';
import { rolledBackClient } from './rolled-back-client.js';

const tables = declaredTables(catalog);

describe('the declared tables', () => {
  test('have names of their own', () => {
    expect(new Set(tables.map(({ name }) => name)).size).toBe(tables.length);
  });

  test('give the committed Prisma schema', async () => {
    expect(await readFile('prisma/schema.prisma', 'utf8')).toBe(prismaSchema(tables));
  });

  test('explain each table, and each column of a resource with its closed values', () => {
    expect(tables.filter(({ description }) => !/^[A-Z].*\.$/.test(description))).toStrictEqual([]);
    const schema = prismaSchema(tables);
    expect(schema).toContain('/// The second factor of an identity.\nmodel Mfa {');
    expect(schema).toMatch(
      /\/\/\/ The kind of access that the policy grants\. One of: Dial, Bind\.\n {2}type +String\n/,
    );
  });

  test('have columns of the types that the classes of the resources declare', () => {
    // The compiler decides, and names those that differ.
    const unfit: UnfitAttributes[] = [];
    expect(unfit satisfies never[]).toEqual([]);
  });
});

/** A statement that changes the database, and what is then said of it. */
const CHANGES: readonly [statement: string, difference: string][] = [
  ['create table stray (id text)', 'table stray is in the migrations but not declared'],
  ['drop table lease', 'table lease is declared but not in the migrations'],
  [
    'alter table lease set unlogged',
    'table lease is declared as "logged", but the migrations make it "unlogged"',
  ],
  [
    'alter table service add column stray text',
    'column service.stray is in the migrations but not declared',
  ],
  [
    'alter table mfa drop column last_step',
    'column mfa.last_step is declared but not in the migrations',
  ],
  [
    'alter table service alter column name drop not null',
    'column service.name is declared as "text collate "C" not null", but the migrations make it "text collate "C""',
  ],
  [
    'alter table service alter column max_idle_time_millis set default 1',
    'column service.max_idle_time_millis is declared as "integer not null default 0", but the migrations make it "integer not null default 1"',
  ],
  [
    'alter table service alter column max_idle_time_millis type bigint',
    'column service.max_idle_time_millis is declared as "integer not null default 0", but the migrations make it "bigint not null default 0"',
  ],
  [
    'alter table mfa alter column secret type text collate "C"',
    'column mfa.secret is declared as "text not null", but the migrations make it "text collate "C" not null"',
  ],
  ['drop index service_name_key', 'index service_name_key is declared but not in the migrations'],
  ['create index stray on service (name)', 'index stray is in the migrations but not declared'],
  [
    'drop index service_name_key; create unique index service_name_key on service (name) where is_system',
    'index service_name_key is declared as "unique btree (name)", but the migrations make it "unique btree (name) where is_system"',
  ],
  [
    'alter table terminator drop constraint terminator_service_id_fkey',
    'constraint terminator_service_id_fkey is declared but not in the migrations',
  ],
  [
    'alter table terminator drop constraint terminator_service_id_fkey, add constraint terminator_service_id_fkey foreign key (service_id) references service (id)',
    'constraint terminator_service_id_fkey is declared as "FOREIGN KEY (service_id) REFERENCES service(id) ON DELETE CASCADE", but the migrations make it "FOREIGN KEY (service_id) REFERENCES service(id)"',
  ],
  [
    'alter table change_log drop constraint change_log_is_single_check',
    'constraint change_log_is_single_check is declared but not in the migrations',
  ],
  [
    'drop function held_access_rules()',
    'function held_access_rules() is declared but not in the migrations',
  ],
  [
    'create function stray(text) returns text language sql return $1',
    'function stray(text) is in the migrations but not declared',
  ],
  [
    'alter function change_horizon() volatile',
    'function change_horizon() is declared otherwise than the migrations make it',
  ],
  [
    "create or replace function change_is_kept(place text) returns boolean language plpgsql stable as 'begin return true; end'",
    'function change_is_kept(text) is declared otherwise than the migrations make it',
  ],
];

describe('the migrated database', () => {
  const client = rolledBackClient();

  const differences = async (): Promise<string[]> =>
    (await schemaDifferences(client(), tables)).map(describeDifference);

  test('has the references that the Prisma schema shows as relations', async () => {
    const { rows } = await client().query<{ name: string; rule: string }>(
      `select conname as name, case confdeltype when 'c' then 'Cascade' else 'Restrict' end as rule
       from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by 1`,
    );
    const schema = await readFile('prisma/schema.prisma', 'utf8');
    const shown = schema.matchAll(/onDelete: (\w+), onUpdate: NoAction, map: "(\w+)"/g);
    const relations = [...shown].map(([, rule, name]) => ({ name, rule }));
    expect(relations).toHaveLength(rows.length);
    expect(relations).toEqual(expect.arrayContaining(rows));
  });

  test('has the unique keys by which the Prisma schema finds rows', async () => {
    const { rows } = await client().query<{ key: string }>(
      `select c.relname || ': ' || string_agg(a.attname, ', ' order by k.place) as key
       from pg_index i join pg_class c on c.oid = i.indrelid
         cross join unnest(i.indkey) with ordinality k (number, place)
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
       where i.indisunique and not i.indisprimary and i.indpred is null
         and c.relnamespace = 'public'::regnamespace
       group by i.indexrelid, c.relname`,
    );
    expect(new Set(uniqueKeysIn(await readFile('prisma/schema.prisma', 'utf8')))).toEqual(
      new Set(rows.map(({ key }) => key)),
    );
  });

  test('is what is declared', async () => {
    expect(await differences()).toEqual([]);
  });

  test.each(CHANGES)('differs after "%s"', async (statement, difference) => {
    await client().query(statement);
    expect(await differences()).toEqual([difference]);
  });
});

/** The unique keys of a Prisma schema, as `table: column, column`. */
function uniqueKeysIn(schema: string): string[] {
  const models = schema.split(/^model /m).slice(1);
  return models.flatMap((model) => {
    const table = /@@map\("(\w+)"\)/.exec(model)?.[1] ?? '';
    const ofOne = [...model.matchAll(/^ {2}(\w+) .*@unique\b/gm)].map(([, name = '']) => [name]);
    const ofSeveral = [...model.matchAll(/@@unique\(\[(.+)\]\)/g)].map(([, on = '']) =>
      on.split(', '),
    );
    return [...ofOne, ...ofSeveral].map((on) => `${table}: ${on.map(columnName).join(', ')}`);
  });
}
