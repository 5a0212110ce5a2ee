-- Whether identities with permissions may log in by what a signer or an authority vouches for. Those
-- of before were made when every signer and authority could; new ones are trusted by name.
alter table "external_jwt_signer" add column "trusted_for_management" boolean not null default false;
update "external_jwt_signer" set "trusted_for_management" = true;
alter table "certificate_authority" add column "trusted_for_management" boolean not null default false;
update "certificate_authority" set "trusted_for_management" = true;
