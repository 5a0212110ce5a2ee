alter table "change_log" add column "logins_counted_id" text collate "C" not null default '';
alter table "controller" add column "feed_silence_millis" integer;
alter table "controller" add column "process_count" integer;
alter table "controller" add column "version" text collate "C";
create table "failed_login" (
  "hour" timestamptz(3) not null,
  "key" text collate "C" not null,
  "method" text collate "C" not null,
  "refusal" text collate "C" not null,
  "sender" text collate "C",
  "owner" text collate "C" not null,
  "identity_id" text collate "C",
  "count" integer not null,
  "last_at" timestamptz(3) not null,
  primary key ("hour", "key")
);
create table "hourly_login" (
  "hour" timestamptz(3) not null,
  "api_sessions" integer not null default 0,
  "sessions" integer not null default 0,
  "failed_logins" integer not null default 0,
  primary key ("hour")
);

create index "enrollment_expires_at_idx" on "enrollment" ("expires_at");
create index "failed_login_identity_id_idx" on "failed_login" ("identity_id");
alter table "failed_login" add constraint "failed_login_identity_id_fkey" foreign key ("identity_id") references "identity" ("id") on delete cascade;
