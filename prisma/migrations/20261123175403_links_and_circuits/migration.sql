alter table "circuit" add column "is_system" boolean not null default false;
alter table "circuit" add column "revision" integer not null default 1;
alter table "circuit" add column "tags" jsonb not null default '{}';
alter table "circuit" add column "updated_at" timestamptz(3) not null default (clock_timestamp());
create unlogged table "link" (
  "id" text collate "C" not null,
  "protocol" text collate "C" not null,
  "dial_address" text collate "C" not null,
  "source_router_id" text collate "C" not null,
  "dest_router_id" text collate "C" not null,
  "down" boolean not null default false,
  "static_cost" integer not null default 1,
  "source_latency" integer not null default 0,
  "dest_latency" integer not null default 0,
  "iteration" integer not null default 0,
  "connections" jsonb not null default '[]',
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "revision" integer not null default 1,
  primary key ("id")
);

create index "circuit_identity_id_idx" on "circuit" ("identity_id");
create index "circuit_service_id_idx" on "circuit" ("service_id");
create index "link_source_router_id_idx" on "link" ("source_router_id");
create index "link_dest_router_id_idx" on "link" ("dest_router_id");
