alter table "router_presence" add column "in_step_since" timestamptz(3);
