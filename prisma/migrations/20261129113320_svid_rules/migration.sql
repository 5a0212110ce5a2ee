alter table "certificate_authority" add column "conditions" jsonb not null default '[]';
alter table "certificate_authority" add column "creates_identities" boolean not null default false;
alter table "certificate_authority" add column "enroll_auth_policy_id" text collate "C";
alter table "certificate_authority" add column "enroll_name_claims_selector" text collate "C";
alter table "certificate_authority" add column "max_created_identities" integer not null default 1000;
alter table "certificate_authority" add column "role_attribute_claims" text[] collate "C" not null default '{}';
alter table "certificate_authority" add column "role_attribute_minutes" integer not null default 10080;
alter table "certificate_authority" add column "role_attribute_prefix" text collate "C";
alter table "certificate_authority" add column "svid_path_template" text collate "C";
alter table "identity" add column "created_by_authority_id" text collate "C";

alter table "certificate_authority" add constraint "certificate_authority_enroll_auth_policy_id_fkey" foreign key ("enroll_auth_policy_id") references "auth_policy" ("id");
create index "certificate_authority_enroll_auth_policy_id_idx" on "certificate_authority" ("enroll_auth_policy_id");
create unique index "certificate_authority_role_attribute_prefix_key" on "certificate_authority" ("role_attribute_prefix");
create index "identity_created_by_authority_id_idx" on "identity" ("created_by_authority_id");
