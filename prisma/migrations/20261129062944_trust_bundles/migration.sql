alter table "certificate_authority" add column "bundle_endpoint" jsonb;
alter table "certificate_authority" add column "bundle_roots" text collate "C";
alter table "certificate_authority" add column "bundle_state" jsonb;
