-- Which routers are connected, whose clients are connected to them, and which identities are traced.
-- Volatile: lost in a crash of the database, and told anew by the routers when they connect again.

-- Counts the writes below. Writers take this row first, so that versions grow in the order of the
-- commits; a new generation tells readers that the tables were emptied.
create unlogged table "presence_version" (
  "is_only" boolean primary key default true check ("is_only"),
  "generation" text collate "C" not null default gen_random_uuid()::text,
  "version" bigint not null
);

drop table "router_presence";
create unlogged table "router_presence" (
  "router_id" text collate "C" primary key references "router" ("id") on delete cascade,
  "connection_id" text collate "C" not null,
  "version" bigint not null,
  "hostname" text collate "C" not null,
  "listeners" jsonb not null,
  "link_listeners" jsonb not null,
  "version_info" jsonb,
  "sync_status" text collate "C" not null,
  "connected_at" timestamptz(3) not null,
  "lapses_at" timestamptz(3) not null
);
create index "router_presence_version_idx" on "router_presence" ("version");

-- Without references: what routers report by the ten thousand is not checked one by one.
create unlogged table "router_client" (
  "identity_id" text collate "C" not null,
  "router_id" text collate "C" not null,
  "connected_at" timestamptz(3) not null,
  "report" text collate "C" not null,
  primary key ("identity_id", "router_id")
);
create index "router_client_router_id_idx" on "router_client" ("router_id");

create unlogged table "identity_trace" (
  "identity_id" text collate "C" primary key references "identity" ("id") on delete cascade,
  "version" bigint not null,
  "enabled" boolean not null,
  "trace_id" text collate "C" not null,
  "channels" text[] collate "C" not null,
  "until" timestamptz(3) not null
);
create index "identity_trace_version_idx" on "identity_trace" ("version");
