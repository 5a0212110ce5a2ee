alter table "access_request" add column "reviewed_at" timestamptz(3);
alter table "access_request" add column "reviewed_by_id" text collate "C";

create index "access_request_unreviewed_idx" on "access_request" ("id") where "approval" = 'BREAK_GLASS' and "reviewed_at" is null;
