import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { knownMigrations } from '../../../../src/data/store/migrate.js';
import { notAdditive } from './additive.js';

/** Migrations that older controllers can live with, so that controllers are replaced one by one. */

const UNUSED = 'made with the foundation, and written by no controller until it was replaced';

/** Migration and statement that does more than add -> why no controller stumbles over it. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  '20261120020000_sessions: drop table "posture_data"': UNUSED,
  '20261120030000_presence: drop table "router_presence"': UNUSED,
};

let found: string[];
beforeAll(async () => {
  const [, ...later] = await knownMigrations();
  const all = await Promise.all(
    later
      // Older controllers refuse to start on these.
      .filter((name) => !name.endsWith('_breaking'))
      .map(async (name) => {
        const script = await readFile(join('prisma/migrations', name, 'migration.sql'), 'utf8');
        return notAdditive(script).map((statement) => `${name}: ${statement}`);
      }),
  );
  found = all.flat();
});

describe('migrations after the first', () => {
  test('only add, but for what is named here', () => {
    expect(found).toStrictEqual(Object.keys(EXCEPTIONS));
  });
});

describe('a migration', () => {
  test.each([
    'drop table "service"',
    'alter table "service" drop column "name"',
    'alter table "service" rename column "name" to "title"',
    'alter table "service" rename to "thing"',
    'alter table "service" alter column "name" type varchar(10)',
    'alter table "service" alter column "name" set not null',
    'alter table "service" add column "x" text not null',
    'alter table "service" add column "x" integer, drop column "name"',
    'alter table "service" add constraint "c" check ("name" <> \'\')',
    'alter table "service" add constraint "c" foreign key ("name") references "identity" ("id")',
    'create unique index "i" on "service" ("role_attributes")',
    'delete from "service"',
    'truncate "service"',
    'drop function f',
    'create trigger t before insert on "service" execute function f()',
  ])('does more than add with: %s', (statement) => {
    const script = `-- A reason; with more\ncreate table "new" ("id" text);\n${statement};`;
    expect(notAdditive(script)).toStrictEqual([statement.toLowerCase()]);
  });

  test.each([
    'create table "new" ("id" text not null); create unique index "i" on "new" ("id")',
    'create unlogged table "new" ("id" text not null); alter table "new" add constraint "c" check ("id" <> \'\')',
    'alter table "service" add column "x" text collate "C", add column "y" integer not null default 0',
    'alter table "service" add column "x" text; create unique index "i" on "service" ("x")',
    'alter table "service" add column "x" text not null generated always as (lpad("id", 3, \'0\') || \';\') stored',
    'alter table "service" add column "x" text; alter table "service" add constraint "c" foreign key ("x") references "identity" ("id") on delete cascade',
    'create index "i" on "service" using gin ("name")',
    'drop index "service_name_key"',
    'update "service" set "x" = 1',
    'create or replace function f() returns integer language sql as $$ select 1 $$',
    'create function f() returns void as $$ begin; delete from "x"; end $$ language plpgsql',
  ])('only adds with: %s', (script) => {
    expect(notAdditive(script)).toStrictEqual([]);
  });
});
