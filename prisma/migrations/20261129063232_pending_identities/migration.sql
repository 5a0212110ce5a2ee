alter table "certificate_authority" add column "new_identities_are_pending" boolean not null default false;
alter table "directory" add column "new_identities_are_pending" boolean not null default false;
alter table "external_jwt_signer" add column "new_identities_are_pending" boolean not null default false;
alter table "identity" add column "is_pending" boolean not null default false;
