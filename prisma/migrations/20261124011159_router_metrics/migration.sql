create unlogged table "router_metrics" (
  "router_id" text collate "C" not null,
  "measured_at" timestamptz(3) not null,
  "metrics" jsonb not null,
  primary key ("router_id")
);

alter table "router_metrics" add constraint "router_metrics_router_id_fkey" foreign key ("router_id") references "router" ("id") on delete cascade;
