-- The authority of others that a certificate and a login by it rest on: with it they end.
alter table "authenticator" add column "ca_id" text collate "C";
alter table "authenticator" add constraint "authenticator_ca_id_fkey" foreign key ("ca_id") references "certificate_authority" ("id") on delete cascade;
create index "authenticator_ca_id_idx" on "authenticator" ("ca_id") where "ca_id" is not null;
-- Certificates of which nobody knows yet who issued them.
create index "authenticator_issuer_unknown_idx" on "authenticator" ("id") where "method" = 'cert' and "ca_id" is null and not "is_issued_by_network";

alter table "api_session" add column "ca_id" text collate "C";
alter table "api_session" add constraint "api_session_ca_id_fkey" foreign key ("ca_id") references "certificate_authority" ("id") on delete cascade;
create index "api_session_ca_id_idx" on "api_session" ("ca_id") where "ca_id" is not null;
