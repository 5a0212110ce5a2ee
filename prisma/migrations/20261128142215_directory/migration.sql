create table "directory" (
  "id" text collate "C" not null,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "role_attribute_prefix" text collate "C" not null,
  "external_id_source" text collate "C" not null default 'externalId',
  "auth_policy_id" text collate "C" not null,
  "deletion_grace_minutes" integer not null default 43200,
  primary key ("id")
);
create table "directory_token" (
  "id" text collate "C" not null,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "directory_id" text collate "C" not null,
  "note" text collate "C",
  "token_hash" text collate "C" not null,
  "expires_at" timestamptz(3),
  "last_used_at" timestamptz(3),
  primary key ("id")
);

create unique index "directory_name_key" on "directory" ("name");
create unique index "directory_role_attribute_prefix_key" on "directory" ("role_attribute_prefix");
create index "directory_auth_policy_id_idx" on "directory" ("auth_policy_id");
alter table "directory" add constraint "directory_auth_policy_id_fkey" foreign key ("auth_policy_id") references "auth_policy" ("id");
create unique index "directory_token_token_hash_key" on "directory_token" ("token_hash");
create index "directory_token_directory_id_idx" on "directory_token" ("directory_id");
alter table "directory_token" add constraint "directory_token_directory_id_fkey" foreign key ("directory_id") references "directory" ("id") on delete cascade;
