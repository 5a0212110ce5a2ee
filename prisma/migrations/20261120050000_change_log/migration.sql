-- The place of a change in the log as one text, which sorts as the log is ordered: epoch, xid, seq.
alter table "change" add column "id" text collate "C" not null
  generated always as (lpad(to_hex("epoch"), 4, '0') || lpad(to_hex("xid"), 16, '0') || lpad(to_hex("seq"), 16, '0')) stored;
create unique index "change_id_key" on "change" ("id");
create index "change_at_idx" on "change" ("at");
drop index "change_epoch_xid_seq_idx";

-- The columns stay as they are, for controllers of the release before.
alter table "service_freshness_state" add column "position" text collate "C" not null
  generated always as (lpad(to_hex("epoch"), 4, '0') || lpad(to_hex("xid"), 16, '0') || lpad(to_hex("seq"), 16, '0')) stored;

-- What was pruned: the greatest id, time and revision of it.
create table "change_log" (
  "is_single" boolean primary key default true check ("is_single"),
  "pruned_id" text collate "C" not null default '',
  "pruned_at" timestamptz(3) not null default '-infinity',
  "pruned_revision" integer not null default 0
);
insert into "change_log" default values;

-- Every change below it is committed, and no transaction that still runs can put one there. What was
-- logged before a restore lies below whatever its transactions were numbered on the other server.
create function "change_horizon"() returns text language sql stable as $$
  select lpad(to_hex(coalesce((select max("epoch") from "network_record"), 1)), 4, '0')
    || lpad(to_hex(pg_snapshot_xmin(pg_current_snapshot())::text::bigint), 16, '0')
$$;

-- Whether all that follows a place is there: true, or the error OG410. It is not when some of it was
-- pruned, and when the place is of another history: before a restore, or not reached yet.
create function "change_is_kept"("place" text) returns boolean language plpgsql stable as $$
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
$$;

-- The same of all that happened since a time.
create function "change_is_kept_since"("time" timestamptz) returns boolean language plpgsql stable as $$
begin
  if "time" < (select max("pruned_at") from "change_log") then
    raise exception using errcode = 'OG410', message = 'the change log does not go back so far';
  end if;
  return true;
end
$$;
