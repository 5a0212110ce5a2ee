create table "controller_setting" (
  "id" text collate "C" not null,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "oidc" jsonb not null default '{"redirectUris":null,"postLogoutUris":null}',
  primary key ("id")
);
