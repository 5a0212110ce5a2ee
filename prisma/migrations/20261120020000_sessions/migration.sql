-- What endpoints told of themselves, refused requests for services, and when the services of an
-- identity last changed. All of it can be lost with the database server: clients tell it again.
drop table "posture_data";

create unlogged table "identity_posture" (
  "identity_id" text collate "C" primary key references "identity" ("id") on delete cascade,
  "data" jsonb not null,
  "revision" bigint not null
);

create unlogged table "api_session_posture" (
  "api_session_id" text collate "C" primary key references "api_session" ("id") on delete cascade,
  "identity_id" text collate "C" not null,
  "data" jsonb not null,
  "passed_mfa_at" timestamptz(3),
  "woken_at" timestamptz(3),
  "unlocked_at" timestamptz(3),
  "judged_at" timestamptz(3) not null
);
create index "api_session_posture_identity_id_idx" on "api_session_posture" ("identity_id");
create index "api_session_posture_passed_mfa_at_idx" on "api_session_posture" ("passed_mfa_at");
create index "api_session_posture_woken_at_idx" on "api_session_posture" ("woken_at");
create index "api_session_posture_unlocked_at_idx" on "api_session_posture" ("unlocked_at");

create unlogged table "service_request_failure" (
  "seq" bigserial primary key,
  "identity_id" text collate "C" not null references "identity" ("id") on delete cascade,
  "failure" jsonb not null
);
create index "service_request_failure_identity_id_idx" on "service_request_failure" ("identity_id", "seq");

create unlogged table "service_freshness" (
  "identity_id" text collate "C" primary key references "identity" ("id") on delete cascade,
  "changed_at" timestamptz(3) not null
);

-- How far the change log is contained in service_freshness, and since when: one row, made anew when
-- the server lost it.
create unlogged table "service_freshness_state" (
  "is_single" boolean primary key default true check ("is_single"),
  "began_at" timestamptz(3) not null,
  "epoch" integer not null,
  "xid" bigint not null,
  "seq" bigint not null
);

alter table "api_session" add column "sdk_info" jsonb not null default '{}';
