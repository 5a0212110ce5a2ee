alter table "external_jwt_signer" add column "creates_identities" boolean not null default false;
alter table "external_jwt_signer" add column "max_created_identities" integer not null default 1000;
alter table "external_jwt_signer" add column "idle_days_before_deletion" integer;
alter table "identity" add column "created_by_signer_id" text collate "C";
alter table "identity" add column "last_used_at" timestamptz(3);

create index "identity_created_by_signer_id_idx" on "identity" ("created_by_signer_id");
