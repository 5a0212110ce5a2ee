import type pg from 'pg';

/** A table, column, constraint, index or function, as the database describes it. */
export interface SchemaFact {
  readonly kind: 'table' | 'column' | 'constraint' | 'index' | 'function';
  /** Empty for a function. */
  readonly table: string;
  /** The name; for a function with the types of its arguments. */
  readonly name: string;
  /** The definition; for a column only its type. */
  readonly definition: string;
  /** For a column: whether it may be null. */
  readonly nullable: boolean;
  readonly initial: string | null;
}

/** All tables except the ledger of migrations. */
const TABLES = `
  select c.oid, c.relname as "table", c.relpersistence from pg_class c
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.relname <> '_prisma_migrations'`;

const COLUMNS = `
  select 'column' as kind, t."table", a.attname as name,
    format_type(a.atttypid, a.atttypmod)
      || coalesce(' collate "' || nullif(l.collname, 'default') || '"', '')
      || case a.attgenerated when 's' then ' generated always as ' || pg_get_expr(d.adbin, d.adrelid) else '' end as definition,
    not a.attnotnull as nullable,
    case a.attgenerated when '' then pg_get_expr(d.adbin, d.adrelid) end as initial
  from tables t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  left join pg_collation l on l.oid = a.attcollation`;

// Since PostgreSQL 18 `not null` is a constraint, too.
const CONSTRAINTS = `
  select 'constraint', t."table", c.conname, pg_get_constraintdef(c.oid), false, null
  from tables t join pg_constraint c on c.conrelid = t.oid and c.contype <> 'n'`;

const INDEXES = `
  select 'index', t."table", x.relname,
    case when i.indisunique then 'unique ' else '' end || m.amname || ' ('
      || (select string_agg(pg_get_indexdef(i.indexrelid, n, true), ', ' order by n) from generate_series(1, i.indnatts) n) || ')'
      || coalesce(' where ' || pg_get_expr(i.indpred, i.indrelid), ''),
    false, null
  from tables t join pg_index i on i.indrelid = t.oid
  join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam
  where not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u'))`;

// Functions of extensions are left out.
const FUNCTIONS = `
  select 'function', '', p.proname || '(' || oidvectortypes(p.proargtypes) || ')',
    concat_ws(' ', '(' || pg_get_function_arguments(p.oid) || ')', 'returns', pg_get_function_result(p.oid), 'language', l.lanname,
      case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
      case when p.proisstrict then 'strict' end, case when p.prosecdef then 'security definer' end,
      array_to_string(p.proconfig, ' '), 'as', p.prosrc),
    false, null
  from pg_proc p join pg_language l on l.oid = p.prolang
  where p.pronamespace = current_schema()::regnamespace
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`;

const FACTS = `with tables as (${TABLES})
  select 'table' as kind, "table", "table" as name,
    case relpersistence when 'u' then 'unlogged' else 'logged' end as definition, false as nullable, null as initial
  from tables
  union all ${COLUMNS} union all ${CONSTRAINTS} union all ${INDEXES} union all ${FUNCTIONS}
  order by 2, 1, 3`;

/** Reads all facts of the current schema of the connection. */
export const schemaFacts = async (client: pg.ClientBase): Promise<SchemaFact[]> =>
  (await client.query<SchemaFact>(FACTS)).rows;
