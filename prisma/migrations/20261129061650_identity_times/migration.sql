alter table "identity" add column "is_outside_times" boolean not null default false;
alter table "identity" add column "next_change_at" timestamptz(3);
alter table "identity" add column "valid_from" timestamptz(3);
alter table "identity" add column "valid_until" timestamptz(3);

create index "identity_due_idx" on "identity" ("next_change_at") where "next_change_at" is not null;
