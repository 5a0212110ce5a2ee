create unlogged table "circuit" (
  "id" text collate "C" not null,
  "session_id" text collate "C" not null,
  "service_id" text collate "C" not null,
  "identity_id" text collate "C" not null,
  "host_id" text collate "C" not null,
  "terminator_id" text collate "C" not null,
  "router_ids" text[] collate "C" not null,
  "link_ids" text[] collate "C" not null,
  "ingress" text collate "C" not null,
  "egress" text collate "C" not null,
  "binding" text collate "C" not null,
  "created_at" timestamptz(3) not null,
  primary key ("id")
);
alter table "terminator" add column "peer_data" jsonb not null default '{}';

create index "circuit_session_id_idx" on "circuit" ("session_id");
