create table "access_request" (
  "id" text collate "C" not null,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "offer_id" text collate "C" not null,
  "offer_name" text collate "C" not null,
  "identity_id" text collate "C" not null,
  "identity_name" text collate "C" not null,
  "role_attribute" text collate "C" not null,
  "approval" text collate "C" not null,
  "second_factor" text collate "C" not null,
  "reason" text collate "C" not null,
  "requested_minutes" integer not null default 0,
  "granted_minutes" integer,
  "granted_until" timestamptz(3),
  "decision" text collate "C" not null,
  "decided_by_id" text collate "C",
  "decided_by_name" text collate "C",
  "decided_at" timestamptz(3),
  "comment" text collate "C",
  "ended_by_id" text collate "C",
  "ended_at" timestamptz(3),
  primary key ("id")
);

create index "access_request_identity_id_offer_id_idx" on "access_request" ("identity_id", "offer_id");
create index "access_request_open_idx" on "access_request" ("offer_id") where "decision" = 'OPEN';
