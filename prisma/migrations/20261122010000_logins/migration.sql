-- Attempts that are under way: they may still fail, and count until they have succeeded.
alter table "login_counter" add column "pending" integer not null default 0;

-- From where passwords were right: failures from elsewhere do not bar those who come from there.
create table "authenticator_sender" (
  "authenticator_id" text collate "C" not null references "authenticator" ("id") on delete cascade,
  "sender" text collate "C" not null,
  "last_login_at" timestamptz(3) not null,
  primary key ("authenticator_id", "sender")
);

-- Failures in a row from elsewhere, and until when nobody logs in from there.
alter table "authenticator"
  add column "stranger_attempts" integer not null default 0,
  add column "strangers_barred_until" timestamptz(3);
