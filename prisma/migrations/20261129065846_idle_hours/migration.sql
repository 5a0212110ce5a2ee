alter table "certificate_authority" add column "idle_hours_before_deletion" integer;
alter table "identity" add column "idle_hours_before_deletion" integer;

create index "identity_idle_hours_before_deletion_idx" on "identity" ("idle_hours_before_deletion");
