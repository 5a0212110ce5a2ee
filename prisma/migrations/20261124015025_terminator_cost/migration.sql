create unlogged table "terminator_cost" (
  "terminator_id" text collate "C" not null,
  "circuits" integer not null,
  "failures" integer not null,
  "at" timestamptz(3) not null,
  primary key ("terminator_id")
);

alter table "terminator_cost" add constraint "terminator_cost_terminator_id_fkey" foreign key ("terminator_id") references "terminator" ("id") on delete cascade;
