-- The one run of the integrity check, or the last one. A claim that was not renewed in time is free.
create table "integrity_run" (
  "name" text collate "C" primary key,
  "holder" text collate "C" not null,
  "fixing" boolean not null,
  "started_at" timestamptz(3) not null,
  "ended_at" timestamptz(3),
  "error" text,
  "too_many_errors" boolean not null default false,
  "results" jsonb not null default '[]',
  "lapses_at" timestamptz(3) not null
);
