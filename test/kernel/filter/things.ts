import pg from 'pg';
import { symbolTable } from '../../../src/kernel/filter/index.js';
import type { FilterSymbol, SymbolTable } from '../../../src/kernel/filter/index.js';
import { column, raw, sql } from '../../../src/base/sql.js';
import type { Sql } from '../../../src/base/sql.js';

/** A row of the table the tests filter; null is a missing value. */
export interface Thing {
  id: string;
  name: string | null;
  cost: number | null;
  weight: number | null;
  enabled: boolean | null;
  kind: string | null;
  seenAt: string | null;
  tags: Record<string, unknown>;
  roles: string[];
  places: Place[];
}

export interface Place {
  id: string;
  title: string | null;
  size: number | null;
  labels: string[];
}

/** The numbers by which old clients compare `kind`. */
export const KIND_NUMBERS: Readonly<Record<string, number>> = { a: 1, b: 2, A: 12 };

const value = (
  name: string,
  type: FilterSymbol['type'],
  more: Partial<FilterSymbol> = {},
): FilterSymbol => ({
  name,
  type,
  shape: 'value',
  sql: (alias: string) => column(alias, name),
  ...more,
});

const set = (name: string): FilterSymbol => ({
  ...value(name, 'string', { nullable: false }),
  shape: 'set',
});

const placeSymbols: SymbolTable = symbolTable('place', [
  value('id', 'string', { nullable: false }),
  value('title', 'string'),
  value('size', 'int'),
  set('labels'),
  {
    name: 'thing',
    type: 'string',
    shape: 'link',
    link: {
      symbols: () => thingSymbols,
      rows: (outer, inner) => ({
        from: sql`thing as ${raw(inner)}`,
        where: sql`${column(inner, 'id')} = ${column(outer, 'thingId')}`,
      }),
    },
  },
]);

export const thingSymbols: SymbolTable = symbolTable('thing', [
  value('id', 'string', { nullable: false }),
  value('name', 'string'),
  value('cost', 'int'),
  value('weight', 'float'),
  value('enabled', 'bool'),
  value('kind', 'string', { numbers: KIND_NUMBERS }),
  value('seenAt', 'datetime'),
  { ...value('tags', 'any'), shape: 'map' },
  set('roles'),
  {
    name: 'places',
    type: 'string',
    shape: 'link',
    link: {
      symbols: () => placeSymbols,
      rows: (outer, inner) => ({
        from: sql`place as ${raw(inner)}`,
        where: sql`${column(inner, 'thingId')} = ${column(outer, 'id')}`,
      }),
    },
  },
]);

const TABLES = `
  create temporary table thing (
    id text collate "C" primary key, name text collate "C", cost int8, weight float8,
    enabled boolean, kind text collate "C", "seenAt" timestamptz, tags jsonb, roles text[] collate "C" not null);
  create temporary table place (
    id text collate "C" primary key, "thingId" text collate "C" not null, title text collate "C",
    size int8, labels text[] collate "C" not null);`;

/** The tables on the PostgreSQL of the tests, in one connection that forgets them at its end. */
export class Things {
  private constructor(private readonly client: pg.Client) {}

  static async open(rows: readonly Thing[] = []): Promise<Things> {
    const client = new pg.Client({
      connectionString:
        process.env.OVERGRAPH_TEST_DATABASE_URL ?? 'postgresql://postgres@127.0.0.1:54329/postgres',
    });
    await client.connect();
    await client.query(TABLES);
    const things = new Things(client);
    await things.replace(rows);
    return things;
  }

  async replace(rows: readonly Thing[]): Promise<void> {
    await this.client.query('truncate thing, place');
    await this.client.query(
      `insert into thing select * from jsonb_to_recordset($1::jsonb) as r(id text, name text,
        cost int8, weight float8, enabled boolean, kind text, "seenAt" timestamptz, tags jsonb, roles text[])`,
      [JSON.stringify(rows)],
    );
    const places = rows.flatMap(({ id, places: own }) =>
      own.map((place) => ({ ...place, thingId: id })),
    );
    await this.client.query(
      `insert into place select * from jsonb_to_recordset($1::jsonb) as r(id text, "thingId" text,
        title text, size int8, labels text[])`,
      [JSON.stringify(places)],
    );
  }

  /** Ids of the rows for which the condition on alias `t` holds. */
  async matching(where: Sql, orderBy: Sql = raw('t.id')): Promise<string[]> {
    const { text, values } = sql`
      select t.id from thing as t where ${where} order by ${orderBy}`.render();
    const { rows } = await this.client.query<{ id: string }>(text, values);
    return rows.map(({ id }) => id);
  }

  async query(statement: Sql): Promise<Record<string, unknown>[]> {
    const { text, values } = statement.render();
    const { rows } = await this.client.query<Record<string, unknown>>(text, values);
    return rows;
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}

export const thing = (id: string, fields: Partial<Thing> = {}): Thing => ({
  id,
  name: null,
  cost: null,
  weight: null,
  enabled: null,
  kind: null,
  seenAt: null,
  tags: {},
  roles: [],
  places: [],
  ...fields,
});
