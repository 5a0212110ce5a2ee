alter table "external_jwt_signer" add column "role_attribute_claims" text[] collate "C" not null default '{}';
alter table "external_jwt_signer" add column "role_attribute_minutes" integer not null default 10080;
alter table "external_jwt_signer" add column "role_attribute_prefix" text collate "C";

create unique index "external_jwt_signer_role_attribute_prefix_key" on "external_jwt_signer" ("role_attribute_prefix");
