create table "access_review" (
  "id" text collate "C" not null,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "description" text collate "C",
  "type" text collate "C",
  "identity_filter" text collate "C",
  "service_filter" text collate "C",
  "state" text collate "C" not null default 'OPEN',
  "finished_at" timestamptz(3),
  "finished_by_id" text collate "C",
  "uses_recorded_since" timestamptz(3) not null,
  "line_count" integer not null,
  "keep_count" integer not null default 0,
  "revoke_count" integer not null default 0,
  primary key ("id")
);
create table "access_review_line" (
  "review_id" text collate "C" not null,
  "identity_id" text collate "C" not null,
  "service_id" text collate "C" not null,
  "type" text collate "C" not null,
  "identity_name" text collate "C" not null,
  "service_name" text collate "C" not null,
  "policies" jsonb not null,
  "last_used_at" timestamptz(3),
  "decision" text collate "C" not null default 'UNDECIDED',
  "comment" text collate "C",
  "decided_by_id" text collate "C",
  "decided_by_name" text collate "C",
  "decided_at" timestamptz(3),
  primary key ("review_id", "identity_id", "service_id", "type")
);

create unique index "access_review_name_key" on "access_review" ("name");
alter table "access_review_line" add constraint "access_review_line_review_id_fkey" foreign key ("review_id") references "access_review" ("id") on delete cascade;
