import { describe, expect, test } from '@jest/globals';
import { columnOfType, table, type Table } from '../../../src/kernel/declare/table.js';
import { catalog } from '../../../src/resources/index.js';
import { migrationScript } from '../../../src/data/store/schema/migration-script.js';
import { schemaDifferences } from '../../../src/data/store/schema/schema-differences.js';
import { declaredTables } from '../../../src/data/store/tables/index.js';
import { rolledBackClient } from './rolled-back-client.js';

const tables = declaredTables(catalog);

/** The declared tables with one of them declared otherwise. */
const withTable = (name: string, change: (declared: Table) => Table): Table[] =>
  tables.map((one) => (one.name === name ? change(one) : one));

const withColumns = (name: string, columns: Parameters<typeof table>[2]): Table[] =>
  withTable(name, (declared) => {
    const added = table(name, 'The same.', columns, { key: declared.key });
    const kept = declared.columns.filter((one) => !(one.name in columns));
    return {
      ...declared,
      columns: [...kept, ...added.columns],
      indexes: [...declared.indexes, ...added.indexes],
    };
  });

const withoutColumns = (name: string, ...gone: string[]): Table[] =>
  withTable(name, (declared) => ({
    ...declared,
    columns: declared.columns.filter((one) => !gone.includes(one.name)),
    indexes: declared.indexes.filter(({ on }) => !on.some((one) => gone.includes(one))),
  }));

/** What is declared otherwise, the script that follows from it, and whether it does more than add. */
const CASES: readonly [what: string, declared: Table[], script: string, isBreaking: boolean][] = [
  [
    'a column that may be null',
    withColumns('service', { note: columnOfType('text', { nullable: true }) }),
    'alter table "service" add column "note" text collate "C";\n',
    false,
  ],
  [
    'a column with a default and a check',
    withColumns('service', {
      level: columnOfType('integer', { default: 1, check: '"level" > 0' }),
    }),
    `alter table "service" add column "level" integer not null default 1;

alter table "service" add constraint "service_level_check" CHECK ((level > 0));
`,
    false,
  ],
  [
    'a column that must have a value',
    withColumns('service', { note: columnOfType('text') }),
    'alter table "service" add column "note" text collate "C" not null;\n',
    true,
  ],
  [
    'a column that refers to another table',
    withColumns('service', {
      ownerId: columnOfType('text', {
        nullable: true,
        references: { table: 'identity', onDelete: 'cascade' },
      }),
    }),
    `alter table "service" add column "owner_id" text collate "C";

alter table "service" add constraint "service_owner_id_fkey" foreign key ("owner_id") references "identity" ("id") on delete cascade;
create index "service_owner_id_idx" on "service" ("owner_id");
`,
    false,
  ],
  [
    'a table',
    [
      ...tables,
      table(
        'note',
        'Notes.',
        { id: columnOfType('text'), lines: columnOfType('texts', { default: [], index: 'gin' }) },
        { isUnlogged: true },
      ),
    ],
    `create unlogged table "note" (
  "id" text collate "C" not null,
  "lines" text[] collate "C" not null default '{}',
  primary key ("id")
);

create index "note_lines_gin" on "note" using gin ("lines");
`,
    false,
  ],
  ['a table less', tables.filter(({ name }) => name !== 'lease'), 'drop table "lease";\n', true],
  [
    'a column less, with its index and its reference',
    withoutColumns('session', 'identityId'),
    `alter table "session" drop constraint "session_identity_id_fkey";
drop index "session_identity_id_idx";

alter table "session" drop column "identity_id";
`,
    true,
  ],
  [
    'a column that may be null now, of another type and with another default',
    withColumns('service', {
      maxIdleTimeMillis: columnOfType('bigint', { nullable: true, default: 7 }),
    }),
    `alter table "service" alter column "max_idle_time_millis" type bigint;
alter table "service" alter column "max_idle_time_millis" drop not null;
alter table "service" alter column "max_idle_time_millis" set default 7;
`,
    true,
  ],
  [
    'an index over other columns',
    withTable('config', (declared) => ({
      ...declared,
      indexes: [{ on: ['name', 'id'], name: 'config_name_key' }],
    })),
    `drop index "config_name_key";
drop index "config_config_type_id_idx";

create index "config_name_key" on "config" ("name", "id");
`,
    false,
  ],
  [
    'another way to compute a column',
    withColumns('service_freshness_state', {
      position: columnOfType('text', { generated: '"seq"::text' }),
    }),
    `alter table "service_freshness_state" drop column "position";

alter table "service_freshness_state" add column "position" text collate "C" not null generated always as ("seq"::text) stored;
`,
    true,
  ],
  [
    'a table that outlives a crash',
    withTable('login_counter', (declared) => ({ ...declared, isUnlogged: false })),
    'alter table "login_counter" set logged;\n',
    false,
  ],
];

describe('the script of a migration for', () => {
  const client = rolledBackClient();

  test.each(CASES)('%s makes what is declared', async (_, declared, text, isBreaking) => {
    const script = migrationScript(await schemaDifferences(client(), declared), declared);
    expect(script).toEqual({ text, isBreaking });
    await client().query(script.text);
    expect(await schemaDifferences(client(), declared)).toEqual([]);
  });
});
