/** A function of the database. */
export interface DatabaseFunction {
  /** As the check names it: the name with the types of the arguments. */
  readonly signature: string;
  /** The statement that makes it. */
  readonly sql: string;
}

/** All functions of the database. Controllers of the release before call them, too. */
export const declaredFunctions: readonly DatabaseFunction[] = [
  // Every change below it is committed, and no transaction that still runs can put one there. What was
  // logged before a restore lies below whatever its transactions were numbered on the other server.
  {
    signature: 'change_horizon()',
    sql: `create or replace function "change_horizon"() returns text language sql stable as $$
  select lpad(to_hex(coalesce((select max("epoch") from "network_record"), 1)), 4, '0')
    || lpad(to_hex(pg_snapshot_xmin(pg_current_snapshot())::text::bigint), 16, '0')
$$;`,
  },
  // Whether all that follows a place is there: true, or the error OG410. It is not when some of it was
  // pruned, and when the place is of another history: before a restore, or not reached yet.
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
  // The same of all that happened since a time.
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
  // The rules that a write has to keep, held against new ones until it ends. The rules are read by a
  // statement of their own after the lock was taken, so that one made meanwhile is among them; writes
  // do not wait for each other. It must be locked by those who insert (`row exclusive`) anyway.
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
  const declared = declaredFunctions.find((each) => each.signature === signature);
  if (!declared) throw new Error(`no function ${signature} is declared`);
  return declared;
}
