create table "directory_group" (
  "id" text collate "C" not null,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "directory_id" text collate "C" not null,
  "display_name" text collate "C" not null,
  "role_attribute" text collate "C" not null,
  "external_id" text collate "C",
  "attributes" jsonb not null default '{}',
  primary key ("id")
);
create table "directory_user" (
  "id" text collate "C" not null,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "directory_id" text collate "C" not null,
  "identity_id" text collate "C" not null,
  "user_name" text collate "C" not null,
  "user_key" text collate "C" not null,
  "external_id" text collate "C",
  "active" boolean not null,
  "attributes" jsonb not null default '{}',
  "deleted_at" timestamptz(3),
  primary key ("id")
);

create unique index "directory_group_directory_id_role_attribute_key" on "directory_group" ("directory_id", "role_attribute");
alter table "directory_group" add constraint "directory_group_directory_id_fkey" foreign key ("directory_id") references "directory" ("id");
create unique index "directory_user_directory_id_user_key_key" on "directory_user" ("directory_id", "user_key");
create index "directory_user_directory_id_external_id_idx" on "directory_user" ("directory_id", "external_id");
create index "directory_user_deleted_at_idx" on "directory_user" ("deleted_at");
create index "directory_user_identity_id_idx" on "directory_user" ("identity_id");
alter table "directory_user" add constraint "directory_user_directory_id_fkey" foreign key ("directory_id") references "directory" ("id");
alter table "directory_user" add constraint "directory_user_identity_id_fkey" foreign key ("identity_id") references "identity" ("id") on delete cascade;
create index "role_assignment_source_role_attribute_idx" on "role_assignment" ("source", "role_attribute");
