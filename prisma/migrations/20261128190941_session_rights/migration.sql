alter table "api_session" add column "granted_admin" boolean not null default false;
alter table "api_session" add column "granted_permissions" text[] collate "C" not null default '{}';
alter table "external_jwt_signer" add column "admin_claims" jsonb not null default '[]';
