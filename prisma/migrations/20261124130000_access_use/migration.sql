create table "access_use" (
  "identity_id" text collate "C" not null,
  "service_id" text collate "C" not null,
  "type" text collate "C" not null,
  "used_at" timestamptz(3) not null,
  primary key ("identity_id", "service_id", "type")
);
create table "access_use_recording" (
  "is_single" boolean not null default true check ("is_single"),
  "epoch" integer not null,
  "recorded_since" timestamptz(3) not null,
  primary key ("is_single")
);

create index "access_use_service_id_idx" on "access_use" ("service_id");
alter table "access_use" add constraint "access_use_identity_id_fkey" foreign key ("identity_id") references "identity" ("id") on delete cascade;
alter table "access_use" add constraint "access_use_service_id_fkey" foreign key ("service_id") references "service" ("id") on delete cascade;
