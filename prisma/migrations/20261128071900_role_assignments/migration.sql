create table "role_assignment" (
  "id" text collate "C" not null,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "identity_id" text collate "C" not null,
  "role_attribute" text collate "C" not null,
  "source" text collate "C" not null,
  "state" text collate "C" not null,
  "active_from" timestamptz(3) not null,
  "active_until" timestamptz(3),
  "reason" text collate "C",
  "requested_by_id" text collate "C",
  "approved_by_id" text collate "C",
  primary key ("id")
);

create unique index "role_assignment_role_attribute_key" on "role_assignment" ("identity_id", "role_attribute", "source") where "state" <> 'ENDED';
create index "role_assignment_pending_idx" on "role_assignment" ("active_from") where "state" = 'PENDING';
create index "role_assignment_active_idx" on "role_assignment" ("active_until") where "state" = 'ACTIVE';
create index "role_assignment_ended_idx" on "role_assignment" ("active_until") where "state" = 'ENDED';
create index "role_assignment_identity_id_idx" on "role_assignment" ("identity_id");
alter table "role_assignment" add constraint "role_assignment_identity_id_fkey" foreign key ("identity_id") references "identity" ("id") on delete cascade;
