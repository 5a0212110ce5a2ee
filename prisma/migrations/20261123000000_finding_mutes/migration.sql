create table "finding_mute" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "finding_id" text collate "C" not null,
  "reason" text collate "C" not null,
  "muted_until" timestamptz(3),
  "muted_by_id" text collate "C"
);

create unique index "finding_mute_finding_id_key" on "finding_mute" ("finding_id");
