/** A function of the database. */
export interface DatabaseFunction {
  /** The name with the types of the arguments. */
  readonly signature: string;
  /** The statement that creates it. */
  readonly sql: string;
}

/** All functions of the database. Controllers of the previous release also call them. */
export const declaredFunctions: readonly DatabaseFunction[] = [
  // All changes below the horizon are committed, and no running transaction can add one there.
  // Changes from before a restore have a smaller epoch, so they are below it, too.
  {
    signature: 'change_horizon()',
    sql: `create or replace function "change_horizon"() returns text language sql stable as $$
  select lpad(to_hex(coalesce((select max("epoch") from "network_record"), 1)), 4, '0')
    || lpad(to_hex(pg_snapshot_xmin(pg_current_snapshot())::text::bigint), 16, '0')
$$;`,
  },
  // True if the log has all changes after a position, else the error OG410: some were pruned, or
  // the position is of another history, such as before a restore.
  {
    signature: 'change_is_kept(text)',
    sql: `create or replace function "change_is_kept"("place" text) returns boolean language plpgsql stable as $$
declare
  "horizon" text := "change_horizon"();
begin
  if "place" collate "C" < (select max("pruned_id") from "change_log")
    or left("place", 4) <> left("horizon", 4)
    or "place" collate "C" > "horizon" || '0000000000000000'
  then
    raise exception using errcode = 'OG410', message = 'the change log does not go back so far';
  end if;
  return true;
end
$$;`,
  },
  // The same check for all changes since a time.
  {
    signature: 'change_is_kept_since(timestamp with time zone)',
    sql: `create or replace function "change_is_kept_since"("time" timestamptz) returns boolean language plpgsql stable as $$
begin
  if "time" < (select max("pruned_at") from "change_log") then
    raise exception using errcode = 'OG410', message = 'the change log does not go back so far';
  end if;
  return true;
end
$$;`,
  },
  // The access rules, locked against new ones until the write ends. A separate statement reads them
  // after the lock, so that it sees a rule that was added meanwhile. Writes do not wait for each
  // other; an insert waits, since it takes a `row exclusive` lock.
  {
    signature: 'held_access_rules()',
    sql: `create or replace function "held_access_rules"() returns setof "access_rule" language plpgsql as $$
begin
  lock table "access_rule" in share mode;
  return query select * from "access_rule" order by "id";
end $$;`,
  },
];

export function declaredFunction(signature: string): DatabaseFunction {
  const declaredEntry = declaredFunctions.find((each) => each.signature === signature);
  if (!declaredEntry) throw new Error(`no function ${signature} is declared`);
  return declaredEntry;
}
