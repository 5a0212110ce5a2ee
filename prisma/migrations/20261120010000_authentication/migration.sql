-- Second factors, certificates of API sessions, extensions of certificates that wait to be confirmed,
-- and failures in a row.
create table "mfa" (
  "identity_id" text collate "C" primary key references "identity" ("id") on delete cascade,
  "id" text collate "C" not null,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "is_verified" boolean not null default false,
  "secret" text not null,
  "recovery_codes" text not null,
  "last_step" bigint not null default 0
);

create table "api_session_certificate" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "api_session_id" text collate "C" not null references "api_session" ("id") on delete cascade,
  "certificate" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "subject" text collate "C" not null,
  "valid_from" timestamptz(3) not null,
  "valid_to" timestamptz(3) not null
);
create index "api_session_certificate_api_session_id_idx" on "api_session_certificate" ("api_session_id");

alter table "authenticator"
  add column "failed_attempts" integer not null default 0,
  add column "unverified_fingerprint" text collate "C",
  add column "unverified_cert_pem" text collate "C";
