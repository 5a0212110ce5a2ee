create table "access_rule" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "kind" text collate "C" not null,
  "type" text collate "C" not null,
  "semantic" text collate "C" not null,
  "identity_roles" text[] collate "C" not null default '{}',
  "service_roles" text[] collate "C" not null default '{}'
);

create unique index "access_rule_name_key" on "access_rule" ("name");
create index "access_rule_identity_roles_gin" on "access_rule" using gin ("identity_roles");
create index "access_rule_service_roles_gin" on "access_rule" using gin ("service_roles");

-- Why a change was made although it violates an access rule.
alter table "change" add column "reason" text collate "C";

-- The rules that a write has to keep, held against new ones until it ends. The rules are read by a
-- statement of their own after the lock was taken, so that one made meanwhile is among them; writes
-- do not wait for each other. It must be locked by those who insert (`row exclusive`) anyway.
create function "held_access_rules"() returns setof "access_rule" language plpgsql as $$
begin
  lock table "access_rule" in share mode;
  return query select * from "access_rule" order by "id";
end $$;
