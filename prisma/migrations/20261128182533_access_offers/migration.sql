create table "access_offer" (
  "id" text collate "C" not null,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "description" text collate "C",
  "role_attribute" text collate "C" not null,
  "requester_roles" text[] collate "C" not null default '{}',
  "approval" text collate "C" not null default 'REQUIRED',
  "approver_roles" text[] collate "C" not null default '{}',
  "max_minutes" integer not null,
  "second_factor" text collate "C" not null default 'NONE',
  "max_active" integer not null default 1,
  primary key ("id")
);

create unique index "access_offer_name_key" on "access_offer" ("name");
create index "access_offer_requester_roles_gin" on "access_offer" using gin ("requester_roles");
create index "access_offer_approver_roles_gin" on "access_offer" using gin ("approver_roles");
