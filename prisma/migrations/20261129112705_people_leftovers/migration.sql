alter table "directory_user" add column "other_disabled_at" timestamptz(3);
alter table "directory_user" add column "other_disabled_until" timestamptz(3);

alter table "access_review_line" add column "assignments_until" timestamptz(3);