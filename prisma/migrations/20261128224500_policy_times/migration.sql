alter table "service_policy" add column "valid_from" timestamptz(3);
alter table "service_policy" add column "valid_until" timestamptz(3);
alter table "service_policy" add column "weekly_windows" jsonb not null default '[]';
alter table "service_policy" add column "time_zone" text collate "C";
alter table "service_policy" add column "is_in_force" boolean not null default true;
alter table "service_policy" add column "next_change_at" timestamptz(3);

create index "service_policy_due_idx" on "service_policy" ("next_change_at") where "next_change_at" is not null;
