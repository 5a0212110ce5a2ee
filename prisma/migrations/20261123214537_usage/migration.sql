create unlogged table "circuit_usage" (
  "circuit_id" text collate "C" not null,
  "sent_bytes" bigint not null,
  "received_bytes" bigint not null,
  primary key ("circuit_id")
);
create table "hourly_usage" (
  "hour" timestamptz(3) not null,
  "service_id" text collate "C" not null,
  "identity_id" text collate "C" not null,
  "sent_bytes" bigint not null,
  "received_bytes" bigint not null,
  primary key ("hour", "service_id", "identity_id")
);

alter table "circuit_usage" add constraint "circuit_usage_circuit_id_fkey" foreign key ("circuit_id") references "circuit" ("id") on delete cascade;
create index "hourly_usage_service_id_idx" on "hourly_usage" ("service_id");
create index "hourly_usage_identity_id_idx" on "hourly_usage" ("identity_id");
