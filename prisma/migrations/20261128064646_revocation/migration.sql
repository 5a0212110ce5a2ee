create table "revocation" (
  "id" text collate "C" not null,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "type" text collate "C" not null,
  "issued_before" timestamptz(3) not null,
  "expires_at" timestamptz(3) not null,
  primary key ("id")
);

create index "revocation_expires_at_idx" on "revocation" ("expires_at");
