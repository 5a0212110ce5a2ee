create unlogged table "circuit_event" (
  "version" bigint not null,
  "kind" text collate "C" not null,
  "at" timestamptz(3) not null,
  "circuit_id" text collate "C" not null,
  "session_id" text collate "C" not null,
  "service_id" text collate "C" not null,
  "identity_id" text collate "C" not null,
  "host_id" text collate "C" not null,
  "terminator_id" text collate "C" not null,
  "router_ids" text[] collate "C" not null,
  "link_ids" text[] collate "C" not null,
  "created_at" timestamptz(3) not null,
  primary key ("version")
);
create unlogged table "circuit_event_version" (
  "is_only" boolean not null default true check ("is_only"),
  "generation" text collate "C" not null default (gen_random_uuid()::text),
  "version" bigint not null,
  primary key ("is_only")
);
